"""A task out of a checked bundle, and the rows that its parts become."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import IO, Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from leaderboard.sandbox import client
from leaderboard.sandbox.program_environment import inventory
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.bundle.load import declared_plan, load
from leaderboard.tasks.bundle.schema import (
    AnyQuestionPlan,
    BoardPlan,
    PhasePlan,
    RawOptions,
    TaskPlan,
    TestSetPlan,
)
from leaderboard.tasks.models import (
    GoldFile,
    GoldRevision,
    Organizer,
    Phase,
    Task,
    TestSet,
)
from leaderboard.tasks.models.task import plain_address
from leaderboard.tasks.organizer_quota import require_new_bundle, require_new_task
from leaderboard.tasks.phase_rules import too_few
from leaderboard.teams.models import User
from leaderboard.web.extras import BundleKey, Importer, joined
from scoring.errors import Problem, Refused, SetupError
from scoring.messages import Messages
from scoring.sandbox.codec import Request, Values
from scoring.sandbox.fork import JobFailed, LimitExceeded, Limits
from scoring.source import Source

MESSAGES = Messages(
    slug=gettext_noop("a task with the slug '%(slug)s' exists"),
    other_slug=gettext_noop(
        "Give it another `slug` in task.yaml. To change that task, apply the "
        "bundle on its own page."
    ),
    another_site=gettext_noop(
        "this is a bundle of another site, which cannot change a task"
    ),
    new_task=gettext_noop("Upload it as a new task."),
    cpu=gettext_noop("%(seconds)s s of processor time"),
    memory=gettext_noop("%(size)s MiB of memory"),
    writing=gettext_noop("it may write"),
    limit=gettext_noop("reading the bundle takes more than %(limit)s"),
    failed=gettext_noop("reading the bundle failed: %(reason)s"),
)

WITH_PART = gettext_noop(
    "“%(phase)s”: with a private part no measure may be given for a whole file, which "
    "would tell of that part: %(measures)s."
)
BUNDLE_LIMITS = Limits(cpu_seconds=60, wall_seconds=120, memory_bytes=1 << 30)


def create_task(source: Source, organizer: User | None) -> Task:
    """Create a task out of a bundle, all but its baselines.

    Raises SetupError when the bundle is wrong or its slug is taken.
    """
    return create(load(source), organizer)


def create(plan: TaskPlan, organizer: User | None) -> Task:
    """Create a task with its test sets, first gold revision and phases.

    Raises SetupError when the slug is odd or taken, or a part has too few units, and
    OverQuota.
    """
    _require_plain(plan.slug)
    require_units(plan)
    require_new_task(organizer, plan)
    try:
        with transaction.atomic():
            return _create(plan, organizer)
    except IntegrityError:
        if not Task.objects.filter(slug=plan.slug).exists():
            raise
        message = MESSAGES("slug", slug=plan.slug)
        hint = MESSAGES("other_slug")
        raise SetupError(Problem("slug", message, "task.yaml", hint=hint)) from None


def _require_plain(slug: str) -> None:
    """Raises SetupError for the address of a new task in which capitals stand."""
    try:
        plain_address(slug)
    except ValidationError as error:
        raise SetupError(Problem("slug", error.messages[0], "task.yaml")) from None


def require_units(plan: TaskPlan, before: TaskPlan | None = None) -> None:
    """Raises SetupError for a new or changed phase with parts of too few units."""
    old = {} if before is None else {phase.name: phase for phase in before.phases}
    sentences: list[str] = []
    for phase in plan.phases:
        if (earlier := old.get(phase.name)) and _same_parts(earlier, phase):
            continue
        chosen = phase.test_sets
        units = {
            test_set.title: test_set.units
            for test_set in plan.test_sets
            if test_set.name in chosen
        }
        sentences += too_few(phase, units)
        whole = [
            measure.title
            for measure in plan.scoring.scorer.measures(())
            if measure.of_file
        ]
        if phase.private_share is not None and whole:
            names = {"phase": phase.title, "measures": ", ".join(whole)}
            sentences.append(_(WITH_PART) % names)
    if sentences:
        raise SetupError(
            [Problem("few_units", sentence, "task.yaml") for sentence in sentences]
        )


def _same_parts(old: PhasePlan, new: PhasePlan) -> bool:
    names = ("private_share", "test_sets")
    return all(getattr(old, name) == getattr(new, name) for name in names)


def _create(plan: TaskPlan, organizer: User | None) -> Task:
    task = Task(options=stored_options(plan.scoring.options), **plan.fields())
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
    for entry in plan.test_sets:
        add_test_set(task, entry)
    for position, phase in enumerate(plan.phases):
        add_phase(task, revision, phase, position)
    write_parts(task.named_boards, plan.boards)
    write_parts(task.questions, plan.fact_sheet)
    write_parts(task.registration_questions, plan.registration)
    write_added(task, plan)
    return task


def write_added(task: Task, plan: TaskPlan) -> None:
    """Make the rows of extras those of the bundle, once phases and test sets are."""
    for key in joined(BundleKey):
        key.write(task, plan.extra_parts[key.name])


def write_parts(rows: Any, plans: Sequence[BoardPlan | AnyQuestionPlan]) -> None:
    """Make the boards or questions of a task those of the bundle, in its order."""
    names = [plan.name for plan in plans]
    for row in rows.exclude(name__in=names):
        row.delete()
    for position, plan in enumerate(plans):
        values = {**plan.fields(), "position": position}
        rows.update_or_create(name=plan.name, defaults=values)


def stored_options(raw: RawOptions) -> dict[str, list[str | dict[str, str]]]:
    """Option values for the database: files by name and hash."""
    return {
        name: [
            value
            if isinstance(value, str)
            else {"file": value.name, "sha256": blobs.keep(value.single())}
            for value in values
        ]
        for name, values in raw.items()
    }


def add_test_set(task: Task, plan: TestSetPlan) -> TestSet:
    """A test set with its gold in every revision that is not discarded."""
    test_set = TestSet.objects.create(
        task=task,
        blind_name=plan.blind.name,
        blind_sha256=blobs.keep(plan.blind.single()),
        **plan.fields(),
    )
    digest = blobs.keep(plan.gold.single())
    GoldFile.objects.bulk_create(
        GoldFile(
            revision=revision,
            test_set=test_set,
            name=plan.gold.name,
            sha256=digest,
            units=plan.units,
        )
        for revision in task.gold_revisions.filter(discarded_at__isnull=True)
    )
    return test_set


def add_phase(
    task: Task, revision: GoldRevision, plan: PhasePlan, position: int
) -> Phase:
    phase = Phase.objects.create(
        task=task, position=position, gold_revision=revision, **plan.fields()
    )
    phase.test_sets.set(task.test_sets.filter(name__in=plan.test_sets))
    return phase


@dataclass(frozen=True)
class Opened:
    """The plan of a bundle; an importer made it of another site's, with report rows."""

    plan: TaskPlan
    importer: Importer | None = None
    rows: Any = ()


