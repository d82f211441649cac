"""Where a reader stands in a task, in words: what pages say and what is possible."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.tasks import domains
from leaderboard.tasks.joining import has_left, left_outside, participation_of
from leaderboard.tasks.models import Participation, Task

Status = Participation.Status


@dataclass(frozen=True)
class Standing:
    """`entry` is the reader's team in the task; `fine` when it takes part."""

    entry: Participation | None
    text: str
    fine: bool = False
    may_join: bool = False

    @property
    def reason(self) -> str:
        """Why the organizers decided so; only its team and they are shown it."""
        return self.entry.reason if self.entry else ""


def standing_of(user: Any, task: Task) -> Standing:
    """The reader's team and its status in the task as a sentence."""
    entry = participation_of(user, task)
    if entry is not None:
        active = entry.status == Status.ACTIVE
        may_join = entry.status == Status.WITHDRAWN and entry.status_by_team
        return Standing(entry, status_sentence(entry), active, may_join)
    if has_left(user, task):
        return Standing(None, left_sentence())
    if (team := left_outside(user, task)) is not None:
        words = _("Your team %(team)s takes part without you. %(rule)s")
        told = {"team": team.team, "rule": domains.domain_rule(task)}
        return Standing(None, words % told)
    return Standing(None, domains.domain_rule(task), may_join=True)


def left_sentence() -> str:
    """To those who left a team: with another one they would have its attempts too."""
    return _(
        "You left a team that has sent something here. One person can be in one team "
        "of a task, so you can come back to that team but not take part with another."
    )


def status_sentence(entry: Participation) -> str:
    """The status of an entry in words for its team."""
    told = {"team": entry.team}
    words = {
        Status.ACTIVE: _("You take part as %(team)s."),
        Status.PENDING: _(
            "%(team)s waits for the organizers to admit it; until then nothing can be "
            "sent."
        ),
        Status.REFUSED: _("The organizers did not admit %(team)s."),
        Status.WITHDRAWN: _(
            "%(team)s was withdrawn from this task: nothing can be sent, and its "
            "submissions are off the boards."
        ),
        Status.DISQUALIFIED: _(
            "%(team)s was disqualified: nothing can be sent, and its submissions are "
            "off the boards."
        ),
        Status.MERGED: _("%(team)s was merged into another team."),
    }
    return words[Status(entry.status)] % told
