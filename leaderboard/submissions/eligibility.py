"""Who may send something to a phase at a moment; every no is a sentence."""

from datetime import datetime

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


def require(phase: Phase, entry: Participation, sender: User, moment: datetime) -> None:
    """Raises the Refusal that says why this person may not submit to the phase now.

    At most two queries; the quota is asked elsewhere.
    """
    organizes = _Asked(phase, sender)
    _require_part(entry)
    _require_among(phase, entry, organizes)
    if phase.state(moment) == "upcoming" and not organizes:
        # Organizers may send pilots, nobody else.
        raise NotOpen(_("%(phase)s has not opened yet") % {"phase": phase.title})
    if phase.paused:
        raise Paused(_paused(phase))


def why_not(
    phase: Phase, entry: Participation, sender: User, moment: datetime
) -> Refusal | None:
    """The refusal of `require`, None where there is none."""
    try:
        require(phase, entry, sender, moment)
    except Refusal as refusal:
        return refusal
    return None


class _Asked:
    """Whether the person organizes the task, looked up when first asked."""

    def __init__(self, phase: Phase, sender: User) -> None:
        self.phase, self.sender = phase, sender
        self.known: bool | None = None

    def __bool__(self) -> bool:
        if self.known is None:
            self.known = self.phase.task.is_organized_by(self.sender)
        return self.known


def _require_part(entry: Participation) -> None:
    if entry.status != Status.ACTIVE:
        raise NotTakingPart(_status(entry))


def _status(entry: Participation) -> str:
    said = {
        Status.PENDING: _(
            "Team %(team)s waits for admission. An organizer decides; "
            "then it can submit"
        ),
        Status.REFUSED: _("Team %(team)s was not admitted to this task"),
        Status.WITHDRAWN: _("Team %(team)s withdrew from this task"),
        Status.DISQUALIFIED: _("Team %(team)s was disqualified in this task"),
        Status.MERGED: _("Team %(team)s was merged into another team; submit with it"),
    }
    sentence = said[Status(entry.status)] % {"team": entry.team}
    if not entry.reason:
        return sentence
    return f"{sentence}. " + _("Reason given: %(why)s") % {"why": entry.reason}


def _require_among(phase: Phase, entry: Participation, organizes: _Asked) -> None:
    if phase.who == Phase.Who.ORGANIZERS and not organizes:
        said = _("Only organizers submit to %(phase)s")
        raise NotAmongThem(said % {"phase": phase.title})
    if phase.who == Phase.Who.CHOSEN and not (
        phase.chosen.filter(pk=entry.pk).exists() or organizes
    ):
        said = _(
            "%(phase)s is for teams chosen by the organizers; %(team)s is not "
            "among them"
        )
        raise NotAmongThem(said % {"phase": phase.title, "team": entry.team})


def _paused(phase: Phase) -> str:
    said = _(
        "%(phase)s is paused: nothing can be sent, and nothing was charged. "
        "What was sent before is scored as usual"
    )
    said %= {"phase": phase.title}
    return f"{said}. {phase.paused_note}" if phase.paused_note else said
