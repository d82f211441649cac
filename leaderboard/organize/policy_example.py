"""Example of what each reader sees of a phase, before and after each of its dates."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure, Part


@dataclass(frozen=True)
class View:
    """The board, and a team's own submissions, as readers see them from a date on."""

    since: str
    moment: str
    public: str
    team: str
    organizers: str


def views(phase: Phase) -> list[View]:
    """The views of each reader from each date of the phase on, in order.

    Dates that change nothing for anybody are left out.
    """
    different: list[View] = []
    for since, moment in _dates(phase):
        public = policy.disclosure(AnonymousUser(), phase, moment)
        organizers = policy.for_organizers(phase, public, moment)
        view = View(
            since,
            phase.local_text(moment),
            board_in_words(public),
            own_in_words(public),
            board_in_words(organizers),
        )
        last = different[-1] if different else None
        if last is None or _seen(last) != _seen(view):
            different.append(view)
    return different


def _seen(view: View) -> tuple[str, str, str]:
    return view.public, view.team, view.organizers


def _dates(phase: Phase) -> Iterator[tuple[str, datetime]]:
    yield _("from the opening"), phase.opens
    if phase.freeze_from is not None:
        yield _("from the freeze"), phase.freeze_from
    reveal = policy.reveal_of(phase)
    if phase.closes is not None and phase.closes == reveal:
        yield _("from the end, the reveal"), phase.closes
        return
    if phase.closes is not None:
        yield _("from the end"), phase.closes
    if reveal is not None:
        yield _("from the reveal"), reveal


def board_in_words(disclosure: Disclosure) -> str:
    """The board that a reader sees."""
    if not disclosure.board:
        return _("no board")
    which = (
        _("every entry") if disclosure.everything else _("the best entry of each team")
    )
    return "; ".join([which, *_how(disclosure)])


def own_in_words(disclosure: Disclosure) -> str:
    """A team's view of its own submissions, in words."""
    if not disclosure.own:
        return _("received and valid, no score")
    if disclosure.everything:
        which = _("each score")
    else:
        which = _("a score only when it was the best so far")
    return "; ".join([which, *_how(disclosure, own=True)])


def _how(disclosure: Disclosure, *, own: bool = False) -> Iterator[str]:
    if disclosure.parts[0] == Part.PUBLIC:
        yield _("on the public part of the units")
    elif disclosure.parts[0] == Part.PRIVATE:
        yield _("the private part ranks, all parts can be chosen")
    elif Part.PRIVATE in disclosure.parts:
        yield _("on all units, each part can be chosen")
    if disclosure.as_of is not None and not own:
        yield _("as it was at the freeze")
