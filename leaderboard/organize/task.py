"""Texts of a task, a new task out of a bundle or by form, a draft given up."""

from functools import partial

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.functional import Promise, cached_property
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.bundle import import_opened, note_on_draft, warning_of
from leaderboard.organize.fields import DoiField, LinesField
from leaderboard.organize.forms import (
    ColumnsForm,
    ColumnsPage,
    ConfirmPage,
    refusals_in,
)
from leaderboard.organize.scorer import ScoringForm
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import EDIT, OWN, lock_phases, task_locked
from leaderboard.tasks.bundle.create import create, open_bundle
from leaderboard.tasks.bundle.dump import plain_text
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import Task
from leaderboard.tasks.models.task import plain_address
from leaderboard.tasks.questions import LinkInput
from leaderboard.teams.creators import ask, may_create_tasks
from leaderboard.teams.models import CreationRequest, Team
from leaderboard.teams.refusal import Refusal
from leaderboard.teams.requests import SignedInRequest
from leaderboard.web.access import SIGNED_IN, access, or_404
from leaderboard.web.extras import Importer, joined
from leaderboard.web.forms import form_response, posted_data
from scoring.scorers import all_scorers

KEPT = gettext_lazy(
    "Only a draft that no team has entered can be deleted. What was published stays: "
    "close its phases, and publish its archive."
)


HTTPS = partial(forms.URLField, assume_scheme="https", widget=LinkInput)


class TaskForm(ColumnsForm):
    """A form for the texts and labels of a task; who may enter it stands on the page of
    people."""

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            "title",
            "summary",
            "description",
            "synthetic",
            "unlisted",
            "allows_anonymous",
            "prizes",
            "margin",
        )
        widgets = {
            "description": forms.Textarea(attrs={"rows": 14}),
            "margin": forms.NumberInput(attrs={"step": "any"}),
        }

    def clean_description(self) -> str:
        return plain_text(self.cleaned_data["description"])


class AboutForm(ColumnsForm):
    """A form for organizers, places of discussion, and the citation."""

    class Meta:
        model = Task
        fields = (
            "authors",
            "contact",
            "website",
            "forum",
            "paper",
            "doi",
            "licence",
        )
        field_classes = {
            "authors": LinesField,
            "doi": DoiField,
            **dict.fromkeys(("website", "forum", "paper"), HTTPS),
        }
        widgets = {"authors": forms.Textarea(attrs={"rows": 5})}


class NewTaskForm(TaskForm):
    """The same for a task that is not there yet."""

    class Meta(TaskForm.Meta):
        fields = ("title", "slug", *TaskForm.Meta.fields[1:])
        error_messages = {"slug": {"invalid": plain_address.message}}

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        plain_address(slug)
        if slug in Task.RESERVED_SLUGS:
            raise ValidationError(_("This word is an address of the site itself."))
        return slug


class TextsPage(ColumnsPage):
    """The description of a task."""

    mark = EDIT
    form_class: type[forms.ModelForm] = TaskForm
    template_name = "organize/texts.html"
    title = gettext_lazy("Description")
    marks_optional = True


class AboutPage(TextsPage):
    """Page about who organizes a task, and how it is cited."""

    form_class = AboutForm
    title = gettext_lazy("Organizers and citation")


@access(SIGNED_IN)
def new_task(request: SignedInRequest) -> HttpResponse:
    """Both ways to begin; a bundle is sent to this address. Whoever may not create
    tasks asks for it here."""
    if not may_create_tasks(request.user):
        return _asking(request)
    form = BundleForm(*posted_data(request))
    if form.is_valid():
        upload = form.cleaned_data["bundle"]
        with refusals_in(form):
            bundle = open_bundle(upload.name, upload.file, request.user)
            draft = import_opened(bundle, request.user)
            messages.success(request, note_on_draft(bundle.plan))
            page = bundle.importer.route if bundle.importer else "organize"
            return redirect(page, draft.task.slug)
    importers = list(joined(Importer))
    context = {"form": form, "scorers": all_scorers().values(), "importers": importers}
    return form_response(request, "tasks/new.html", context)


class AskForm(forms.ModelForm):
    """A form that tells the operators what somebody would like to organize."""

    class Meta:
        model = CreationRequest
        fields = ("about",)
        widgets = {"about": forms.Textarea(attrs={"rows": 4})}


def _asking(request: SignedInRequest) -> HttpResponse:
    last = request.user.creation_requests.first()
    form = AskForm(*posted_data(request))
    if form.is_valid():
        with refusals_in(form, "about"), transaction.atomic():
            ask(request.user, form.cleaned_data["about"])
            messages.success(
                request, _("Your request is kept. You get an answer by mail.")
            )
            return redirect("new-task")
    return form_response(request, "organize/ask.html", {"form": form, "last": last})


@access(SIGNED_IN)
def new_by_form(request: SignedInRequest) -> HttpResponse:
    """A draft without test sets and phases; the scorer stands in the address."""
    if not may_create_tasks(request.user) or "scorer" not in request.GET:
        return redirect("new-task")
    scorer = or_404(all_scorers().get(request.GET.get("scorer", "")))
    texts = NewTaskForm(*posted_data(request))
    scoring = ScoringForm(scorer, None, *posted_data(request))
    if texts.is_valid() and scoring.is_valid():
        values = {name: texts.cleaned_data[name] for name in texts.Meta.fields}
        plan = TaskPlan(**{**values, **scoring.scoring, "draft": True})
        with refusals_in(texts):
            task = create(plan, request.user)
            sentence = _("The task is there, as a draft. Add its test sets next.")
            messages.success(request, sentence)
            if warning := warning_of(plan):
                messages.warning(request, warning)
            return redirect("organize-test-sets", task.slug)
    context = {"texts": texts, "scoring": scoring, "scorer": scorer}
    return form_response(request, "organize/new.html", context)


def can_be_deleted(task: Task) -> bool:
    """Whether the task is a draft that no team has entered; baselines have nobody in
    them."""
    entered = task.participations.filter(team__memberships__isnull=False)
    return task.draft and not entered.exists()


def delete_draft(task: Task) -> None:
    """Delete a draft with its gold, baselines and organizers; its address is free.

    The history keeps what was done. Raises Refusal for a task that is published, or
    that a team has entered.
    """
    with task_locked(task) as now:
        lock_phases(now.pk)
        if not can_be_deleted(now):
            raise Refusal(str(KEPT))
        teams = Team.objects.filter(participations__task=now, memberships=None)
        nobody = list(teams.values_list("pk", flat=True))
        Submission.objects.filter(phase__task=now).delete()
        now.participations.all().delete()
        now.phases.all().delete()
        now.delete()
        Team.objects.filter(pk__in=nobody, participations=None).delete()


class DeletePage(ConfirmPage):
    """Asks whether a draft shall go; what was published, or was entered, stays."""

    mark = OWN
    template_name = "organize/draft_delete.html"
    title = gettext_lazy("Delete the draft")
    heading = gettext_lazy("Delete the draft %(title)s?")
    lead = gettext_lazy(
        "Its texts, gold, phases and baselines are deleted, and its address is free "
        "for another task. Download the bundle first if you may want it again."
    )
    button = gettext_lazy("Delete the draft")
    back = ("organize", gettext_lazy("Keep it"))

    @cached_property
    def why_not(self) -> str | Promise:
        return "" if can_be_deleted(self.task) else KEPT

    def save(self, form: forms.Form) -> HttpResponse:
        delete_draft(self.task)
        sentence = _("%(task)s is deleted.") % {"task": self.task.title}
        messages.success(self.request, sentence)
        return redirect("home")
