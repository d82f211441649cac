"""Changing a task into what a bundle says: what stands against it, and doing it."""

from collections.abc import Iterator, Mapping
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.organize import baselines, phases
from leaderboard.organize.baselines import send_baselines, whole_plan
from leaderboard.organize.fact_sheet import answered
from leaderboard.organize.phase_form import PhaseValues, effects
from leaderboard.organize.phases import announce_pause
from leaderboard.submissions.gold.check import Correction, UnfitGold, propose
from leaderboard.submissions.models import Submission, SubmittedFile
from leaderboard.tasks import blobs, phase_rules
from leaderboard.tasks.access import lock_phases, lock_task
from leaderboard.tasks.bundle.create import (
    add_phase,
    add_test_set,
    require_units,
    stored_options,
    write_parts,
)
from leaderboard.tasks.bundle.diff import settled
from leaderboard.tasks.bundle.schema import (
    PhasePlan,
    QuestionPlan,
    TaskPlan,
    TestSetPlan,
)
from leaderboard.tasks.models import GoldFile, Notice, Phase, Task
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.languages import in_english
from scoring.errors import Problem, SetupError

OF_PHASE = ("test_sets", "private_share", "salt")


@dataclass(frozen=True)
class SentParts:
    """What was sent: names of phases, test sets with files, answered questions.

    `declared` are the phases with a final ranking.
    """

    phases: frozenset[str]
    test_sets: frozenset[str]
    questions: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, task: Task) -> "SentParts":
        sent = Submission.objects.filter(phase__task=task)
        answers = answered(task, task.questions.all())
        files = SubmittedFile.objects.filter(submission__phase__task=task)
        return cls(
            frozenset(sent.values_list("phase__name", flat=True)),
            frozenset(files.values_list("test_set__name", flat=True)),
            frozenset(name for name, number in answers.items() if number),
            frozenset(
                task.phases.exclude(declared_at=None).values_list("name", flat=True)
            ),
        )

    def __bool__(self) -> bool:
        return bool(self.phases)


def blockers(kept: SentParts, before: TaskPlan, after: TaskPlan) -> list[Problem]:
    """Every reason against a change, with what to do instead."""
    return [*_of_task(kept, before, after), *_of_parts(kept, before, after)]


def what_to_do(task_is_draft: bool) -> str:
    """How to change what is fixed."""
    if task_is_draft:
        return _("Remove the baselines that were sent, then change it.")
    return _("Make a new task: download the bundle, give it another slug, upload it.")


def _of_task(kept: SentParts, before: TaskPlan, after: TaskPlan) -> Iterator[Problem]:
    if before.slug != after.slug:
        message = _("the bundle is of the task “{other}”, this one is “{own}”").format(
            other=after.slug, own=before.slug
        )
        hint = _("Upload it as a new task, or write this task's slug into it.")
        yield Problem("slug", message, "task.yaml", hint=hint)
    if before.draft and not after.draft:
        hint = _("Leave 'draft: true' in the bundle and publish after the check.")
        yield Problem(
            "draft", _("a bundle does not publish a task"), "task.yaml", hint=hint
        )
    if not kept:
        return
    message = _("'{name}' cannot change any more: submissions were scored with it")
    old = _fixed(before)
    for name, value in _fixed(after).items():
        if value != old[name]:
            text, hint = message.format(name=name), what_to_do(before.draft)
            yield Problem("fixed", text, "task.yaml", hint=hint)


def _fixed(plan: TaskPlan) -> dict[str, Any]:
    """A change of these gives other scores, or intervals, than those on the board."""
    scoring = plan.scoring
    return {
        "scorer": scoring.name,
        "options": scoring.options,
        "unit": scoring.unit,
        **plan.bootstrap.model_dump(),
    }


