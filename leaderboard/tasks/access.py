"""Tasks and phases by their address: what a reader may see, 404 for no, and locks."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import BigAutoField, F, QuerySet, SlugField
from django.http import Http404
from django.shortcuts import get_object_or_404

from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.tasks.policy import (
    Power,
    can,
    note_neighbours,
    sees_task,
    with_neighbours,
)
from leaderboard.web.access import Access, Find, or_404
from leaderboard.web.known import knows_rows, note_rows
from leaderboard.web.locks import lock_rows
from leaderboard.web.statements import statement

T = TypeVar("T")


@statement(slug=SlugField())
def _tasks(slug: str) -> QuerySet[Task]:
    return Task.objects.filter(slug=slug)


@statement(slug=SlugField(), name=SlugField())
def _phase(slug: str, name: str) -> QuerySet[Phase]:
    return _phases.make(slug).filter(name=name)


@statement(slug=SlugField())
def _phases(slug: str) -> QuerySet[Phase]:
    """Phases of a task, with it and with what they show."""
    phases = Phase.objects.select_related("task", "gold_revision")
    return with_neighbours(phases).filter(task__slug=slug)


@statement(task=BigAutoField())
def _locked_phases(task: int) -> QuerySet[Phase]:
    return lock_rows(Phase.objects.filter(task=task))


@statement(phases=[BigAutoField()])
def _test_sets(phases: Collection[int]) -> QuerySet[TestSet]:
    rows = TestSet.objects.select_related("task").filter(phases__in=phases)
    return rows.annotate(of_phase=F("phases"))


def task_or_404(slug: str, user: Any = None) -> Task:
    """A task that the reader may see; without a reader, one that everybody may."""
    task: Task = or_404(_tasks(slug=slug))[0]
    if not sees_task(user, task):
        raise Http404
    return task


def phase_or_404(slug: str, name: str, user: Any = None) -> Phase:
    """A phase of a task that the reader may see."""
    phase: Phase = or_404(_phase(slug=slug, name=name))[0]
    if not sees_task(user, phase.task):
        raise Http404
    return note_neighbours(phase)


def _seeing(user: Any, slug: str, **names: Any) -> dict[str, Any]:
    return {"task": task_or_404(slug, user), **names}


def _seeing_phase(user: Any, slug: str, phase: str, **names: Any) -> dict[str, Any]:
    return {"phase": phase_or_404(slug, phase, user), **names}


def _seeing_phases(user: Any, slug: str, phase: str, **names: Any) -> dict[str, Any]:
    """The phase with a task that knows all of its phases, from one statement."""
    rows = _phases(slug=slug)
    chosen = next((row for row in rows if row.name == phase), None)
    if chosen is None or not sees_task(user, chosen.task):
        raise Http404
    for row in rows:
        row.task = chosen.task
    note_rows(chosen.task, "phases", rows)
    return {"phase": note_neighbours(chosen), **names}


@dataclass(frozen=True)
class OrganizerAccess(Access):
    """Organizers of the task in the address who have a power."""

    power: Power = Power.SEE

    @cached_property
    def of_phase(self) -> Access:
        """The same, of the phase in the address, which the view is given."""
        return Access(self.people, _powerful(self.power, _seeing_phase))


def _powerful(power: Power, seeing: Find) -> Find:
    def find(user: Any, **names: Any) -> Mapping[str, Any]:
        rows = seeing(user, **names)
        task = rows["task"] if "task" in rows else rows["phase"].task
        if not can(user, task, power):
            raise Http404
        return rows

    return find


def row_of(mark: Access, rows: Any, name: str, key: str) -> Access:
    """The same people; the view is given the row of their task that the address names.

    `name` is the argument of the view, `key` the field that the address has.
    """

    def find(user: Any, slug: str, **names: Any) -> Mapping[str, Any]:
        task = mark.find(user, slug=slug)["task"]
        row = get_object_or_404(rows, task=task, **{key: names.pop(key)})
        return {name: row, **names}

    return Access(mark.people, find)


# Marks of views: who of the readers of a task may use it. The view is given the task,
# or the phase with its task.
TASK = Access("those who see the task", _seeing)
PHASE = Access("those who see the task", _seeing_phase)
PHASE_AMONG_ALL = Access("those who see the task", _seeing_phases)
SEE, EDIT, PEOPLE, OWN = (
    OrganizerAccess(
        f"organizers who may {power.value}", _powerful(power, _seeing), power=power
    )
    for power in Power
)


def lock_task(pk: int) -> Task:
    """The task as it is now, held until the transaction ends.

    Raises Http404 for one that was deleted meanwhile.
    """
    return get_object_or_404(lock_rows(Task.objects.all()), pk=pk)


@contextmanager
def task_locked(task: Task) -> Iterator[Task]:
    """A transaction in which no other organizer changes the task; as it is now."""
    with transaction.atomic():
        yield lock_task(task.pk)


def lock_phases(task_pk: int) -> list[Phase]:
    """All phases of a task as they are now, held until the transaction ends."""
    return _locked_phases(task=task_pk)


def note_test_sets(*phases: Phase) -> list[TestSet]:
    """The test sets of phases as they are now, with their task; they know them then."""
    rows = _test_sets(phases=[phase.pk for phase in phases])
    for phase in phases:
        own = [row for row in rows if row.of_phase == phase.pk]
        note_rows(phase, "test_sets", own)
    return rows


def test_sets_of(phase: Phase) -> Iterable[TestSet]:
    """The test sets of a phase as it knows them, or as they are now."""
    if knows_rows(phase, "test_sets"):
        return phase.test_sets.all()
    return _test_sets(phases=[phase.pk])


def lock_phase(phase: Phase) -> Phase:
    """A phase as it is now, with its task, both held until the transaction ends.

    For a change by an organizer. Raises Http404 for one that was deleted meanwhile.
    """
    task = lock_task(phase.task_id)
    for row in lock_phases(task.pk):
        if row.pk == phase.pk:
            row.task = task
            return row
    raise Http404
