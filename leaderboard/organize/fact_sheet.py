"""Questions that organizers ask: of each system (fact sheet), of teams that join."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.db.models import Count, Q, QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.organize.fields import LinesField
from leaderboard.organize.parts import PartForm, PartsPage
from leaderboard.submissions.models import Submission
from leaderboard.tasks.access import lock_phases
from leaderboard.tasks.models import (
    AnyQuestion,
    Participation,
    Question,
    RegistrationQuestion,
    Task,
)
from leaderboard.teams.refusal import Refusal


def answers_by_question(task: Task, questions: Iterable[AnyQuestion]) -> dict[str, int]:
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
    return {
        question.name: numbers[f"n{place}"] for place, question in enumerate(questions)
    }


class QuestionForm(PartForm):
    name_is_taken = gettext_lazy("There is a question of that name.")
    list_is_full = gettext_lazy("A fact sheet has at most 30 questions.")

    class Meta:
        model: type[AnyQuestion] = Question
        fields: tuple[str, ...] = (
            "title",
            "name",
            "kind",
            "unit",
            "choices",
            "required",
            "public",
        )
        field_classes = {"choices": LinesField}
        widgets = {"choices": forms.Textarea(attrs={"rows": 4})}
        help_texts: dict[str, Promise] = {}

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        if name and answers_by_question(task, [self.instance])[name]:
            self.fields["kind"].disabled = True
            self.fields["kind"].help_text = _("It was answered: its kind stays.")


class RegistrationQuestionForm(QuestionForm):
    list_is_full = gettext_lazy("A task asks teams at most 30 questions.")

    class Meta(QuestionForm.Meta):
        model = RegistrationQuestion
        fields = ("title", "name", "kind", "choices", "required", "public")
        help_texts = {
            "title": gettext_lazy("Short, for example “Affiliation”."),
            "name": gettext_lazy(
                "As in the API and in task.yaml, for example “affiliation”."
            ),
            "public": gettext_lazy("Decided before a team has answered."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Teams that answered were told who reads it.
        self.fields["public"].disabled = self.fields["kind"].disabled


class FactSheetPage(PartsPage):
    form_class: type[QuestionForm] = QuestionForm
    address = "fact-sheet"
    names = ("organize-fact-sheet", "organize-question", "organize-question-change")
    title = gettext_lazy("Fact sheet")
    lead = gettext_lazy(
        "Questions to every system, asked with the upload. Public answers become "
        "columns and filters of the board."
    )
    all_parts = gettext_lazy("All questions")
    add = gettext_lazy("Add a question")
    saved = gettext_lazy("The question was added.")
    table_title = gettext_lazy("Questions")
    columns = (
        ("", gettext_lazy("Question")),
        ("", gettext_lazy("Name")),
        ("", gettext_lazy("Kind")),
        ("number", gettext_lazy("Answers")),
    )
    line = "organize/_question_line.html"

    def parts(self) -> list[AnyQuestion]:
        questions = super().parts()
        answers = answers_by_question(self.task, questions)
        for question in questions:
            question.answers = answers[question.name]
        return questions

    def act(self, part: Any, action: str) -> None:
        """Do what may be done to a part, or hide or show it; answers stay."""
        if action in ("hide", "show"):
            part.hidden = action == "hide"
            part.save(update_fields=["hidden"])
            return
        if action == "remove":
            _require_unanswered(part)
        super().act(part, action)


class RegistrationPage(FactSheetPage):
    form_class = RegistrationQuestionForm
    address = "registration"
    names = (
        "organize-registration",
        "organize-registration-question",
        "organize-registration-change",
    )
    title = gettext_lazy("Registration")
    lead = gettext_lazy(
        "Questions to every team, asked when it joins. Only the team and the "
        "organizers see the answers, unless the question is public. Teams that are in "
        "already can answer later, on the page of their team."
    )


def _require_unanswered(part: Any) -> None:
    """Raises Refusal for a question that was answered."""
    lock_phases(part.task_id)  # no answer comes in between
    if answers_by_question(part.task, [part])[part.name]:
        sentence = _("“%s” was answered: hide it instead, its answers are kept.")
        raise Refusal(sentence % part.title)
