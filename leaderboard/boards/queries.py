"""The big reads of boards, as querysets."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Count, Model, Q, QuerySet
from django.db.models.base import ModelState

from leaderboard.submissions.models import (
    Evaluation,
    State,
    Submission,
    SystemDescription,
)
from leaderboard.tasks.models import Participation, Phase

Loaded = TypeVar("Loaded", bound=Model)

# What rows are made of. The rest of a submission is read when it is asked for.
OF_EVALUATION = ("id", "submission_id", "gold_revision_id", "engine", "state",
                 "complete")  # fmt: skip
OF_SUBMISSION = ("phase_id", "participation_id", "system", "facts", "baseline",
                 "picked", "late", "received_at", "admitted_at")  # fmt: skip


def scored(phase: Phase) -> list[Evaluation]:
    """Scored evaluations of what counts in a phase, under the one revision it shows.

    In order of receipt, with their submissions and teams. Two queries: a team has
    many submissions, and is read once.
    """
    fields = [*OF_EVALUATION, *(f"submission__{name}" for name in OF_SUBMISSION)]
    rows = list(_scored(phase).values_list(*fields))
    entries = Participation.objects.filter(task=phase.task_id).select_related("team")
    by_pk = entries.in_bulk() if rows else {}
    size = len(OF_EVALUATION)
    found = []
    for row in rows:
        evaluation = _loaded(Evaluation, OF_EVALUATION, row[:size])
        submission = _loaded(Submission, OF_SUBMISSION, row[size:])
        submission.id = evaluation.submission_id
        submission.participation = by_pk[submission.participation_id]
        evaluation.submission = submission
        found.append(evaluation)
    return found


def _scored(phase: Phase) -> QuerySet[Evaluation]:
    return Evaluation.objects.filter(
        submission__in=Submission.objects.filter(phase=phase).counted(),
        gold_revision=phase.gold_revision_id,
        state=State.SCORED,
    ).order_by("submission__received_at", "pk")


def _loaded(model: type[Loaded], names: Sequence[str], values: Sequence[Any]) -> Loaded:
    """A row as `only()` would give it, in a fifth of the time.

    Most of the time of reading a thousand rows goes into signals and defaults of
    `Model.__init__`, which are for rows that are new.
    """
    row = model.__new__(model)
    row.__dict__.update(zip(names, values, strict=True))
    row._state = ModelState()
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return row


def counted(phase: Phase) -> set[UUID]:
    """Submissions of a phase that may stand on its board."""
    found = Submission.objects.filter(phase=phase).counted()
    return set(found.values_list("pk", flat=True))


def entries_per_team(phase: Phase, as_of: datetime | None = None) -> dict[int, int]:
    """How many submissions each participation has in a phase, withdrawn ones too."""
    sent = Q(submissions__phase=phase, submissions__late=False)
    if as_of is not None:
        sent &= Q(submissions__received_at__lte=as_of)
    teams = phase.task.participations.annotate(n=Count("submissions", filter=sent))
    return dict(teams.values_list("pk", "n"))


def descriptions(phase: Phase) -> dict[UUID, SystemDescription]:
    """The newest description of each system of a phase; none before its end."""
    if phase.state() != "over":
        return {}
    sent = Submission.objects.filter(phase=phase).counted()
    found = SystemDescription.objects.filter(submission__in=sent).defer("text")
    return {one.submission_id: one for one in found.order_by("at", "pk")}
