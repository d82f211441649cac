"""Baselines: systems of the organizers, scored like all others and never ranked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.forms import form_page, form_response
from leaderboard.submissions.accept import KeyReused, Unfit, Upload, submit
from leaderboard.submissions.forms import SentOnce
from leaderboard.submissions.models import Submission
from leaderboard.submissions.status import RELATED, statuses_of
from leaderboard.tasks.access import EDIT, lock_phases, lock_task
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import BaselinePlan, TaskPlan
from leaderboard.tasks.models import Participation, Phase, Task, TestSet
from leaderboard.teams.models import (
    NAME_LENGTH,
    Team,
    User,
    check_display_name,
    name_key,
)
from leaderboard.web.access import access
from scoring.errors import Problem, SetupError


@dataclass(frozen=True)
class BaselineUpload(Upload):
    """An upload of the organizers, who may send before and after the phase."""

    baseline: bool = True

    @property
    def late(self) -> bool:
        return False


@dataclass(frozen=True)
class NewBaseline:
    """A baseline as it is sent: files by test set, to each of some phases.

    `key` makes repeating it harmless.
    """

    system: str
    description: str
    phases: tuple[Phase, ...]
    files: Mapping[TestSet, UploadedFile]
    key: str = field(default_factory=lambda: uuid4().hex)


def send_baseline(task: Task, baseline: NewBaseline, sender: User) -> list[Submission]:
    """Send it to every phase that scores on one of its test sets, all or none.

    Raises Unfit with the problems of the files, KeyReused, blobs.NoRoom.
    """
    sent = []
    with transaction.atomic():
        lock_task(task.pk)
        entry = entry_of_organizers(task)
        for phase in baseline.phases:
            used = set(phase.test_sets.all())
            files = {t: file for t, file in baseline.files.items() if t in used}
            if not files:
                continue
            upload = BaselineUpload(
                phase=phase,
                participation=entry,
                sender=sender,
                key=baseline.key,
                system=baseline.system,
                description=baseline.description,
                arrived_at=timezone.now(),
                files=files,
            )
            sent.append(submit(upload))
    return sent


def entry_of_organizers(task: Task) -> Participation:
    """Under whose name baselines stand: a team without members.

    Nobody is a participant through it, so that an organizer may take part as well.
    """
    earlier = Submission.objects.filter(phase__task=task, baseline=True)
    if sent := earlier.select_related("participation").first():
        return sent.participation
    team = _team(f"Organizers of {task.title}"[: NAME_LENGTH - 4].strip())
    return Participation.objects.create(task=task, team=team)


def _team(name: str) -> Team:
    """A new team of that name, numbered if somebody has it."""
    number, free = 1, name
    while Team.objects.filter(key=name_key(free)).exists():
        number += 1
        free = f"{name} {number}"
    return Team.objects.create(name=free, key=name_key(free))


def send_baselines(task: Task, plan: TaskPlan, sender: User) -> None:
    """Send the baselines of a bundle; those that are there already stay as they are.

    Raises SetupError for a file that cannot be scored.
    """
    phases = {phase.name: phase for phase in task.phases.all()}
    test_sets = {test_set.name: test_set for test_set in task.test_sets.all()}
    for entry in plan.baselines:
        baseline = NewBaseline(
            entry.system,
            entry.description,
            tuple(phases[name] for name in entry.phases),
            {
                test_sets[name]: SimpleUploadedFile(file.name, file.single())
                for name, file in entry.files.items()
            },
            key_of(entry),
        )
        try:
            send_baseline(task, baseline, sender)
        except Unfit as unfit:
            raise SetupError(unfit.problems) from None


def key_of(plan: BaselinePlan) -> str:
    """The same for the same system with the same files."""
    whole = sha256(f"{plan.system}\0{plan.description}".encode())
    for name in sorted(plan.files):
        whole.update(f"\0{name}\0{plan.files[name].sha256}".encode())
    return whole.hexdigest()


def sent_baselines(task: Task) -> list[Submission]:
    """Those that stand, in the order they came."""
    found = Submission.objects.filter(
        phase__task=task, baseline=True, withdrawn_at__isnull=True
    )
    related = found.select_related("phase", "participation__team")
    return list(related.prefetch_related("files__test_set").order_by("received_at"))


def whole_plan(task: Task) -> TaskPlan:
    return plan_of(task).changed(baselines=plans_of(task))


def plans_of(task: Task) -> tuple[BaselinePlan, ...]:
    """The baselines as a bundle lists them; one system is one entry."""
    found: dict[tuple[str, str], BaselinePlan] = {}
    for sent in sent_baselines(task):
        key = (sent.system, sent.description)
        known = found.get(
            key,
            BaselinePlan.model_construct(
                system=sent.system, description=sent.description, phases=(), files={}
            ),
        )
        found[key] = known.changed(
            phases=(*known.phases, sent.phase.name),
            files={
                **known.files,
                **{file.test_set.name: file.source() for file in sent.files.all()},
            },
        )
    order = {phase.name: phase.position for phase in task.phases.all()}
    return tuple(
        one.changed(phases=tuple(sorted(set(one.phases), key=order.__getitem__)))
        for one in found.values()
    )


def withdraw(submission: Submission, moment: datetime) -> None:
    """Take a baseline off the board; out of a draft it goes without a trace."""
    with transaction.atomic():
        task = lock_task(submission.phase.task_id)
        lock_phases(task.pk)
        if task.draft:
            submission.delete()
            return
        submission.withdrawn_at = moment
        submission.save(update_fields=["withdrawn_at"])


class BaselineForm(SentOnce):
    system = forms.CharField(
        max_length=80,
        label=gettext_lazy("System name"),
        help_text=gettext_lazy(
            "Shown on the board, marked as a baseline and never ranked."
        ),
        validators=[check_display_name],
    )
    description = forms.CharField(
        max_length=2000,
        required=False,
        label=gettext_lazy("Description"),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    phases = forms.ModelMultipleChoiceField(
        Phase.objects.none(),
        label=gettext_lazy("Phases"),
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["phases"]
        field.queryset = task.phases.all()
        field.label_from_instance = lambda phase: phase.title
        field.initial = [phase.pk for phase in task.phases.all()]
        self.ask_files(task.test_sets.all())

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        given = {t for name, t in self.test_sets.items() if cleaned.get(name)}
        if not given:
            self.add_error(None, _("Choose a file for one test set or more."))
            return cleaned
        for phase in cleaned["phases"]:
            if not given & set(phase.test_sets.all()):
                sentence = _("There is no file for a test set of “%s”.")
                self.add_error("phases", sentence % phase.title)
        return cleaned

    def baseline(self) -> NewBaseline:
        found = self.cleaned_data
        return NewBaseline(
            found["system"],
            found["description"],
            tuple(found["phases"]),
            self.files_by_test_set(),
            found["key"],
        )


@form_page
@access(EDIT)
def listing(request: HttpRequest, task: Task) -> HttpResponse:
    """The baselines that stand, and the form for one more."""
    form = BaselineForm(
        task,
        request.POST or None,
        request.FILES or None,
        too_large=getattr(request, "too_large", ()),
    )
    problems: list[Problem] = []
    if request.method == "POST" and form.is_valid():
        try:
            send_baseline(task, form.baseline(), request.user)
            messages.success(
                request, _("The baseline was sent and waits for a worker.")
            )
            return redirect("organize-baselines", task.slug)
        except Unfit as unfit:
            problems = list(unfit.problems)
        except KeyReused as refusal:
            form.add_error(None, refusal.sentence)
            form.renew_key()
    sent = Submission.objects.filter(
        phase__task=task, baseline=True, withdrawn_at__isnull=True
    ).order_by("received_at")
    related = sent.select_related("phase__task", "participation__team", "sender")
    rows = statuses_of(list(related.prefetch_related(*RELATED)), request.user)
    context = {"task": task, "form": form, "problems": problems, "rows": rows}
    return form_response(request, "organize/baselines.html", context)


@require_POST
@access(EDIT)
def remove(request: HttpRequest, task: Task, pk: str) -> HttpResponse:
    found = get_object_or_404(Submission, phase__task=task, baseline=True, pk=pk)
    withdraw(found, timezone.now())
    messages.success(request, _("The baseline is off the board."))
    return redirect("organize-baselines", task.slug)
