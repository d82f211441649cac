"""A changed plan made true, in one transaction."""

from collections.abc import Mapping
from copy import copy
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.organize import baselines, phases
from leaderboard.organize.baselines import send_baselines, whole_plan
from leaderboard.organize.differences import settled
from leaderboard.organize.obstacles import Kept, obstacles
from leaderboard.organize.phase_form import PhaseValues, effects
from leaderboard.organize.phases import announce_pause
from leaderboard.submissions.gold.check import Correction, UnfitGold, propose
from leaderboard.tasks import blobs
from leaderboard.tasks.bundle.create import (
    add_phase,
    add_test_set,
    require_units,
    stored_options,
)
from leaderboard.tasks.bundle.schema import PhasePlan, TaskPlan, TestSetPlan
from leaderboard.tasks.lock import lock_phases, lock_task
from leaderboard.tasks.models import GoldFile, Notice, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.languages import in_english
from scoring.errors import Problem, SetupError

CHANGED = "changed_meanwhile"


def apply(
    task: Task,
    plan: TaskPlan,
    user: User,
    seen: TaskPlan | None = None,
    asked_at: datetime | None = None,
) -> None:
    """Change the task into what the plan says, all or nothing.

    A plan made from one that was `seen` is refused where the task is no longer that.
    Gold of test sets that somebody sent files for becomes a draft revision; any other
    is replaced. `asked_at` is when the request came, see `deadlines.let_in`. Raises
    SetupError with what stands against it.
    """
    with transaction.atomic():
        task = lock_task(task.pk)
        before = whole_plan(task)
        ends = dict(task.phases.values_list("pk", "closes"))
        if seen not in (None, before):
            raise _changed_meanwhile()
        plan = settled(before, plan)
        kept = Kept.of(task)
        require_units(plan, before)
        if found := obstacles(kept, before, plan):
            raise SetupError(found)
        corrected = changed_gold(before, plan)
        held = {n: t for n, t in corrected.items() if n in kept.test_sets}
        _propose(task, held, user)
        lock_phases(task.pk)  # what is sent from here on finds the changed task
        if Kept.of(task) != kept:
            raise _changed_meanwhile()
        _write_task(task, plan)
        _write_test_sets(task, plan, kept)
        _write_phases(task, before, plan, user)
        _write_baselines(task, before, plan, user)
        Phase.objects.filter(task=task).touch_boards()
        for phase in task.phases.filter(pk__in=ends):
            phases.let_in(phase, ends[phase.pk], asked_at, user)


def _changed_meanwhile() -> SetupError:
    said = _("The task was changed meanwhile: look again.")
    return SetupError(Problem(CHANGED, said))


def changed_gold(before: TaskPlan, after: TaskPlan) -> dict[str, TestSetPlan]:
    """Test sets that stay and whose gold changes, by name."""
    old = {test_set.name: test_set.gold for test_set in before.test_sets}
    return {
        one.name: one
        for one in after.test_sets
        if one.name in old and one.gold.sha256 != old[one.name].sha256
    }


def _propose(task: Task, corrected: Mapping[str, TestSetPlan], user: User) -> None:
    """Corrected gold under which submissions are scored anew before it counts."""
    if not corrected:
        return
    files = {
        test_set: SimpleUploadedFile(
            corrected[test_set.name].gold.name, corrected[test_set.name].gold.single()
        )
        for test_set in task.test_sets.filter(name__in=corrected)
    }
    try:
        propose(Correction(task, files, user, _("From a changed bundle")))
    except UnfitGold as unfit:
        raise SetupError(unfit.problems) from None
    except Refusal as reason:
        raise SetupError(Problem("gold", str(reason))) from None


def _write_task(task: Task, plan: TaskPlan) -> None:
    for name, value in plan.fields().items():
        setattr(task, name, value)
    task.options = stored_options(plan.scoring.options)
    for name in ("scorer", "parsed_options", "measures"):
        task.__dict__.pop(name, None)  # computed from what just changed
    task.save(update_fields=[*plan.fields(), "options"])


