"""The big reads of boards, as querysets."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Count, Model, QuerySet
from django.db.models.base import ModelState

from leaderboard.submissions.models import (
    Evaluation,
    State,
    Submission,
    SystemDescription,
)
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team

Loaded = TypeVar("Loaded", bound=Model)

# What rows are made of. The rest is read when it is asked for.
OF_EVALUATION = ("id", "submission_id", "engine", "complete")
OF_SUBMISSION = ("participation_id", "system", "baseline", "picked", "received_at",
                 "admitted_at")  # fmt: skip
OF_ENTRY = ("id", "team_id", "status", "merged_into_id", "anonymous", "alias")
OF_TEAM = ("id", "name", "key")


def scored(phase: Phase) -> list[Evaluation]:
    """Scored evaluations of what counts in a phase, under the one revision it shows.

    In order of receipt, with their submissions and teams. Two queries: a team has
    many submissions, and is read once.
    """
    # Decoding the answers of a thousand fact sheets takes longer than ranking them.
    sent = (*OF_SUBMISSION, *(["facts"] if phase.task.fact_sheet else []))
    fields = [*OF_EVALUATION, *(f"submission__{name}" for name in sent)]
    rows = list(_scored(phase).values_list(*fields))
    entries = _entries(phase) if rows else {}
    size, place = len(OF_EVALUATION), fields.index("submission__participation_id")
    of_all = {"gold_revision_id": phase.gold_revision_id, "state": State.SCORED}
    of_sent = {"phase_id": phase.pk, "late": False}
    found = []
    for row in rows:
        near = {"participation": entries[row[place]]}
        known = of_sent | {"id": row[OF_EVALUATION.index("submission_id")]}
        near = {"submission": _loaded(Submission, sent, row[size:], known, near)}
        found.append(_loaded(Evaluation, OF_EVALUATION, row[:size], of_all, near))
    return found


def _scored(phase: Phase) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        submission__in=Submission.objects.filter(phase=phase).counted(),
        gold_revision=phase.gold_revision_id,
        state=State.SCORED,
    ).order_by("submission__received_at", "pk")


def _entries(phase: Phase) -> dict[int, Participation]:
    """Who takes part in the task, with their teams."""
    fields = [*OF_ENTRY, *(f"team__{name}" for name in OF_TEAM)]
    rows = Participation.objects.filter(task=phase.task_id).values_list(*fields)
    size = len(OF_ENTRY)
    found = {}
    known = {"task_id": phase.task_id}
    for row in rows:
        near = {"team": _loaded(Team, OF_TEAM, row[size:], {}, {})}
        found[row[0]] = _loaded(Participation, OF_ENTRY, row[:size], known, near)
    return found


def _loaded(
    model: type[Loaded],
    names: Sequence[str],
    values: Sequence[Any],
    known: Mapping[str, Any],
    related: dict[str, Model],
) -> Loaded:
    """A row as `only()` would give it, in a fifth of the time.

    Most of the time of reading a thousand rows goes into signals and defaults of
    `Model.__init__`, which are for rows that are new. `known` are more of its fields.
    """
    row = model.__new__(model)
    fields = row.__dict__
    fields.update(zip(names, values, strict=True))
    fields.update(known)
    state = row._state = ModelState()
    state.adding, state.db, state.fields_cache = False, DEFAULT_DB_ALIAS, related
    return row


def counted(phase: Phase) -> set[UUID]:
    """Submissions of a phase that may stand on its board."""
    found = Submission.objects.filter(phase=phase).counted()
    return set(found.values_list("pk", flat=True))


def entries_per_team(phase: Phase, as_of: datetime | None = None) -> dict[int, int]:
    """How many submissions each participation has in a phase, withdrawn ones too."""
    sent = Submission.objects.filter(phase=phase, late=False)
    if as_of is not None:
        sent = sent.filter(received_at__lte=as_of)
    return dict(sent.values_list("participation").annotate(n=Count("pk")))


def descriptions(phase: Phase) -> dict[UUID, SystemDescription]:
    """The newest description of each system of a phase; none before its end."""
    if phase.state() != "over":
        return {}
    sent = Submission.objects.filter(phase=phase).counted()
    found = SystemDescription.objects.filter(submission__in=sent).defer("text")
    return {one.submission_id: one for one in found.order_by("at", "pk")}
