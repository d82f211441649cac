"""Tasks and phases by their address: what a reader may see, 404 for no, and locks.

The order in which rows of a task are locked is one for all who change it. A transaction
locks what it needs in this order and never goes back:

1. the task (`lock_task`). Every change that an organizer makes to the task or to
   anything of it begins here, so that they come one after the other, and reads what it
   changes only then. What it saves it names: `save(update_fields=...)`, or `update`.
2. entries of teams, by key
3. the phases of the task, all of them, by key (`lock_phases`). Uploads are accepted
   under this lock, gold revisions are prepared and switched under it, and whoever reads
   what was sent in order to change a phase takes it before.
4. submissions
5. evaluations, by key
6. counters of the quota, those of the team before those of the person

Teams and workers do not take the first: they never wait for an organizer who does not
need the phases. The entry in whose name organizers send baselines has no members; it is
changed under the first alone, also after the third.

All are taken as FOR NO KEY UPDATE: rows that refer to them can be written meanwhile,
history and notices too. On SQLite a transaction that writes is alone anyway.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404

from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.policy import Power, can, visible_tasks, with_neighbours
from leaderboard.web.access import Access, Find


def task_or_404(slug: str, user: Any = None) -> Task:
    """A task that the reader may see; without a reader, one that everybody may."""
    return get_object_or_404(visible_tasks(user), slug=slug)


def phase_or_404(slug: str, name: str, user: Any = None) -> Phase:
    """A phase of a task that the reader may see."""
    phases = Phase.objects.select_related("task", "gold_revision")
    seen = with_neighbours(phases).filter(task__in=visible_tasks(user))
    return get_object_or_404(seen, task__slug=slug, name=name)


def _seeing(user: Any, slug: str, **names: Any) -> dict[str, Any]:
    return {"task": task_or_404(slug, user), **names}


def _seeing_phase(user: Any, slug: str, phase: str, **names: Any) -> dict[str, Any]:
    return {"phase": phase_or_404(slug, phase, user), **names}


def _powerful(power: Power, seeing: Find) -> Access:
    """Organizers with that power, of the task or of the phase in the address."""

    def find(user: Any, **names: Any) -> Mapping[str, Any]:
        rows = seeing(user, **names)
        if not can(user, rows["task"] if "task" in rows else rows["phase"].task, power):
            raise Http404
        return rows

    return Access(f"organizers who may {power.value}", find)


# Marks of views: who of the readers of a task may use it. The view is given the task,
# or the phase with its task.
TASK = Access("those who see the task", _seeing)
PHASE = Access("those who see the task", _seeing_phase)
SEE, EDIT, PEOPLE, OWN = (_powerful(power, _seeing) for power in Power)
SEE_PHASE, EDIT_PHASE = (_powerful(p, _seeing_phase) for p in (Power.SEE, Power.EDIT))


def lock_task(pk: int) -> Task:
    """The task as it is now, held until the transaction ends.

    Raises Http404 for one that was deleted meanwhile.
    """
    return get_object_or_404(Task.objects.select_for_update(no_key=True), pk=pk)


@contextmanager
def task_locked(task: Task) -> Iterator[Task]:
    """A transaction in which no other organizer changes the task; as it is now."""
    with transaction.atomic():
        yield lock_task(task.pk)


def lock_phases(task_pk: int) -> list[Phase]:
    """All phases of a task as they are now, held until the transaction ends."""
    phases = Phase.objects.select_for_update(no_key=True).filter(task=task_pk)
    return list(phases.order_by("pk"))


def lock_phase(phase: Phase) -> Phase:
    """A phase as it is now, with its task, both held until the transaction ends.

    For a change by an organizer. Raises Http404 for one that was deleted meanwhile.
    """
    task = lock_task(phase.task_id)
    for one in lock_phases(task.pk):
        if one.pk == phase.pk:
            one.task = task
            return one
    raise Http404
