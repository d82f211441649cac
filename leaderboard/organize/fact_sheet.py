"""Questions of a fact sheet, changed by organizers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count, Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from leaderboard.organize import tables
from leaderboard.organize.seen import ShowsValues
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.bundle.schema import KINDS, Question
from leaderboard.tasks.facts import questions
from leaderboard.tasks.lock import lock_phases, task_locked
from leaderboard.tasks.models import Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import check_display_name

FIELD = "fact_sheet"
LONGEST_CHOICE, MOST_CHOICES, MOST_QUESTIONS = 80, 50, 30


class CannotRemove(Exception):
    """Why a question stays, in words for an organizer."""


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
    """Raises CannotRemove for one that was answered."""
    with task_locked(task) as now:
        lock_phases(task.pk)  # no answer comes in between
        if answered(now, [question])[question.name]:
            raise CannotRemove(
                _("“%s” was answered: hide it instead, its answers are kept.")
                % question.title
            )
        tables.remove(task, FIELD, question.name)


def hide_question(task: Task, question: Question, hidden: bool) -> None:
    """Raises tables.Meanwhile."""
    tables.edit(task, FIELD, question.name, lambda now: {**now, "hidden": hidden})


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
            said = _("Write the answers to choose from, one a line.")
            self.add_error("choices", said)
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
            tables.add(now, FIELD, form.question().as_table())
            messages.success(request, _("The question was added."))
            return redirect("organize-fact-sheet", slug)
        return _sheet(request, now, form)


def _sheet(
    request: HttpRequest, task: Task, form: QuestionForm, refused: str = ""
) -> HttpResponse:
    context = {
        "task": task,
        "form": form,
        "lines": question_lines(task),
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
                tables.put(now, FIELD, name, form.question().as_table())
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
        tables.move(task, FIELD, name, STEPS[what])
    elif what in ("hide", "show", "remove"):
        try:
            if what == "remove":
                remove_question(task, known)
            else:
                hide_question(task, known, what == "hide")
        except (CannotRemove, tables.Meanwhile) as reason:
            task.refresh_from_db()
            return _sheet(request, task, QuestionForm(task, None), str(reason))
    else:
        return _sheet(request, task, QuestionForm(task, None), _("Nothing to do."))
    return redirect("organize-fact-sheet", slug)
