"""A task out of a checked bundle."""

from pathlib import Path
from typing import IO

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from leaderboard.tasks import blobs
from leaderboard.tasks.bundle import TaskPlan, load
from leaderboard.tasks.models import (
    GoldFile,
    GoldRevision,
    Organizer,
    Phase,
    Task,
    TestSet,
)
from leaderboard.teams.models import User
from scoring.errors import Problem, Refused, SetupError
from scoring.formats.bundle import members
from scoring.source import Source


def create_task(source: Source, organizer: User | None) -> Task:
    """Create a task with its test sets, first gold revision and phases.

    Raises SetupError when the bundle is wrong or its slug is taken.
    """
    plan = load(source)
    try:
        with transaction.atomic():
            return _create(plan, organizer)
    except IntegrityError:
        message = f"a task with the slug '{plan.slug}' exists"
        raise SetupError(Problem("slug", message, "task.yaml")) from None
    except ValidationError as error:
        raise SetupError(_invalid(error)) from None


def _invalid(error: ValidationError) -> list[Problem]:
    return [
        Problem("value", f"'{field}': {text}", "task.yaml")
        for field, texts in error.message_dict.items()
        for text in texts
    ]


def _create(plan: TaskPlan, organizer: User | None) -> Task:
    task = Task(
        slug=plan.slug,
        title=plan.title,
        summary=plan.summary.strip("-"),
        description=plan.description,
        synthetic=plan.synthetic,
        scorer_name=plan.scorer.name,
        options={name: _stored(values) for name, values in plan.raw_options.items()},
        shown_measures=list(plan.measures),
        headline=plan.headline,
        unit=plan.unit,
        resamples=plan.resamples,
        seed=plan.seed,
        level=plan.level,
    )
    task.full_clean(validate_unique=False)
    task.save()
    if organizer is not None:
        Organizer.objects.create(task=task, user=organizer)
    revision = GoldRevision.objects.create(
        task=task,
        number=1,
        note="First gold",
        created_by=organizer,
        live_at=timezone.now(),
    )
    test_sets = _create_test_sets(task, revision, plan)
    _create_phases(task, revision, plan, test_sets)
    return task


def _stored(values: list[str | Source]) -> list[str | dict[str, str]]:
    """Option values for the database: files by name and hash."""
    return [
        value
        if isinstance(value, str)
        else {"file": value.name, "sha256": blobs.keep(value.single())}
        for value in values
    ]


def _create_test_sets(
    task: Task, revision: GoldRevision, plan: TaskPlan
) -> dict[str, TestSet]:
    created = {}
    for position, entry in enumerate(plan.test_sets):
        test_set = TestSet.objects.create(
            task=task,
            name=entry.name,
            title=entry.title,
            position=position,
            blind_name=entry.blind.name,
            blind_sha256=blobs.keep(entry.blind.single()),
        )
        GoldFile.objects.create(
            revision=revision,
            test_set=test_set,
            name=entry.gold.name,
            sha256=blobs.keep(entry.gold.single()),
            units=entry.units,
        )
        created[entry.name] = test_set
    return created


def _create_phases(
    task: Task, revision: GoldRevision, plan: TaskPlan, test_sets: dict[str, TestSet]
) -> None:
    for position, entry in enumerate(plan.phases):
        phase = Phase(
            task=task,
            name=entry.name,
            title=entry.title,
            position=position,
            opens=entry.opens,
            closes=entry.closes,
            daily_limit=entry.daily_limit,
            gold_revision=revision,
        )
        phase.full_clean()
        phase.save()
        phase.test_sets.set([test_sets[name] for name in entry.test_sets])


def bundle_of(path: Path) -> Source:
    """A bundle from a folder or a zip file.

    Raises SetupError for a zip that is broken or too large.
    """
    if path.is_dir():
        return Source.of_path(path)
    with path.open("rb") as file:
        return unzipped(path.name, file)


def unzipped(name: str, file: IO[bytes]) -> Source:
    """The members of a zip as a Source.

    Raises SetupError for one whose structure or sizes are not plain.
    """
    try:
        return Source(name, members(Source.of_bytes(name, file.read())))
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
