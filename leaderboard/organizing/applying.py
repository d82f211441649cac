"""A changed plan made true, in one transaction."""

from collections.abc import Mapping
from dataclasses import replace

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.organizing import baselines
from leaderboard.organizing.bundles import send_baselines, whole_plan
from leaderboard.organizing.differences import settled
from leaderboard.organizing.obstacles import Kept, obstacles
from leaderboard.submissions.proposing import Correction, UnfitGold, propose
from leaderboard.submissions.revising import CannotRevise
from leaderboard.tasks import blobs
from leaderboard.tasks.creation import add_phase, add_test_set, stored_options
from leaderboard.tasks.current import gold_in_force
from leaderboard.tasks.holding import hold
from leaderboard.tasks.models import GoldFile, Notice, Phase, Task
from leaderboard.tasks.plans import PhasePlan, TaskPlan, TestSetPlan
from leaderboard.teams.models import User
from scoring.errors import Problem, SetupError


def apply(task: Task, plan: TaskPlan, user: User, seen: TaskPlan | None = None) -> None:
    """Change the task into what the plan says, all or nothing.

    A plan made from one that was `seen` is refused where the task is no longer that.
    Gold of test sets that somebody sent files for becomes a draft revision; any other
    is replaced. Raises SetupError with what stands against it.
    """
    with transaction.atomic():
        task = hold(task.pk)
        before = whole_plan(task)
        if seen not in (None, before):
            said = _("The task was changed meanwhile: look again.")
            raise SetupError(Problem("changed_meanwhile", said))
        plan = settled(before, plan)
        kept = Kept.of(task)
        if found := obstacles(kept, before, plan):
            raise SetupError(found)
        corrected = changed_gold(before, plan)
        held = {n: t for n, t in corrected.items() if n in kept.test_sets}
        _propose(task, held, user)
        _write_task(task, plan)
        _write_test_sets(task, plan, kept)
        _write_phases(task, before, plan, user)
        _write_baselines(task, before, plan, user)
        Phase.objects.filter(task=task).update(board_version=F("board_version") + 1)


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
    except CannotRevise as reason:
        raise SetupError(Problem("gold", str(reason))) from None


def _write_task(task: Task, plan: TaskPlan) -> None:
    for name, value in plan.fields().items():
        setattr(task, name, value)
    task.options = stored_options(plan.raw_options)
    for name in ("scorer", "parsed_options", "measures"):
        task.__dict__.pop(name, None)  # computed from what just changed
    task.save()


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
        test_set.save()
        if name not in kept.test_sets:
            _replace_gold(task, one)


def _replace_gold(task: Task, plan: TestSetPlan) -> None:
    """Nothing was scored with the old file: it simply goes."""
    files = GoldFile.objects.filter(
        revision=gold_in_force(task), test_set__name=plan.name
    )
    for file in files:
        file.name, file.units = plan.gold.name, plan.units
        file.sha256 = blobs.keep(plan.gold.single())
        file.save()


def _write_phases(task: Task, before: TaskPlan, plan: TaskPlan, user: User) -> None:
    wanted = {phase.name for phase in plan.phases}
    for phase in task.phases.all():
        if phase.name not in wanted:
            phase.delete()
    known = {phase.name: phase for phase in task.phases.all()}
    revision = gold_in_force(task)
    assert revision is not None
    for position, one in enumerate(plan.phases):
        if one.name not in known:
            add_phase(task, revision, one, position)
        else:
            _write_phase(known[one.name], one, position, user)


def _write_phase(phase: Phase, plan: PhasePlan, position: int, user: User) -> None:
    if phase.closes != plan.closes and not phase.task.draft:
        _announce(phase, plan, user)
    phase.position = position
    for name, value in plan.fields().items():
        setattr(phase, name, value)
    phase.save()
    phase.test_sets.set(phase.task.test_sets.filter(name__in=plan.test_sets))


def _announce(phase: Phase, plan: PhasePlan, user: User) -> None:
    if plan.closes is None:
        text = f"{plan.title} has no end any more."
    else:
        moment = f"{plan.closes.astimezone(phase.zone):%Y-%m-%d %H:%M}"
        text = f"{plan.title} now ends {moment} ({phase.zone.key})."
    Notice.objects.create(
        task=phase.task, phase=phase, kind=Notice.Kind.DEADLINE, text=text, by=user
    )


def _write_baselines(task: Task, before: TaskPlan, plan: TaskPlan, user: User) -> None:
    gone = {one.system for one in before.baselines if one not in plan.baselines}
    now = timezone.now()
    for sent in baselines.sent_baselines(task):
        if sent.system in gone:
            baselines.remove(sent, now)
    new = [one for one in plan.baselines if one not in before.baselines]
    if new:
        send_baselines(task, replace(plan, baselines=tuple(new)), user)
