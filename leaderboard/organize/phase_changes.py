"""Changes of a phase that has begun: what they do to those who already sent."""

from collections.abc import Iterator, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.translation import gettext as _

from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import reveal_of

Policy, Publication, Who = Phase.Policy, Phase.Publication, Phase.Who
# From least to most shown.
POLICIES = (Policy.BLIND, Policy.BEST, Policy.OPEN)
PUBLICATIONS = (Publication.LADDER, Publication.GRID, Publication.EXACT)
NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True)
class State:
    """A phase with its relations, before or after; new salt is a changed salt."""

    phase: Phase
    test_sets: Set[int]
    chosen: Set[int]


def effects(before: State, after: State) -> list[str]:
    """A sentence for each change that is unfair to those who already take part."""
    return [
        *_shown(before.phase, after.phase),
        *_timed(before.phase, after.phase),
        *_split(before.phase, after.phase),
        *_ranked(before, after),
        *_allowed(before, after),
    ]


def _shown(old: Phase, new: Phase) -> Iterator[str]:
    if POLICIES.index(Policy(new.policy)) > POLICIES.index(Policy(old.policy)):
        said = _(
            "More is shown than was promised: scores of submissions that were "
            "sent under “%(old)s” become visible."
        )
        yield said % {"old": old.get_policy_display()}
    finer = PUBLICATIONS.index(Publication(new.publication)) - PUBLICATIONS.index(
        Publication(old.publication)
    )
    same_but_smaller = finer == 0 and _width(new) < _width(old)
    if finer > 0 or same_but_smaller:
        yield _(
            "Scores are shown more exactly than before: those who sent much learn "
            "more about the gold than those who sent little."
        )
    if (new.freeze_from or NEVER) > (old.freeze_from or NEVER):
        yield _("The board stands still later than announced, or not at all.")


def _width(phase: Phase) -> float:
    """The step; a ladder without one takes a standard error."""
    return 1.0 if phase.step is None else phase.step


def _timed(old: Phase, new: Phase) -> Iterator[str]:
    if (reveal_of(new) or NEVER) < (reveal_of(old) or NEVER):
        yield _("Everything is revealed earlier than announced.")
    if new.opens != old.opens:
        yield _("The phase opens at another moment; what was sent so far stays.")
    if new.time_zone != old.time_zone:
        yield _(
            "Days begin at another moment: some teams get attempts of two days "
            "within one."
        )


def _split(old: Phase, new: Phase) -> Iterator[str]:
    if new.private_share != old.private_share:
        yield _(
            "Other units decide than before: public scores and ranks change, and "
            "what teams learned from them no longer fits."
        )
    elif new.salt != old.salt:
        yield _(
            "The private part is drawn anew: public scores and ranks change, and "
            "units whose scores teams have seen may become private."
        )


def _ranked(before: State, after: State) -> Iterator[str]:
    if after.test_sets - before.test_sets:
        yield _(
            "Submissions so far hold nothing for the new test set: they count 0 "
            "there until their teams send again."
        )
    if before.test_sets - after.test_sets:
        yield _("A test set drops out: the scores and ranks of all submissions change.")
    if after.phase.counts != before.phase.counts:
        yield _("Another submission of a team may count than the one it relied on.")


def _allowed(before: State, after: State) -> Iterator[str]:
    old, new = before.phase, after.phase
    narrower = old.who == Who.PARTICIPANTS != new.who or new.who == Who.ORGANIZERS
    fewer = new.who == old.who == Who.CHOSEN and bool(before.chosen - after.chosen)
    if (narrower and old.who != new.who) or fewer:
        yield _("Teams that could submit so far no longer can.")
    for name, said in (
        (
            "daily_limit",
            _("Teams that used more than the new limit have nothing left today."),
        ),
        (
            "total_limit",
            _(
                "Teams that used more than the new limit in all cannot send "
                "anything more."
            ),
        ),
    ):
        if (getattr(new, name) or 10**9) < (getattr(old, name) or 10**9):
            yield said
