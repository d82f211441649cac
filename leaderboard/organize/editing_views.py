"""Changing a task in the browser: its texts, its scoring, its test sets."""

from collections.abc import Callable
from dataclasses import replace

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.organize import test_sets
from leaderboard.organize.applying import apply
from leaderboard.organize.bundles import whole_plan
from leaderboard.organize.obstacles import Kept
from leaderboard.organize.scoring_forms import ScoringForm
from leaderboard.organize.task_forms import TaskForm
from leaderboard.organize.test_set_forms import (
    ChangeTestSetForm,
    TestSetForm,
    places,
)
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.lock import task_locked
from leaderboard.tasks.models import Task, TestSet
from leaderboard.tasks.policy import Power
from scoring.errors import Problem, SetupError
from scoring.scorers import all_scorers

Problems = list[Problem]


def attempt(problems: Problems, change: Callable[[], object]) -> bool:
    """Do it; what stands against it is added to `problems`."""
    try:
        change()
    except SetupError as error:
        problems.extend(error.problems)
    return not problems


def status_of(problems: Problems, *forms: BaseForm) -> int:
    return 422 if problems or any(form.errors for form in forms) else 200


@require_http_methods(["GET", "HEAD", "POST"])
def texts(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    form = TaskForm(instance=task)
    if request.method == "POST":
        with task_locked(task) as now:
            form = TaskForm(request.POST, instance=now)
            if form.is_valid():
                form.save()
                messages.success(request, _("Saved."))
                return redirect("organize-edit", slug)
    context = {"task": task, "form": form}
    return render(request, "organize/texts.html", context, status=status_of([], form))


@require_http_methods(["GET", "HEAD", "POST"])
def scoring(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    plan, kept = whole_plan(task), Kept.of(task)
    free = not kept and not plan.test_sets
    wanted = request.GET.get("scorer", "") if free else ""
    scorer = all_scorers().get(wanted, plan.scorer)
    data, files = request.POST or None, request.FILES or None
    form = ScoringForm(scorer, plan, data, files, fixed=bool(kept))
    problems: Problems = []
    if request.method == "POST" and form.is_valid():
        new, user = replace(plan, **form.scoring), request.user
        if attempt(problems, lambda: apply(task, test_sets.tried(new), user, plan)):
            messages.success(request, _("Saved."))
            return redirect("organize-scoring", slug)
    context = {
        "task": task,
        "scoring": form,
        "scorer": scorer,
        "scorers": all_scorers().values() if free else (),
        "kept": bool(kept),
        "problems": problems,
    }
    status = status_of(problems, form)
    return render(request, "organize/scoring.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    """The test sets, and the form for one more."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    known = places(task.test_sets.all())
    form = TestSetForm(known, request.POST or None, request.FILES or None)
    problems: Problems = []
    if request.method == "POST" and form.is_valid():
        given = form.given()
        if attempt(problems, lambda: test_sets.add(task, given, request.user)):
            messages.success(request, _("The test set was added: its gold is sound."))
            return redirect("organize-test-sets", slug)
    context = {
        "task": task,
        "form": form,
        "lines": test_sets.lines(task),
        "problems": problems,
    }
    status = status_of(problems, form)
    return render(request, "organize/test_sets.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    test_set = get_object_or_404(TestSet, task=task, name=name)
    plan = whole_plan(task)
    old = next(found for found in plan.test_sets if found.name == name)
    known = places(task.test_sets.all())
    kept = name in Kept.of(task).test_sets
    data, files = request.POST or None, request.FILES or None
    form = ChangeTestSetForm(old, known, data, files, kept=kept)
    problems: Problems = []
    if request.method == "POST" and form.is_valid():
        change = test_sets.Change(task, plan, old, request.user)
        if attempt(problems, lambda: change.make(form)):
            messages.success(request, change.said)
            return redirect("organize-test-sets", slug)
    context = {
        "task": task,
        "test_set": test_set,
        "form": form,
        "kept": kept,
        "problems": problems,
    }
    status = status_of(problems, form)
    return render(request, "organize/test_set.html", context, status=status)


@require_POST
def remove(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    test_set = get_object_or_404(TestSet, task=task, name=name)
    problems: Problems = []
    if attempt(problems, lambda: test_sets.remove(task, name, request.user)):
        messages.success(request, _("%s was removed.") % test_set.title)
        return redirect("organize-test-sets", slug)
    return _refused(request, task, problems)


def _refused(request: HttpRequest, task: Task, problems: Problems) -> HttpResponse:
    form = TestSetForm(places(task.test_sets.all()))
    context = {
        "task": task,
        "form": form,
        "lines": test_sets.lines(task),
        "problems": problems,
    }
    return render(request, "organize/test_sets.html", context, status=422)
