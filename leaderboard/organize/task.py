"""Texts of a task, and a new task out of a bundle or by form."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from leaderboard.organize.bundle import import_plan, note_on_draft
from leaderboard.organize.forms import (
    ShowsValues,
    done_locked,
    form_page,
    form_response,
)
from leaderboard.organize.scoring import ScoringForm
from leaderboard.tasks.access import EDIT
from leaderboard.tasks.bundle.create import create, uploaded
from leaderboard.tasks.bundle.dump import plain_text
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import RESERVED_SLUGS, TaskPlan
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import Task
from leaderboard.web.access import SIGNED_IN, access
from scoring.errors import Problem, SetupError
from scoring.scorers import all_scorers


class TaskForm(ShowsValues, forms.ModelForm):  # type: ignore[type-arg]
    """Its texts and labels; who may enter it is a matter of the people page."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.shows(self.initial)

    class Meta:
        model = Task
        fields: tuple[str, ...] = (
            "title",
            "summary",
            "description",
            "synthetic",
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

    def save(self, commit: bool = True) -> Task:
        """Save what the form asks and nothing else."""
        task: Task = self.instance
        task.save(update_fields=self.Meta.fields)
        return task

    @property
    def texts(self) -> dict[str, Any]:
        """Values of a plan."""
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class NewTaskForm(TaskForm):
    """The same for a task that is not there yet."""

    class Meta(TaskForm.Meta):
        fields = ("title", "slug", *TaskForm.Meta.fields[1:])

    def clean_slug(self) -> str:
        slug = str(self.cleaned_data["slug"])
        if slug in RESERVED_SLUGS:
            raise ValidationError(_("This word is an address of the site itself."))
        return slug


@form_page
@access(EDIT)
def texts(request: HttpRequest, task: Task) -> HttpResponse:

    def make(now: Task, *data: Any) -> TaskForm:
        return TaskForm(*data, instance=now)

    form, saved = done_locked(request, task, make, TaskForm.save, _("Saved."))
    if saved:
        return redirect("organize-edit", task.slug)
    return form_response(request, "organize/texts.html", {"task": task, "form": form})


@access(SIGNED_IN)
def new_task(request: HttpRequest) -> HttpResponse:
    """Both ways to begin; a bundle is sent to this address."""
    form = BundleForm(request.POST or None, request.FILES or None)
    problems: tuple[Problem, ...] = ()
    if request.method == "POST" and form.is_valid():
        upload = form.cleaned_data["bundle"]
        try:
            plan = load(uploaded(upload.name, upload.file))
            created = import_plan(plan, request.user)
            messages.success(request, note_on_draft(plan))
            return redirect("organize", created.slug)
        except SetupError as error:
            problems = error.problems
    scorers = all_scorers().values()
    context = {"form": form, "problems": problems, "scorers": scorers}
    return form_response(request, "tasks/new.html", context)


@access(SIGNED_IN)
def new_by_form(request: HttpRequest) -> HttpResponse:
    """A draft without test sets and phases; the scorer stands in the address."""
    scorer = all_scorers().get(request.GET.get("scorer", ""))
    if scorer is None:
        raise Http404
    data, files = request.POST or None, request.FILES or None
    texts = NewTaskForm(data)
    scoring = ScoringForm(scorer, None, data, files)
    if request.method == "POST" and texts.is_valid() and scoring.is_valid():
        task = _created(request, texts, scoring)
        messages.success(
            request, _("The task is there, as a draft. Add its test sets next.")
        )
        return redirect("organize-test-sets", task.slug)
    context = {"texts": texts, "scoring": scoring, "scorer": scorer}
    return form_response(request, "organize/new.html", context)


def _created(request: HttpRequest, texts: NewTaskForm, scoring: ScoringForm) -> Task:
    plan = TaskPlan(**{**texts.texts, **scoring.scoring, "draft": True})
    return create(plan, request.user)
