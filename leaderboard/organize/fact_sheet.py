"""Questions of a fact sheet, changed by organizers."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.fields import LinesField
from leaderboard.organize.forms import task_to_change
from leaderboard.organize.parts import PartForm, change
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import EDIT, lock_phases, task_locked
from leaderboard.tasks.models import Question, Task
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.forms import form_page, form_response, posted


def answered(task: Task, questions: Iterable[Question]) -> dict[str, int]:
    """How many submissions answer each question, by its name; one query."""
    names = [question.name for question in questions]
    if not names:
        return {}
    counts = {
        f"n{place}": Count("pk", filter=Q(facts__has_key=name))
        for place, name in enumerate(names)
    }
    numbers = Submission.objects.filter(phase__task=task).aggregate(**counts)
    return {name: numbers[f"n{place}"] for place, name in enumerate(names)}


class QuestionForm(PartForm):
    name_is_taken = gettext_lazy("There is a question of that name.")
    list_is_full = gettext_lazy("A fact sheet has at most 30 questions.")

    class Meta:
        model = Question
        fields = ("title", "name", "kind", "choices", "required", "public")
        field_classes = {"choices": LinesField}
        widgets = {"choices": forms.Textarea(attrs={"rows": 4})}

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        if name and answered(task, [self.instance])[name]:
            self.fields["kind"].disabled = True
            self.fields["kind"].help_text = _("It was answered: its kind stays.")


@form_page
@access(EDIT)
def fact_sheet(request: HttpRequest, task: Task) -> HttpResponse:
    """The questions, and the form for one more."""
    with task_to_change(request, task) as task:
        form = QuestionForm(task, *posted(request))
        if form.is_valid():
            form.save()
            messages.success(request, _("The question was added."))
            return redirect("organize-fact-sheet", task.slug)
    return _listing(request, form)


def _listing(
    request: HttpRequest, form: QuestionForm, refused: str = ""
) -> HttpResponse:
    questions = list(Question.objects.filter(task=form.task))
    answers = answered(form.task, questions)
    for question in questions:
        question.answers = answers[question.name]
    context = {
        "task": form.task,
        "form": form,
        "questions": questions,
        "refused": refused,
    }
    return form_response(request, "organize/fact_sheet.html", context)


@form_page
@access(EDIT)
def question(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    with task_to_change(request, task) as task:
        form = QuestionForm(task, *posted(request), name=name)
        if form.is_valid():
            form.save()
            messages.success(request, _("Saved."))
            return redirect("organize-fact-sheet", task.slug)
    context = {"task": task, "form": form, "title": form.initial["title"]}
    return form_response(request, "organize/question.html", context)


@require_POST
@access(EDIT)
def change_question(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    """Move it up or down, hide or show it, or remove it."""
    action = request.POST.get("to", "")
    try:
        with task_locked(task):
            part = get_object_or_404(Question, task=task, name=name)
            if action in ("hide", "show"):
                part.hidden = action == "hide"
                part.save(update_fields=["hidden"])
                return redirect("organize-fact-sheet", task.slug)
            if action == "remove":
                _require_unanswered(part)
            change(part, action)
    except Refusal as refusal:
        return _listing(request, QuestionForm(task), str(refusal))
    return redirect("organize-fact-sheet", task.slug)


def _require_unanswered(part: Question) -> None:
    """Raises Refusal for a question that was answered."""
    lock_phases(part.task_id)  # no answer comes in between
    if answered(part.task, [part])[part.name]:
        sentence = _("“%s” was answered: hide it instead, its answers are kept.")
        raise Refusal(sentence % part.title)
