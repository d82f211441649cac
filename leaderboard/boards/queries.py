"""The big reads of boards, as plain values."""

from collections.abc import Mapping
from datetime import datetime
from itertools import starmap
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count

from leaderboard.submissions.models import (
    Evaluation,
    State,
    Submission,
    SystemDescription,
)
from leaderboard.submissions.scores import newest
from leaderboard.tasks.models import Participation, Phase

OF_EVALUATION = ("pk", "submission_id", "gold_revision_id", "engine", "complete")

OF_TEAM = {"ranks_anyway": "submission__participation__ranks_anyway"}


class Sent(NamedTuple):
    """A scored submission as far as a row of a board is made of it.

    A board of thousands is read to show a hundred. Objects of the models would take
    several times as long, and the memory.
    """

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str
    complete: bool
    participation_id: int
    system: str
    baseline: bool
    picked: bool
    received_at: datetime
    admitted_at: datetime | None
    by_organizers: bool = False
    ranks_anyway: bool = False
    runs: int = 1
    facts: Mapping[str, Any] = {}

    @property
    def competes(self) -> bool:
        """Whether it may have a rank: no baseline, and no organizers' team."""
        return not self.baseline and (self.ranks_anyway or not self.by_organizers)

    @property
    def stands_for(self) -> object:
        """One row each is left of these: a team, or a baseline by itself."""
        return self.submission_id if self.baseline else self.participation_id

    @property
    def last(self) -> tuple[datetime, int]:
        """Greater for what came later."""
        return self.received_at, self.pk


class Named(NamedTuple):
    name: str


class Entry(NamedTuple):
    """Who takes part in a task, as far as boards name it."""

    pk: int
    merged_into_id: int | None
    anonymous: bool
    alias: int | None
    team: Named


def scored(phase: Phase, withdrawn: bool = False) -> list[Sent]:
    """What was scored in a phase under the one revision it shows, in order of receipt.

    Of each submission the evaluation that was made last. `withdrawn` asks also for
    what may not stand on the board any more. One query.
    """
    # Decoding the answers of a thousand fact sheets takes longer than ranking them.
    wanted = Sent._fields if phase.task.fact_sheet else Sent._fields[:-1]
    fields = (
        f if f in OF_EVALUATION else OF_TEAM.get(f, f"submission__{f}") for f in wanted
    )
    of_phase = Submission.objects.filter(phase=phase)
    found = Evaluation.objects.filter(
        submission__in=of_phase.filter(late=False) if withdrawn else of_phase.counted(),
        gold_revision=phase.gold_revision_id,
        state=State.SCORED,
    ).order_by("submission__received_at", "pk")
    return newest(starmap(Sent, found.values_list(*fields)))


def entries(phase: Phase) -> dict[int, Entry]:
    """Who takes part in the task, by id. One query: a team has many submissions."""
    fields = (*Entry._fields[:-1], "team__name")
    rows = Participation.objects.filter(task=phase.task_id).values_list(*fields)
    return {row[0]: Entry(*row[:-1], Named(row[-1])) for row in rows}


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
