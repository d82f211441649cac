"""A new task: out of a bundle, or by form."""

from dataclasses import replace

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from leaderboard.organize.bundles import import_plan, note_on_draft
from leaderboard.organize.scoring_forms import ScoringForm
from leaderboard.organize.task_forms import NewTaskForm
from leaderboard.tasks.bundle import load
from leaderboard.tasks.creation import create, uploaded
from leaderboard.tasks.forms import BundleForm
from leaderboard.tasks.models import Task
from leaderboard.tasks.plans import TaskPlan
from scoring.errors import Problem, SetupError
from scoring.scorers import all_scorers


@login_required
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
    status = 422 if problems or form.errors else 200
    return render(request, "tasks/new.html", context, status=status)


@login_required
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
    status = 422 if texts.errors or scoring.errors else 200
    return render(request, "organize/new.html", context, status=status)


def _created(request: HttpRequest, texts: NewTaskForm, scoring: ScoringForm) -> Task:
    empty = {"synthetic": False, "draft": True}
    plan = TaskPlan(**{**empty, **texts.texts, **scoring.scoring})
    return create(replace(plan, draft=True), request.user)