def _of_parts(kept: SentParts, before: TaskPlan, after: TaskPlan) -> Iterator[Problem]:
    phases = {phase.name: phase for phase in after.phases}
    for phase in before.phases:
        if phase.name in kept.phases:
            yield from _of_phase(phase, phases.get(phase.name))
        # Of a draft that nobody sent anything to nothing was promised.
        if phase.name in phases and (phase.name in kept.phases or not before.draft):
            yield from _of_times(phase, phases[phase.name], kept)
    test_sets = {test_set.name: test_set for test_set in after.test_sets}
    for test_set in before.test_sets:
        if test_set.name in kept.test_sets:
            yield from _of_test_set(test_set, test_sets.get(test_set.name))
    questions = {one.name: one for one in after.fact_sheet}
    for question in before.fact_sheet:
        if question.name in kept.questions:
            yield from _of_question(question, questions.get(question.name))


def _of_phase(before: PhasePlan, after: PhasePlan | None) -> Iterator[Problem]:
    if after is None:
        message = _("phase '{name}' cannot be removed: submissions were sent to it")
        hint = _("Close it, or pause it.")
        yield Problem("phase", message.format(name=before.name), "task.yaml", hint=hint)
        return
    for name in OF_PHASE:
        if getattr(before, name) != getattr(after, name):
            message = _(
                "phase '{phase}': '{name}' cannot change any more: "
                "submissions were scored with it"
            )
            hint = _("Add a phase with the new values beside it.")
            text = message.format(phase=before.name, name=name)
            line = after.lines.get(name)
            yield Problem("phase", text, "task.yaml", line, hint=hint)


def _of_times(
    before: PhasePlan, after: PhasePlan, kept: SentParts
) -> Iterator[Problem]:
    declared = before.name in kept.declared
    for name, why in phase_rules.moved(
        before, after, timezone.now(), declared=declared
    ):
        text = _("phase '{phase}': '{name}': {why}").format(
            phase=before.name, name=name, why=why
        )
        yield Problem("phase", text, "task.yaml", after.lines.get(name))


def _of_question(before: QuestionPlan, after: QuestionPlan | None) -> Iterator[Problem]:
    if after is None:
        message = _("question '{name}' cannot be removed: it was answered")
        hint = _("Write 'hidden: true' into it instead; its answers are kept.")
    elif before.kind != after.kind:
        message = _("question '{name}': its kind cannot change: it was answered")
        hint = _("Hide it, and add a question of the new kind.")
    else:
        return
    yield Problem(
        "fact_sheet", message.format(name=before.name), "task.yaml", hint=hint
    )


def _of_test_set(before: TestSetPlan, after: TestSetPlan | None) -> Iterator[Problem]:
    if after is None:
        message = _("test set '{name}' cannot be removed: files were sent for it")
        hint = _("Take it out of the phases to come instead.")
        yield Problem(
            "test_set", message.format(name=before.name), "task.yaml", hint=hint
        )
        return
    if before.blind != after.blind:
        message = _(
            "test set '{name}': the blind file cannot change any more: "
            "files were made from it"
        )
        hint = _("Add a test set with the new file beside it.")
        yield Problem(
            "blind", message.format(name=before.name), before.blind.name, hint=hint
        )
    if before.position != after.position:
        message = _(
            "test set '{name}': its place cannot change any more: "
            "it decides the draws of the intervals"
        )
        yield Problem("position", message.format(name=before.name), "task.yaml")


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
        kept = SentParts.of(task)
        require_units(plan, before)
        if found := blockers(kept, before, plan):
            raise SetupError(found)
        corrected = changed_gold(before, plan)
        held = {n: t for n, t in corrected.items() if n in kept.test_sets}
        _propose(task, held, user)
        lock_phases(task.pk)  # what is sent from here on finds the changed task
        if SentParts.of(task) != kept:
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
    write_parts(task.named_boards, plan.boards)
    write_parts(task.questions, plan.fact_sheet)


def _write_test_sets(task: Task, plan: TaskPlan, kept: SentParts) -> None:
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
