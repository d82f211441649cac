"""The phases of a task for its organizers: what each holds, their order, their end."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, ProtectedError, Q
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.languages import in_english
from leaderboard.submissions.models import Submission
from leaderboard.tasks.lock import lock_phase, lock_phases, lock_task
from leaderboard.tasks.models import Notice, Phase, Task, TestSet
from leaderboard.teams.models import User


class CannotDelete(Exception):
    """Why a phase stays, in words for an organizer."""


@dataclass(frozen=True)
class Line:
    """One phase. `in_time` are late submissions that came before the end of now."""

    phase: Phase
    state: str
    test_sets: Sequence[TestSet]
    sent: int
    late: int
    in_time: int
    chosen: int
    first: bool
    last: bool

    @property
    def nobody(self) -> bool:
        """Open to chosen teams, and none was chosen."""
        return self.phase.who == Phase.Who.CHOSEN and not self.chosen


def lines(task: Task) -> list[Line]:
    """In order; a constant number of queries."""
    now = timezone.now()
    phases = list(
        # Grouping drops the order of the model.
        task.phases.annotate(teams=Count("chosen"))
        .order_by("position", "pk")
        .prefetch_related("test_sets")
    )
    numbers = _numbers(task)
    return [
        Line(
            phase=phase,
            state=phase.state(now),
            test_sets=list(phase.test_sets.all()),
            **numbers.get(phase.pk, NONE),
            chosen=phase.teams,
            first=place == 0,
            last=place == len(phases) - 1,
        )
        for place, phase in enumerate(phases)
    ]


NONE = {"sent": 0, "late": 0, "in_time": 0}


def _numbers(task: Task) -> dict[int, dict[str, int]]:
    """Submissions per phase, counted by what became of them."""
    late = Q(late=True)
    in_time = late & Q(received_at__lt=F("phase__closes"))
    # “late” alone would hide the column of that name.
    rows = (
        Submission.objects.filter(phase__task=task)
        .order_by()
        .values("phase")
        .annotate(
            n_sent=Count("pk"),
            n_late=Count("pk", filter=late),
            n_in_time=Count("pk", filter=in_time),
        )
    )
    return {row["phase"]: {name: row[f"n_{name}"] for name in NONE} for row in rows}


def move(phase: Phase, step: int) -> None:
    """Up (-1) or down (1) among the phases of its task; at the end nothing happens."""
    with transaction.atomic():
        lock_task(phase.task_id)
        phases = sorted(lock_phases(phase.task_id), key=lambda p: (p.position, p.pk))
        places = [one.pk for one in phases]
        if phase.pk not in places:
            return  # deleted meanwhile
        place = places.index(phase.pk)
        phases.insert(max(0, place + step), phases.pop(place))
        for position, one in enumerate(phases):
            if one.position != position:
                one.position = position
                one.save(update_fields=["position"])


def delete(phase: Phase) -> None:
    """Delete a phase to which nothing was sent; its public notices stay.

    Raises CannotDelete.
    """
    said = _(
        "%(phase)s holds submissions. What teams sent is not deleted; close the "
        "phase or pause it instead."
    ) % {"phase": phase.title}
    try:
        with transaction.atomic():
            lock_task(phase.task_id)
            lock_phases(phase.task_id)
            if phase.submissions.exists():
                raise CannotDelete(said)
            Notice.objects.filter(phase=phase).update(phase=None)
            phase.delete()
    except ProtectedError:
        raise CannotDelete(said) from None


def pause(phase: Phase, note: str, by: User) -> None:
    """Refuse uploads from now on; what was accepted is scored as usual."""
    _pause(phase, True, note, by)


def resume(phase: Phase, by: User) -> None:
    _pause(phase, False, "", by)


def _pause(phase: Phase, paused: bool, note: str, by: User) -> None:
    with transaction.atomic():
        was = lock_phase(phase).paused
        phase.paused, phase.paused_note = paused, note
        phase.save(update_fields=["paused", "paused_note"])
        if was != paused:
            announce_pause(phase, by)


def announce_pause(phase: Phase, by: User) -> None:
    """Say in the public log that a phase was paused, or goes on."""
    if phase.task.draft:
        return
    with in_english():
        words = (
            _("%(phase)s is paused: uploads are refused.")
            if phase.paused
            else _("%(phase)s goes on: teams can submit again.")
        )
        text = f"{words % {'phase': phase.title}} {phase.paused_note}".strip()
    Notice.objects.create(
        task=phase.task, phase=phase, kind=Notice.Kind.DEADLINE, text=text, by=by
    )
