"""Form fields for questions, of the fact sheet or on joining, and their answers."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxValueValidator,
    MinValueValidator,
    URLValidator,
)
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models import AnyQuestion, Fact
from leaderboard.teams.models import check_display_name

LONGEST_TEXT, LONGEST_LINK = 200, 400
WHOLE = 10**15  # above it a float does not know every whole number
NO_ANSWER = ("", "–")


def check_no_login(link: str) -> None:
    """Refuse `https://known-site@elsewhere/`, which reads like another site."""
    if "@" in urlsplit(link).netloc:
        raise ValidationError(_("A link must not hold a name before an “@”."))


class LinkInput(forms.TextInput):
    """An input for which browsers ask for no "https://", as they do for a `url`."""

    def __init__(self) -> None:
        super().__init__(attrs={"inputmode": "url"})


class LinkField(forms.URLField):
    """An address of the web, never of a script or a file."""

    widget = LinkInput
    default_validators = [URLValidator(schemes=["http", "https"]), check_no_login]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=LONGEST_LINK, assume_scheme="https", **kwargs)


class NumberField(forms.FloatField):
    """An amount, such as a size or a price; whole ones stay whole."""

    out_of_range = _("Write a number from 0 to 10³⁰.")
    default_validators = [
        MinValueValidator(0, out_of_range),
        MaxValueValidator(AnyQuestion.MOST_NUMBER, out_of_range),
    ]

    def clean(self, value: Any) -> int | float | None:
        number = super().clean(value)
        if number is None or not number.is_integer() or abs(number) > WHOLE:
            return number
        return int(number)


class YesNoField(forms.TypedChoiceField):
    """A field of true or false, which JSON may say as such; None without an answer."""

    def __init__(self, **kwargs: Any) -> None:
        choices = [NO_ANSWER, ("yes", _("Yes")), ("no", _("No"))]
        super().__init__(choices=choices, coerce=_yes, empty_value=None, **kwargs)

    def to_python(self, value: Any) -> str:
        if isinstance(value, bool):
            value = "yes" if value else "no"
        return str(super().to_python(value))


def _yes(value: str) -> bool:
    return value == "yes"


def _text(question: AnyQuestion, about: dict[str, Any]) -> forms.Field:
    return forms.CharField(
        max_length=LONGEST_TEXT, validators=[check_display_name], **about
    )


def _choice(question: AnyQuestion, about: dict[str, Any]) -> forms.Field:
    choices = [NO_ANSWER, *((choice, choice) for choice in question.choices)]
    return forms.ChoiceField(choices=choices, **about)


FIELDS: dict[str, Callable[[AnyQuestion, dict[str, Any]], forms.Field]] = {
    "text": _text,
    "number": lambda question, about: NumberField(**about),
    "choice": _choice,
    "yes_no": lambda question, about: YesNoField(**about),
    "link": lambda question, about: LinkField(**about),
}


def field_of(
    question: AnyQuestion, private: str | Promise = "", public: str | Promise = ""
) -> forms.Field:
    """The field of a question; its help is one of the two, as the answer is."""
    about = {
        "label": question.heading,
        "required": question.required,
        "help_text": public if question.public else private,
    }
    return FIELDS[question.kind](question, about)


class FactsForm(forms.Form):
    """Answers to questions; a form that asks more besides can build on it."""

    fact_prefix = "fact_"
    private: str | Promise = _("Only the organizers see the answer.")
    public: str | Promise = ""  # what most answers are

    def ask(
        self,
        questions: Iterable[AnyQuestion],
        answers: Mapping[str, Fact] | None = None,
    ) -> None:
        """Add a field for each question, filled with what is known."""
        self.questions = tuple(questions)
        for question in self.questions:
            self.fields[self.fact_prefix + question.name] = field_of(
                question, self.private, self.public
            )
            if answers and question.name in answers:
                value = answers[question.name]
                if isinstance(value, bool):
                    value = "yes" if value else "no"
                self.initial[self.fact_prefix + question.name] = value

    def facts(self) -> dict[str, Fact]:
        """Answers by name of the question; after validation."""
        given: dict[str, Fact] = {}
        for question in self.questions:
            answer = self.cleaned_data.get(self.fact_prefix + question.name)
            if answer not in (None, ""):
                given[question.name] = answer
        return given

    def fact_fields(self) -> list[forms.BoundField]:
        return [self[self.fact_prefix + question.name] for question in self.questions]


class RegistrationForm(FactsForm):
    """Answers to the questions that a task asks of the teams that take part."""

    fact_prefix = "answer_"
    private = ""  # the page says it once
    public = _("Everybody sees the answer: on the board, unless you hide your name.")
