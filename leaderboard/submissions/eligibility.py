"""Eligibility: who may submit to a phase at a moment; every no is a sentence."""

from datetime import datetime
from functools import cache

from django.utils.translation import gettext as _

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal

Status = Participation.Status


class NotOpen(Refusal):
    """The phase has not begun."""

    code = "not_open"


class Paused(Refusal):
    """The organizers stopped uploads for a while."""

    code = "paused"


class NotTakingPart(Refusal):
    """The team's status in the task is not active."""

    code = "not_taking_part"


class NotAmongThem(Refusal):
    """The phase is not open to this team."""

    code = "not_chosen"


def why_not(
    phase: Phase, entry: Participation, sender: User, moment: datetime
) -> Refusal | None:
    """The refusal that says why this person may not submit to the phase now.

    At most two queries; the quota is asked elsewhere.
    """
    if entry.status != Status.ACTIVE:
        return NotTakingPart(_status(entry))

    @cache
    def organizes() -> bool:
        return phase.task.is_organized_by(sender)

    if phase.who == Phase.Who.ORGANIZERS and not organizes():
        message = _("Only organizers submit to %(phase)s")
        return NotAmongThem(message % {"phase": phase.title})
    if phase.who == Phase.Who.CHOSEN and not (
        phase.chosen.filter(pk=entry.pk).exists() or organizes()
    ):
        message = _(
            "%(phase)s is for teams chosen by the organizers; %(team)s is not "
            "among them"
        )
        return NotAmongThem(message % {"phase": phase.title, "team": entry.team})
    if phase.state(moment) == "upcoming" and not organizes():
        # Organizers may send pilots, nobody else.
        return NotOpen(_("%(phase)s has not opened yet") % {"phase": phase.title})
    if phase.paused:
        return Paused(_paused(phase))
    return None


def _status(entry: Participation) -> str:
    sentences = {
        Status.PENDING: _(
            "Team %(team)s waits for admission. An organizer decides; "
            "then it can submit"
        ),
        Status.REFUSED: _("Team %(team)s was not admitted to this task"),
        Status.WITHDRAWN: _("Team %(team)s withdrew from this task"),
        Status.DISQUALIFIED: _("Team %(team)s was disqualified in this task"),
        Status.MERGED: _("Team %(team)s was merged into another team; submit with it"),
    }
    sentence = sentences[Status(entry.status)] % {"team": entry.team}
    if not entry.reason:
        return sentence
    return f"{sentence}. " + _("Reason given: %(why)s") % {"why": entry.reason}


def _paused(phase: Phase) -> str:
    message = _(
        "%(phase)s is paused: nothing can be sent, and nothing was charged. "
        "What was sent before is scored as usual"
    )
    message %= {"phase": phase.title}
    return f"{message}. {phase.paused_note}" if phase.paused_note else message
