"""What the front page and a task's page show, decided before the template."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.tasks import policy
from leaderboard.tasks.models import GoldFile, Participation, Phase, Task, TestSet


def told(task: Task) -> dict[str, Any]:
    """What API and archive tell of a task alike."""
    return {
        "slug": task.slug,
        "title": task.title,
        "summary": task.summary,
        "synthetic": task.synthetic,
        "scorer": task.scorer_name,
        "headline": task.headline,
        "measures": [measure.name for measure in task.measures],
    }


@dataclass(frozen=True)
class TaskCard:
    """One task on the front page."""

    task: Task
    state: str
    phase: Phase | None
    teams: int

    @property
    def opens(self) -> datetime | None:
        """When its first phase opens, if that is still to come."""
        return self.phase.opens if self.phase and self.state == "upcoming" else None

    @property
    def closes(self) -> datetime | None:
        """When the open phase closes."""
        return self.phase.closes if self.phase and self.state == "open" else None

    @property
    def closed(self) -> datetime | None:
        """When the last phase closed, if all are over."""
        return self.phase.closes if self.phase and self.state == "over" else None

    @property
    def has_board(self) -> bool:
        return self.phase is not None and self.state != "upcoming"


@dataclass(frozen=True)
class Group:
    state: str
    title: str
    cards: list[TaskCard]


TITLES = {
    "open": _("Open now"),
    "upcoming": _("Opening later"),
    "over": pgettext_lazy("tasks", "Finished"),
}


def tasks_by_state(moment: datetime, user: Any = None) -> list[Group]:
    """Tasks with something open, then those to come, then those that are over.

    Of drafts only the reader's own.
    """
    # Baselines stand under the name of a team without members.
    entered = Q(
        participations__status=Participation.Status.ACTIVE,
        participations__team__memberships__isnull=False,
    )
    teams = Count("participations", filter=entered, distinct=True)
    tasks = policy.visible_tasks(user).annotate(teams=teams).order_by("title", "pk")
    cards = [_card(task, moment) for task in tasks.prefetch_related("phases")]
    return [
        Group(state, str(title), sorted(found, key=_soonest))
        for state, title in TITLES.items()
        if (found := [card for card in cards if card.state == state])
    ]


def _card(task: Any, moment: datetime) -> TaskCard:
    phases = list(task.phases.all())
    by_state = {
        state: [p for p in phases if p.state(moment) == state] for state in TITLES
    }
    state = next((s for s in TITLES if by_state[s]), "upcoming")
    chosen = by_state[state]
    phase = (chosen[-1] if state == "over" else chosen[0]) if chosen else None
    return TaskCard(task, state, phase, task.teams)


def _soonest(card: TaskCard) -> float:
    """Next event first; finished tasks latest first."""
    if card.phase is None:
        return float("inf")
    if card.state == "upcoming":
        return card.phase.opens.timestamp()
    closes = card.phase.closes
    stamp = closes.timestamp() if closes else float("inf")
    return -stamp if card.state == "over" else stamp


@dataclass(frozen=True)
class TestSetCard:
    test_set: TestSet
    units: int


@dataclass(frozen=True)
class PhaseCard:
    """One phase on the task's page. `files` says whether its input is published."""

    phase: Phase
    state: str
    test_sets: Sequence[TestSetCard]
    files: bool

    @property
    def is_open(self) -> bool:
        return self.state == "open"


def phase_cards(task: Task, user: Any) -> list[PhaseCard]:
    phases = task.phases.prefetch_related("test_sets").select_related("gold_revision")
    units = {
        (revision, test_set): count
        for revision, test_set, count in GoldFile.objects.filter(
            revision__task=task
        ).values_list("revision", "test_set", "units")
    }
    now = timezone.now()
    return [
        PhaseCard(
            phase,
            phase.state(now),
            [
                TestSetCard(t, units.get((phase.gold_revision_id, t.pk), 0))
                for t in phase.test_sets.all()
            ],
            policy.sees_blind_files(user, phase),
        )
        for phase in phases
    ]
