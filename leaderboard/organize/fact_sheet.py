"""Questions that organizers ask: of each system (fact sheet), of teams that join."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize.fields import LinesField
from leaderboard.organize.forms import task_to_change
from leaderboard.organize.parts import PartForm, change
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import EDIT, lock_phases, task_locked
from leaderboard.tasks.models import (
    AnyQuestion,
    Participation,
    Question,
    RegistrationQuestion,
    Task,
)
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access
from leaderboard.web.forms import form_page, form_response, posted


def answered(task: Task, questions: Iterable[AnyQuestion]) -> dict[str, int]:
    """How many answers each question has, by its name; one query.

    The questions are all of one kind.
    """
    questions = list(questions)
    if not questions:
        return {}
    rows: QuerySet[Any] = Submission.objects.filter(phase__task=task)
    column = "facts"
    if isinstance(questions[0], RegistrationQuestion):
        rows, column = Participation.objects.filter(task=task), "answers"
    counts = {
        f"n{place}": Count("pk", filter=Q(**{f"{column}__has_key": question.name}))
        for place, question in enumerate(questions)
    }
    numbers = rows.aggregate(**counts)
    return {one.name: numbers[f"n{place}"] for place, one in enumerate(questions)}


class QuestionForm(PartForm):
    name_is_taken = gettext_lazy("There is a question of that name.")
    list_is_full = gettext_lazy("A fact sheet has at most 30 questions.")

    class Meta:
        model: type[AnyQuestion] = Question
        fields: tuple[str, ...] = (
            "title",
            "name",
            "kind",
            "choices",
            "required",
            "public",
        )
        field_classes = {"choices": LinesField}
        widgets = {"choices": forms.Textarea(attrs={"rows": 4})}
        help_texts: dict[str, Promise] = {}

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        if name and answered(task, [self.instance])[name]:
            self.fields["kind"].disabled = True
            self.fields["kind"].help_text = _("It was answered: its kind stays.")


class RegistrationQuestionForm(QuestionForm):
    list_is_full = gettext_lazy("A task asks teams at most 30 questions.")

    class Meta(QuestionForm.Meta):
        model = RegistrationQuestion
        fields = ("title", "name", "kind", "choices", "required")
        help_texts = {
            "title": gettext_lazy("Short, for example “Affiliation”."),
            "name": gettext_lazy(
                "As in the API and in task.yaml, for example “affiliation”."
            ),
        }


@dataclass(frozen=True)
class Questionnaire:
    """A list of questions: its form, and the names of its pages' addresses."""

    form: type[QuestionForm]
    title: Promise
    lead: Promise
    page: str
    question_page: str
    change_page: str

    @property
    def model(self) -> Any:
        return self.form.Meta.model


FACT_SHEET = Questionnaire(
    QuestionForm,
    gettext_lazy("Fact sheet"),
    gettext_lazy(
        "Questions to every system, asked with the upload. Public answers become "
        "columns and filters of the board."
    ),
    "organize-fact-sheet",
    "organize-question",
    "organize-question-change",
)
REGISTRATION = Questionnaire(
    RegistrationQuestionForm,
    gettext_lazy("Registration"),
    gettext_lazy(
        "Questions to every team, asked when it joins. Only the team and the "
        "organizers see the answers. Teams that are in already can answer later, on "
        "the page of their team."
    ),
    "organize-registration",
    "organize-registration-question",
    "organize-registration-change",
)


@form_page
@access(EDIT)
def fact_sheet(
    request: HttpRequest, task: Task, kind: Questionnaire = FACT_SHEET
) -> HttpResponse:
    """The questions, and the form for one more."""
    with task_to_change(request, task) as task:
        form = kind.form(task, *posted(request))
        if form.is_valid():
            form.save()
            messages.success(request, _("The question was added."))
            return redirect(kind.page, task.slug)
    return _listing(request, form, kind)


def _listing(
    request: HttpRequest, form: QuestionForm, kind: Questionnaire, refused: str = ""
) -> HttpResponse:
    questions = list(kind.model.objects.filter(task=form.task))
    answers = answered(form.task, questions)
    for question in questions:
        question.answers = answers[question.name]
    context = {
        "task": form.task,
        "kind": kind,
        "form": form,
        "questions": questions,
        "refused": refused,
    }
    return form_response(request, "organize/fact_sheet.html", context)


@form_page
@access(EDIT)
def question(
    request: HttpRequest, task: Task, name: str, kind: Questionnaire = FACT_SHEET
) -> HttpResponse:
    with task_to_change(request, task) as task:
        form = kind.form(task, *posted(request), name=name)
        if form.is_valid():
            form.save()
            messages.success(request, _("Saved."))
            return redirect(kind.page, task.slug)
    title = form.initial["title"]
    context = {"task": task, "kind": kind, "form": form, "title": title}
    return form_response(request, "organize/question.html", context)


@require_POST
@access(EDIT)
def change_question(
    request: HttpRequest, task: Task, name: str, kind: Questionnaire = FACT_SHEET
) -> HttpResponse:
    """Move it up or down, hide or show it, or remove it."""
    action = request.POST.get("to", "")
    try:
        with task_locked(task):
            part = get_object_or_404(kind.model, task=task, name=name)
            if action in ("hide", "show"):
                part.hidden = action == "hide"
                part.save(update_fields=["hidden"])
                return redirect(kind.page, task.slug)
            if action == "remove":
                _require_unanswered(part)
            change(part, action)
    except Refusal as refusal:
        return _listing(request, kind.form(task), kind, str(refusal))
    return redirect(kind.page, task.slug)


def _require_unanswered(part: AnyQuestion) -> None:
    """Raises Refusal for a question that was answered."""
    lock_phases(part.task_id)  # no answer comes in between
    if answered(part.task, [part])[part.name]:
        sentence = _("“%s” was answered: hide it instead, its answers are kept.")
        raise Refusal(sentence % part.title)
