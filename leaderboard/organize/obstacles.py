"""What no change may do once something was sent: it would break what is kept."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.organize.fact_sheet import answered
from leaderboard.submissions.models import Submission, SubmittedFile
from leaderboard.tasks import phase_rules
from leaderboard.tasks.bundle.schema import PhasePlan, Question, TaskPlan, TestSetPlan
from leaderboard.tasks.models import Task
from scoring.errors import Problem

OF_PHASE = ("test_sets", "private_share", "salt")


@dataclass(frozen=True)
class Kept:
    """What was sent: names of phases, test sets with files, answered questions.

    `declared` are the phases with a final ranking.
    """

    phases: frozenset[str]
    test_sets: frozenset[str]
    questions: frozenset[str] = frozenset()
    declared: frozenset[str] = frozenset()

    @classmethod
    def of(cls, task: Task) -> "Kept":
        sent = Submission.objects.filter(phase__task=task)
        files = SubmittedFile.objects.filter(submission__phase__task=task)
        return cls(
            frozenset(sent.values_list("phase__name", flat=True)),
            frozenset(files.values_list("test_set__name", flat=True)),
            frozenset(name for name, n in answered(task).items() if n),
            frozenset(
                task.phases.exclude(declared_at=None).values_list("name", flat=True)
            ),
        )

    def __bool__(self) -> bool:
        return bool(self.phases)


def obstacles(kept: Kept, before: TaskPlan, after: TaskPlan) -> list[Problem]:
    """Every reason against a change, with what to do instead."""
    return [*_of_task(kept, before, after), *_of_parts(kept, before, after)]


def what_to_do(task_is_draft: bool) -> str:
    """How to change what is fixed."""
    if task_is_draft:
        return _("Remove the baselines that were sent, then change it.")
    return _("Make a new task: download the bundle, give it another slug, upload it.")


def _of_task(kept: Kept, before: TaskPlan, after: TaskPlan) -> Iterator[Problem]:
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


def _of_parts(kept: Kept, before: TaskPlan, after: TaskPlan) -> Iterator[Problem]:
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


def _of_times(before: PhasePlan, after: PhasePlan, kept: Kept) -> Iterator[Problem]:
    declared = before.name in kept.declared
    for name, why in phase_rules.moved(
        before, after, timezone.now(), declared=declared
    ):
        text = _("phase '{phase}': '{name}': {why}").format(
            phase=before.name, name=name, why=why
        )
        yield Problem("phase", text, "task.yaml", after.lines.get(name))


def _of_question(before: Question, after: Question | None) -> Iterator[Problem]:
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
