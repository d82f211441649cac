"""A bundle is written from a task of the database; same task, same bytes."""

from datetime import UTC, datetime
from typing import Any

import yaml

from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.files import MANIFEST, Folder
from leaderboard.tasks.bundle.schema import (
    FORMAT,
    BoardPlan,
    Bootstrap,
    PhasePlan,
    QuestionPlan,
    RegistrationPlan,
    Scoring,
    TaskPlan,
    TestSetPlan,
)
from leaderboard.tasks.models import (
    GoldFile,
    NamedBoard,
    Phase,
    Question,
    RegistrationQuestion,
    Task,
    raw_options,
)
from leaderboard.web.extras import BundleKey, joined
from scoring.formats.bundle import zip_files
from scoring.source import Source

WIDTH = 88


def plan_of(task: Task) -> TaskPlan:
    """The task with the gold of its newest live revision, without its baselines."""
    return TaskPlan.whole().of_row(
        task,
        description=plain_text(task.description),
        terms=plain_text(task.terms),
        scoring=Scoring.model_construct(
            name=task.scorer_name,
            options=raw_options(task.options),
            judgements=tuple(task.judgements),
            measures=tuple(task.shown_measures),
            headline=task.headline,
            unit=task.unit,
        ),
        bootstrap=Bootstrap.of_row(task),
        test_sets=_test_sets(task),
        phases=tuple(map(phase_plan, task.phases.prefetch_related("test_sets"))),
        boards=tuple(map(BoardPlan.of_row, NamedBoard.objects.filter(task=task))),
        fact_sheet=tuple(map(QuestionPlan.of_row, Question.objects.filter(task=task))),
        registration=tuple(
            map(RegistrationPlan.of_row, RegistrationQuestion.objects.filter(task=task))
        ),
        **{key.name: key.read(task) for key in joined(BundleKey)},
    )


def phase_plan(phase: Phase) -> PhasePlan:
    names = tuple(test_set.name for test_set in phase.test_sets.all())
    return PhasePlan.of_row(phase, test_sets=names)


def plain_text(text: str) -> str:
    """Text as a file gives it back: browsers send other line ends."""
    return text.replace("\r\n", "\n").removeprefix("\ufeff").strip()


def _test_sets(task: Task) -> tuple[TestSetPlan, ...]:
    files = GoldFile.objects.filter(revision=task.gold_revisions.live())
    return tuple(
        TestSetPlan.of_row(
            file.test_set,
            gold=Source.of_bytes(file.name, blobs.read(file.sha256)),
            blind=file.test_set.blind(),
            units=file.units,
        )
        for file in files.select_related("test_set").order_by("test_set__position")
    )


def pack_bundle(plan: TaskPlan) -> Source:
    """The bundle as one zip, `<slug>.zip`."""
    return zip_files(f"{plan.slug}.zip", bundle_of_plan(plan).files)


def bundle_of_plan(plan: TaskPlan) -> Source:
    """The files of the bundle; reading them gives an equal plan."""
    folder = Folder()
    table = plan.model_dump(by_alias=True, exclude_defaults=True, context=folder)
    for index, test_set in enumerate(table.get("test_sets", ())):
        if test_set["position"] == index:
            del test_set["position"]
    text = yaml.dump(
        {"plumbline": FORMAT, **_plain(table)},
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        width=WIDTH,
    )
    return Source(plan.slug, {MANIFEST: text.encode(), **folder.files})


def _plain(value: Any) -> Any:
    """A value for YAML: without keys that are None, and with lists in place of
    tuples."""
    if isinstance(value, dict):
        return {k: _plain(inner) for k, inner in value.items() if inner is not None}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value


class _Dumper(yaml.SafeDumper):
    """Plain YAML: no aliases, times with their offset, lists set in."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        super().increase_indent(flow, False)


def _time(dumper: yaml.SafeDumper, value: datetime) -> yaml.ScalarNode:
    offset = value.utcoffset()
    assert offset is not None
    whole = value if offset.total_seconds() % 60 == 0 else value.astimezone(UTC)
    text = whole.isoformat().replace("+00:00", "Z")
    return dumper.represent_scalar("tag:yaml.org,2002:timestamp", text)


_Dumper.add_representer(datetime, _time)