def _write_test_sets(task: Task, plan: TaskPlan, kept: Kept) -> None:
    wanted = {test_set.name: test_set for test_set in plan.test_sets}
    for test_set in task.test_sets.all():
        if test_set.name not in wanted:
            test_set.delete()
    known = {test_set.name: test_set for test_set in task.test_sets.all()}
    for name, one in wanted.items():
        if name not in known:
            add_test_set(task, one)
            continue
        test_set = known[name]
        test_set.title, test_set.position = one.title, one.position
        test_set.blind_name = one.blind.name
        test_set.blind_sha256 = blobs.keep(one.blind.single())
        test_set.save(update_fields=["title", "position", "blind_name", "blind_sha256"])
        if name not in kept.test_sets:
            _replace_gold(task, one)


def _replace_gold(task: Task, plan: TestSetPlan) -> None:
    """Nothing was scored with the old file: it simply goes."""
    files = GoldFile.objects.filter(
        revision=task.gold_revisions.live(), test_set__name=plan.name
    )
    for file in files:
        file.name, file.units = plan.gold.name, plan.units
        file.sha256 = blobs.keep(plan.gold.single())
        file.save(update_fields=["name", "units", "sha256"])


def _write_phases(task: Task, before: TaskPlan, plan: TaskPlan, user: User) -> None:
    wanted = {phase.name for phase in plan.phases}
    for phase in task.phases.all():
        if phase.name not in wanted:
            phase.delete()
    known = {phase.name: phase for phase in task.phases.all()}
    revision = task.gold_revisions.live()
    assert revision is not None
    for position, one in enumerate(plan.phases):
        if one.name not in known:
            add_phase(task, revision, one, position)
        else:
            _write_phase(known[one.name], one, position, user)


def _write_phase(phase: Phase, plan: PhasePlan, position: int, user: User) -> None:
    before = PhaseValues(copy(phase), _keys(phase.test_sets), set())
    phase.position = position
    for name, value in plan.fields().items():
        setattr(phase, name, value)
    # Nothing else of it: gold and ranking are changed elsewhere.
    phase.save(update_fields=["position", *plan.fields()])
    phase.test_sets.set(phase.task.test_sets.filter(name__in=plan.test_sets))
    if phase.paused != before.phase.paused:
        announce_pause(phase, user)
    if not phase.task.draft:
        _announce(before, phase, plan, user)


def _keys(rows: QuerySet[Any]) -> set[int]:
    return set(rows.values_list("pk", flat=True))


def _announce(before: PhaseValues, phase: Phase, plan: PhasePlan, user: User) -> None:
    """Say in public what changes for those who take part, as form and deadline do."""
    old = before.phase
    if old.closes != plan.closes:
        _note(phase, Notice.Kind.DEADLINE, _new_end(phase, plan), user)
    if old.state() != "upcoming" or phase.submissions.exists():
        after = PhaseValues(phase, _keys(phase.test_sets), set())
        with in_english():
            unfair = [str(one) for one in effects(before, after)]
        if unfair:
            text = " ".join([f"{plan.title}:", *unfair])
            _note(phase, Notice.Kind.RULES, text, user)


def _new_end(phase: Phase, plan: PhasePlan) -> str:
    if plan.closes is None:
        return f"{plan.title} has no end any more."
    moment = f"{plan.closes.astimezone(phase.zone):%Y-%m-%d %H:%M}"
    return f"{plan.title} now ends {moment} ({phase.zone.key})."


def _note(phase: Phase, kind: Notice.Kind, text: str, user: User) -> None:
    Notice.objects.create(task=phase.task, phase=phase, kind=kind, text=text, by=user)


def _write_baselines(task: Task, before: TaskPlan, plan: TaskPlan, user: User) -> None:
    gone = {one.system for one in before.baselines if one not in plan.baselines}
    now = timezone.now()
    for sent in baselines.sent_baselines(task):
        if sent.system in gone:
            baselines.withdraw(sent, now)
    new = [one for one in plan.baselines if one not in before.baselines]
    if new:
        send_baselines(task, plan.changed(baselines=tuple(new)), user)