@dataclass(frozen=True)
class Draft:
    """A new task; of another site's bundle, lines on what was taken, and what left."""

    task: Task
    taken: Sequence[str] = ()
    left: Sequence[str] = ()


def open_bundle(name: str, file: IO[bytes], by: User | None) -> Opened:
    """The plan of a stranger's zip, whose gold a job of the sandbox reads.

    A bundle of another site comes back as one of this site, with the report on it.
    Raises SetupError for a bundle that cannot be read, or only beyond the limits,
    OverQuota for one more than `by` may send today, and QueueFull.
    """
    require_new_bundle(by)
    data = file.read()
    answer, files = _try_bundle(name, data)
    importers = {importer.route: importer for importer in joined(Importer)}
    if importer := importers.get(answer.get("importer")):
        data = files.pop(0)
    plan = declared_plan(unzip(name, BytesIO(data)))
    return Opened(_with_answer(plan, answer, files), importer, answer.get("rows"))


def _with_answer(plan: TaskPlan, answer: Values, blind_files: list[bytes]) -> TaskPlan:
    """A plan with its gold as `with_gold` makes it, from the answer of the job."""
    blinds = map(Source.of_bytes, answer["made"], blind_files)
    test_sets = tuple(
        test_set.with_values(blind=test_set.blind or next(blinds), units=int(units))
        for test_set, units in zip(plan.test_sets, answer["units"], strict=True)
    )
    return plan.with_unit(str(answer["unit"])).with_values(test_sets=test_sets)


def uploaded_plan(name: str, file: IO[bytes], by: User | None) -> TaskPlan:
    """The same for a bundle of this site only, as what a task is changed by."""
    bundle = open_bundle(name, file, by)
    if bundle.importer:
        message = MESSAGES("another_site")
        hint = MESSAGES("new_task")
        raise SetupError(Problem("another_site", message, name, hint=hint))
    return bundle.plan


def _try_bundle(name: str, data: bytes) -> tuple[Values, list[bytes]]:
    """Raises SetupError with what is wrong in the zip, or with the limit it passed."""
    programs = inventory()
    about = {"modules": sorted(programs.modules), "version": programs.version}
    request = Request({"name": name, **about}, [data])
    try:
        return client.run("bundle", request, BUNDLE_LIMITS)
    except LimitExceeded as limit:
        needed = {
            "cpu": MESSAGES("cpu", seconds=BUNDLE_LIMITS.cpu_seconds),
            "memory": MESSAGES("memory", size=BUNDLE_LIMITS.memory_bytes >> 20),
        }.get(limit.what, MESSAGES("writing"))
        message = MESSAGES("limit", limit=needed)
        raise SetupError(Problem("bundle_limit", message)) from None
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    except JobFailed as fault:
        message = MESSAGES("failed", reason=fault)
        raise SetupError(Problem("check_failed", message, name)) from None
