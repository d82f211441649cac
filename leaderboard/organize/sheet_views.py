"""Pages on which organizers edit the fact sheet and the named boards."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.organize import fact_sheets, tables
from leaderboard.organize.board_forms import BoardForm
from leaderboard.organize.fact_sheets import CannotRemove, QuestionForm
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.facts import Question, questions
from leaderboard.tasks.lock import task_locked
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power

STEPS = {"up": -1, "down": 1}


@require_http_methods(["GET", "HEAD", "POST"])
def fact_sheet(request: HttpRequest, slug: str) -> HttpResponse:
    """The questions, and the form for one more."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    if request.method != "POST":
        return _sheet(request, task, QuestionForm(task, None))
    with task_locked(task) as now:
        form = QuestionForm(now, None, request.POST)
        if form.is_valid():
            tables.add(now, fact_sheets.FIELD, form.question().as_table())
            messages.success(request, _("The question was added."))
            return redirect("organize-fact-sheet", slug)
        return _sheet(request, now, form)


def _sheet(
    request: HttpRequest, task: Task, form: QuestionForm, refused: str = ""
) -> HttpResponse:
    context = {
        "task": task,
        "form": form,
        "lines": fact_sheets.lines(task),
        "refused": refused,
    }
    status = 422 if form.errors or refused else 200
    return render(request, "organize/fact_sheet.html", context, status=status)


def _question_or_404(task: Task, name: str) -> Question:
    for question in questions(task):
        if question.name == name:
            return question
    raise Http404


@require_http_methods(["GET", "HEAD", "POST"])
def question(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    known = _question_or_404(task, name)
    form = QuestionForm(task, known)
    if request.method == "POST":
        with task_locked(task) as now:
            known = _question_or_404(now, name)
            form = QuestionForm(now, known, request.POST)
            if form.is_valid():
                tables.put(now, fact_sheets.FIELD, name, form.question().as_table())
                messages.success(request, _("Saved."))
                return redirect("organize-fact-sheet", slug)
    context = {"task": task, "form": form, "question": known}
    status = 422 if form.errors else 200
    return render(request, "organize/question.html", context, status=status)


@require_POST
def change_question(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Move it up or down, hide or show it, or remove it."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    known = _question_or_404(task, name)
    what = request.POST.get("to", "")
    if what in STEPS:
        tables.move(task, fact_sheets.FIELD, name, STEPS[what])
    elif what in ("hide", "show", "remove"):
        try:
            if what == "remove":
                fact_sheets.remove(task, known)
            else:
                fact_sheets.hide(task, known, what == "hide")
        except (CannotRemove, tables.Meanwhile) as reason:
            task.refresh_from_db()
            return _sheet(request, task, QuestionForm(task, None), str(reason))
    else:
        return _sheet(request, task, QuestionForm(task, None), _("Nothing to do."))
    return redirect("organize-fact-sheet", slug)


@require_http_methods(["GET", "HEAD", "POST"])
def boards(request: HttpRequest, slug: str) -> HttpResponse:
    """The named boards, and the form for one more."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    if request.method != "POST":
        return _boards(request, task, BoardForm(task, None))
    with task_locked(task) as now:
        form = BoardForm(now, None, request.POST)
        if form.is_valid():
            tables.add(now, "boards", form.table())
            messages.success(request, _("The board was added."))
            return redirect("organize-boards", slug)
        return _boards(request, now, form)


def _boards(
    request: HttpRequest, task: Task, form: BoardForm, refused: str = ""
) -> HttpResponse:
    titles = {one.name: one.title for one in task.test_sets.all()}
    last = len(task.boards) - 1
    lines: list[dict[str, Any]] = [
        {
            "board": one,
            "test_sets": [titles[n] for n in one["test_sets"] if n in titles],
            "first": place == 0,
            "last": place == last,
        }
        for place, one in enumerate(task.boards)
    ]
    context = {"task": task, "form": form, "lines": lines, "refused": refused}
    status = 422 if form.errors or refused else 200
    return render(request, "organize/boards.html", context, status=status)


def _board_or_404(task: Task, name: str) -> dict[str, Any]:
    for table in task.boards:
        if table["name"] == name:
            return dict(table)
    raise Http404


@require_http_methods(["GET", "HEAD", "POST"])
def board(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.EDIT)
    known = _board_or_404(task, name)
    form = BoardForm(task, known)
    if request.method == "POST":
        with task_locked(task) as now:
            known = _board_or_404(now, name)
            form = BoardForm(now, known, request.POST)
            if form.is_valid():
                tables.put(now, "boards", name, form.table())
                messages.success(request, _("Saved."))
                return redirect("organize-boards", slug)
    context = {"task": task, "form": form, "board": known}
    status = 422 if form.errors else 200
    return render(request, "organize/named_board.html", context, status=status)


@require_POST
def change_board(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Move it up or down, or remove it."""
    task = organized_task_or_404(request, slug, Power.EDIT)
    _board_or_404(task, name)
    what = request.POST.get("to", "")
    if what in STEPS:
        tables.move(task, "boards", name, STEPS[what])
    elif what == "remove":
        tables.remove(task, "boards", name)
    else:
        return _boards(request, task, BoardForm(task, None), _("Nothing to do."))
    return redirect("organize-boards", slug)
