"""The plan that a task in the database is: what a bundle of it would say."""

from collections.abc import Mapping
from typing import Any

from leaderboard.tasks import blobs
from leaderboard.tasks.bundle_extras import BOARD_KEYS
from leaderboard.tasks.facts import questions
from leaderboard.tasks.models import GoldFile, GoldRevision, Phase, Task, raw_options
from leaderboard.tasks.plans import PhasePlan, TaskPlan, TestSetPlan
from scoring.source import Source

PHASE_FIELDS = (
    "name",
    "title",
    "opens",
    "closes",
    "time_zone",
    "policy",
    "reveal_at",
    "freeze_from",
    "publication",
    "step",
    "private_share",
    "salt",
    "counts",
    "daily_limit",
    "total_limit",
    "most_runs",
    "who",
    "paused",
    "paused_note",
)
TASK_FIELDS = (
    "slug",
    "title",
    "summary",
    "synthetic",
    "headline",
    "unit",
    "resamples",
    "seed",
    "level",
    "draft",
    "entry",
    "allows_anonymous",
    "prizes",
    "margin",
)


def plan_of(task: Task) -> TaskPlan:
    """The task with the gold of its newest live revision, without its baselines."""
    return TaskPlan(
        **{name: getattr(task, name) for name in TASK_FIELDS},
        description=plain_text(task.description),
        scorer=task.scorer,
        raw_options=raw_options(task.options),
        measures=tuple(task.shown_measures),
        boards=tuple(_board(table) for table in task.boards),
        fact_sheet=tuple(one.as_table() for one in questions(task)),
        mail_domains=tuple(task.mail_domains),
        test_sets=_test_sets(task),
        phases=tuple(
            phase_plan(phase) for phase in task.phases.prefetch_related("test_sets")
        ),
    )


def _board(table: Mapping[str, Any]) -> dict[str, Any]:
    """With every key, whoever wrote it."""
    usual = {"title": table["name"], "measures": [], "test_sets": []}
    return {**usual, **{key: table[key] for key in BOARD_KEYS if key in table}}


def plain_text(text: str) -> str:
    """Text as a file gives it back: browsers send other line ends."""
    return text.replace("\r\n", "\n").removeprefix("\ufeff").strip()


def phase_plan(phase: Phase) -> PhasePlan:
    values = {name: getattr(phase, name) for name in PHASE_FIELDS}
    return PhasePlan(test_sets=tuple(t.name for t in phase.test_sets.all()), **values)


def gold_in_force(task: Task) -> GoldRevision | None:
    """The revision that became live last and is not discarded."""
    live = task.gold_revisions.filter(live_at__isnull=False, discarded_at__isnull=True)
    return live.order_by("live_at", "number").last()


def _test_sets(task: Task) -> tuple[TestSetPlan, ...]:
    files = GoldFile.objects.filter(revision=gold_in_force(task))
    return tuple(
        _test_set(file)
        for file in files.select_related("test_set").order_by("test_set__position")
    )


def _test_set(file: GoldFile) -> TestSetPlan:
    test_set = file.test_set
    return TestSetPlan(
        name=test_set.name,
        title=test_set.title,
        gold=Source.of_bytes(file.name, blobs.read(file.sha256)),
        blind=test_set.blind(),
        units=file.units,
        position=test_set.position,
    )
