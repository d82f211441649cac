"""Questions of a fact sheet, changed by organizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from leaderboard.organize import tables
from leaderboard.organize.forms import (
    ShowsValues,
    done_locked,
    form_page,
    form_response,
)
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import (
    EDIT,
    lock_phases,
    task_locked,
)
from leaderboard.tasks.bundle.schema import KINDS, Question
from leaderboard.tasks.facts import questions
from leaderboard.tasks.models import Task
from leaderboard.teams.models import check_display_name
from leaderboard.teams.refusal import Refusal
from leaderboard.web.access import access

FIELD = "fact_sheet"
LONGEST_CHOICE, MOST_CHOICES, MOST_QUESTIONS = 80, 50, 30


@dataclass(frozen=True)
class QuestionLine:
    """One question, and how many submissions answer it."""

    question: Question
    answers: int
    kind: str
    first: bool
    last: bool


def question_lines(task: Task) -> list[QuestionLine]:
    """In order, in one query."""
    found = questions(task)
    numbers = answered(task, found)
    return [
        QuestionLine(
            question=one,
            answers=numbers[one.name],
            kind=str(KINDS[one.kind]),
            first=place == 0,
            last=place == len(found) - 1,
        )
        for place, one in enumerate(found)
    ]


def answered(task: Task, found: Sequence[Question] | None = None) -> dict[str, int]:
    """Answers by name of the question, by default of all."""
    found = questions(task) if found is None else found
    if not found:
        return {}
    counts = {
        f"n{i}": Count("pk", filter=Q(facts__has_key=one.name))
        for i, one in enumerate(found)
    }
    numbers = Submission.objects.filter(phase__task=task).aggregate(**counts)
    return {one.name: numbers[f"n{i}"] for i, one in enumerate(found)}


def remove_question(task: Task, question: Question) -> None:
    """Raises Refusal for one that was answered."""
    with task_locked(task) as now:
        lock_phases(task.pk)  # no answer comes in between
        if answered(now, [question])[question.name]:
            raise Refusal(
                _("“%s” was answered: hide it instead, its answers are kept.")
                % question.title
            )
        tables.remove(task, FIELD, question.name)


class QuestionForm(ShowsValues, forms.Form):
    """A question; `known` is the one that is changed, `fixed` when it was answered."""

    title = forms.CharField(
        max_length=120,
        label=gettext_lazy("Question"),
        validators=[check_display_name],
        help_text=gettext_lazy("Short: it heads a column of the board."),
    )
    name = forms.CharField(
        max_length=40,
        label=gettext_lazy("Name"),
        validators=[tables.check_name],
        help_text=gettext_lazy("As in addresses and in the API, for example “size”."),
    )
    kind = forms.ChoiceField(choices=KINDS.items(), label=gettext_lazy("Kind"))
    choices = forms.CharField(
        required=False,
        label=gettext_lazy("Answers to choose from"),
        help_text=gettext_lazy("One a line. Given answers stay when one goes."),
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    required = forms.BooleanField(required=False, label=gettext_lazy("Required"))
    public = forms.BooleanField(
        required=False,
        initial=True,
        label=gettext_lazy("Public: a column and a filter of the board"),
    )

    def __init__(self, task: Task, known: Question | None, *args: Any) -> None:
        super().__init__(*args)
        self.task, self.known = task, known
        if known is None:
            return
        self.shows({**known.as_table(), "hidden": False})
        self.initial = {**known.as_table(), "choices": "\n".join(known.choices)}
        self.fields["name"].disabled = True
        if answered(task, [known])[known.name]:
            self.fields["kind"].disabled = True
            self.fields["kind"].help_text = _("It was answered: its kind stays.")

    def clean_name(self) -> str:
        name = str(self.cleaned_data["name"])
        taken = {one.name for one in questions(self.task)}
        if self.known is None and name in taken:
            raise ValidationError(_("There is a question of that name."))
        return name

    def clean_choices(self) -> tuple[str, ...]:
        given = (line.strip() for line in self.cleaned_data["choices"].splitlines())
        found = tuple(dict.fromkeys(line for line in given if line))
        if len(found) > MOST_CHOICES or any(len(c) > LONGEST_CHOICE for c in found):
            raise ValidationError(_("At most 50 answers of up to 80 characters."))
        for choice in found:
            check_display_name(choice)
        return found

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        choices = cleaned.get("choices", ())
        if cleaned.get("kind") == "choice" and not choices and not self.errors:
            sentence = _("Write the answers to choose from, one a line.")
            self.add_error("choices", sentence)
        if self.known is None and len(self.task.fact_sheet) >= MOST_QUESTIONS:
            self.add_error(None, _("A fact sheet has at most 30 questions."))
        return cleaned

    def question(self) -> Question:
        found = self.cleaned_data
        choices = found["choices"] if found["kind"] == "choice" else ()
        hidden = self.known is not None and self.known.hidden
        names = ("name", "title", "kind", "required", "public")
        return Question(
            choices=choices, hidden=hidden, **{name: found[name] for name in names}
        )


def _add(form: QuestionForm) -> None:
    tables.add(form.task, FIELD, form.question().as_table())


@form_page
@access(EDIT)
def fact_sheet(request: HttpRequest, task: Task) -> HttpResponse:
    """The questions, and the form for one more."""

    def make(now: Task, *data: Any) -> QuestionForm:
        return QuestionForm(now, None, *data)

    form, added = done_locked(request, task, make, _add, _("The question was added."))
    if added:
        return redirect("organize-fact-sheet", task.slug)
    return _listing(request, form)


def _listing(
    request: HttpRequest, form: QuestionForm, refused: str = ""
) -> HttpResponse:
    context = {
        "task": form.task,
        "form": form,
        "lines": question_lines(form.task),
        "refused": refused,
    }
    return form_response(request, "organize/fact_sheet.html", context)


def _question_or_404(task: Task, name: str) -> Question:
    for question in questions(task):
        if question.name == name:
            return question
    raise Http404


@form_page
@access(EDIT)
def question(request: HttpRequest, task: Task, name: str) -> HttpResponse:

    def make(now: Task, *data: Any) -> QuestionForm:
        return QuestionForm(now, _question_or_404(now, name), *data)

    def put(form: QuestionForm) -> None:
        tables.put(form.task, FIELD, name, form.question().as_table())

    form, saved = done_locked(request, task, make, put, _("Saved."))
    if saved:
        return redirect("organize-fact-sheet", task.slug)
    context = {"task": task, "form": form, "question": form.known}
    return form_response(request, "organize/question.html", context)


@require_POST
@access(EDIT)
def change_question(request: HttpRequest, task: Task, name: str) -> HttpResponse:
    """Move it up or down, hide or show it, or remove it."""
    known = _question_or_404(task, name)
    action = request.POST.get("to", "")
    try:
        if action in tables.STEPS:
            tables.move(task, FIELD, name, tables.STEPS[action])
        elif action in ("hide", "show"):
            hidden = action == "hide"
            tables.edit(task, FIELD, name, lambda now: {**now, "hidden": hidden})
        elif action == "remove":
            remove_question(task, known)
        else:
            raise Refusal(_("Nothing to do."))
    except Refusal as refusal:
        task.refresh_from_db()
        return _listing(request, QuestionForm(task, None), str(refusal))
    return redirect("organize-fact-sheet", task.slug)
