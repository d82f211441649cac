"""Baselines: systems of the organizers, scored like all others and never ranked."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.fields import RowsField
from leaderboard.organize.forms import FormPage
from leaderboard.results.status import statuses_of
from leaderboard.submissions.accept import KeyReused, Upload, check_upload, submit
from leaderboard.submissions.forms import SentOnce, part_name
from leaderboard.submissions.models import Submission
from leaderboard.submissions.submission_kinds import SubmissionKind
from leaderboard.tasks.access import EDIT, lock_phases, lock_task
from leaderboard.tasks.bundle.dump import plan_of
from leaderboard.tasks.bundle.schema import BaselinePlan, TaskPlan
from leaderboard.tasks.models import Participation, Phase, Task, TestSet
from leaderboard.tasks.organizer_quota import require_room
from leaderboard.teams.models import (
    NAME_LENGTH,
    Team,
    User,
    check_display_name,
    name_key,
)
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.forms import longest


def send_baseline(
    task: Task,
    sender: User,
    *,
    system: str,
    description: str,
    phases: Iterable[Phase],
    files: Mapping[TestSet, UploadedFile],
    key: str,
    fits: bool = False,
) -> list[Submission]:
    """Send it to every phase that scores on one of its test sets, all or none.

    `key` makes repeating it harmless. The files are read before anything is locked, or
    not at all where the caller knows that each `fits`. Raises Unfit with the problems
    of the files, KeyReused, OverQuota, blobs.NoRoom.
    """
    uploads = []
    for phase in phases:
        used = set(phase.test_sets.all())
        if mine := {t: file for t, file in files.items() if t in used}:
            upload = Upload(
                phase=phase,
                participation=Participation(task=task),
                sender=sender,
                key=key,
                system=system,
                description=description,
                arrived_at=timezone.now(),
                runs=[mine],
                baseline=True,
            )
            uploads.append(upload if fits else check_upload(upload)[0])
    with transaction.atomic():
        task = lock_task(task.pk)
        require_room(task, sum(file.size or 0 for file in files.values()))
        entry = entry_of_organizers(task)
        ours = [replace(upload, participation=entry) for upload in uploads]
        return [submit(upload, fits=True) for upload in ours]


def entry_of_organizers(task: Task) -> Participation:
    """The entry under whose name baselines stand, of a team without members.

    Nobody is a participant through it, so that an organizer may take part as well.
    """
    earlier = Submission.objects.filter(phase__task=task, baseline=True)
    if baseline := earlier.select_related("participation").first():
        return baseline.participation
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
    """Send the baselines of a bundle, which fit (`test_sets.check_baselines`, or the
    bundle was read whole); those that are there already stay as they are.
    """
    phases = {phase.name: phase for phase in task.phases.all()}
    test_sets = {test_set.name: test_set for test_set in task.test_sets.all()}
    for entry in plan.baselines:
        files = {
            test_sets[name]: SimpleUploadedFile(file.name, file.single())
            for name, file in entry.files.items()
        }
        send_baseline(
            task,
            sender,
            system=entry.system,
            description=entry.description,
            phases=[phases[name] for name in entry.phases],
            files=files,
            key=key_of(entry),
            fits=True,
        )


def key_of(plan: BaselinePlan) -> str:
    """The same for the same system with the same files."""
    whole = sha256(f"{plan.system}\0{plan.description}".encode())
    for name in sorted(plan.files):
        whole.update(f"\0{name}\0{plan.files[name].sha256}".encode())
    return whole.hexdigest()


def sent_baselines(task: Task) -> QuerySet[Submission]:
    """The baselines that stand, in the order they came."""
    standing = Submission.objects.filter(
        phase__task=task, baseline=True, withdrawn_at__isnull=True
    )
    related = standing.select_related("phase__task", "participation__team", "sender")
    return related.order_by("received_at")


def whole_plan(task: Task) -> TaskPlan:
    """The plan of a task with its baselines."""
    return plan_of(task).with_values(baselines=plans_of(task))


def plans_of(task: Task) -> tuple[BaselinePlan, ...]:
    """The baselines as a bundle lists them; one system is one entry."""
    systems: dict[tuple[str, str], list[Submission]] = {}
    for submission in sent_baselines(task).prefetch_related("files__test_set"):
        systems.setdefault((submission.system, submission.description), []).append(
            submission
        )
    return tuple(
        BaselinePlan.model_construct(
            system=system,
            description=description,
            phases=tuple(
                phase.name
                for phase in sorted(
                    {baseline.phase for baseline in submissions},
                    key=lambda phase: phase.position,
                )
            ),
            files={
                file.test_set.name: file.source()
                for baseline in submissions
                for file in baseline.files.all()
            },
        )
        for (system, description), submissions in systems.items()
    )


def withdraw(submission: Submission, moment: datetime) -> None:
    """Take a baseline off the board; out of a draft it goes without a trace."""
    with transaction.atomic():
        task = lock_task(submission.phase.task_id)
        lock_phases(task.pk)
        Phase.objects.filter(pk=submission.phase_id).touch_boards()
        if task.draft:
            submission.delete()
            return
        submission.withdrawn_at = moment
        submission.save(update_fields=["withdrawn_at"])


def withdraw_baselines(task: Task, systems: Collection[str]) -> None:
    """Take the baselines of these system names off the board."""
    for submission in sent_baselines(task).filter(system__in=systems):
        withdraw(submission, timezone.now())


class BaselineForm(SentOnce):
    system = forms.CharField(
        max_length=longest(Submission, "system"),
        label=gettext_lazy("System name"),
        help_text=gettext_lazy(
            "Shown on the board, marked as a baseline and never ranked."
        ),
        validators=[check_display_name],
    )
    description = forms.CharField(
        max_length=longest(Submission, "description"),
        required=False,
        label=gettext_lazy("Description"),
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    phases = RowsField(
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
        for phase in field.queryset.prefetch_related("test_sets"):
            if (kind := SubmissionKind.of(phase)).one_zip:
                for test_set in phase.test_sets.all():
                    upload = self.fields[part_name(test_set.name, 1)]
                    upload.help_text = kind.archive_help

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        given = {t for name, t in self.parts[0].items() if cleaned.get(name)}
        if not given:
            self.add_error(None, _("Choose a file for one test set or more."))
            return cleaned
        for phase in cleaned["phases"]:
            if not given & set(phase.test_sets.all()):
                sentence = _("There is no file for a test set of “%s”.")
                self.add_error("phases", sentence % phase.title)
        return cleaned


class BaselinesPage(FormPage):
    """The baselines that stand, and the form for one more."""

    mark = EDIT
    form_class = BaselineForm
    template_name = "organize/baselines.html"
    title = gettext_lazy("Baselines")
    lead = gettext_lazy(
        "Your own systems, scored like all others, marked on the board and never "
        "ranked."
    )
    button = gettext_lazy("Check and send")
    saved = gettext_lazy("The baseline was sent and waits for a worker.")
    style = "phases.css"

    def save(self, form: BaselineForm) -> None:
        values = {name: form.cleaned_data[name] for name in form.declared_fields}
        files, user = form.files_by_test_set(), self.request.user
        try:
            send_baseline(self.task, user, files=files, **values)
        except Refusal as refusal:
            if isinstance(refusal, KeyReused):
                form.renew_key()
            raise forms.ValidationError(refusal.sentence) from None

    def context(self, form: BaselineForm) -> dict[str, Any]:
        submissions = sent_baselines(self.task).prefetch_related(*Submission.RELATED)
        return {"rows": statuses_of(list(submissions), self.request.user)}


@require_POST
@access(EDIT)
def remove(request: HttpRequest, task: Task, pk: str) -> HttpResponse:
    baseline = get_object_or_404(Submission, phase__task=task, baseline=True, pk=pk)
    withdraw(baseline, timezone.now())
    messages.success(request, _("The baseline is off the board."))
    return redirect("organize-baselines", task.slug)
