"""The questions of a task's fact sheet as fields of a form."""

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import URLValidator
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.facts import Fact, Question
from leaderboard.teams.models import check_display_name

PREFIX = "fact_"
LONGEST_TEXT, LONGEST_LINK = 200, 400
WHOLE = 10**15  # above it a float does not know every whole number
NO_ANSWER = ("", "–")


def check_no_login(link: str) -> None:
    """Refuse `https://known-site@elsewhere/`, which reads like another site."""
    if "@" in urlsplit(link).netloc:
        raise ValidationError(_("A link must not hold a name before an “@”."))


class LinkField(forms.URLField):
    """An address of the web, never of a script or a file."""

    default_validators = [URLValidator(schemes=["http", "https"]), check_no_login]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=LONGEST_LINK, assume_scheme="https", **kwargs)


class NumberField(forms.FloatField):
    """A finite number; whole ones stay whole."""

    def clean(self, value: Any) -> int | float | None:
        number = super().clean(value)
        if number is None or not number.is_integer() or abs(number) > WHOLE:
            return number
        return int(number)


def _yes(value: str) -> bool:
    return value == "yes"


def _text(question: Question, about: dict[str, Any]) -> forms.Field:
    return forms.CharField(
        max_length=LONGEST_TEXT, validators=[check_display_name], **about
    )


def _choice(question: Question, about: dict[str, Any]) -> forms.Field:
    choices = [NO_ANSWER, *((one, one) for one in question.choices)]
    return forms.ChoiceField(choices=choices, **about)


def _yes_no(question: Question, about: dict[str, Any]) -> forms.Field:
    choices = [NO_ANSWER, ("yes", _("Yes")), ("no", _("No"))]
    return forms.TypedChoiceField(
        choices=choices, coerce=_yes, empty_value=None, **about
    )


FIELDS = {
    "text": _text,
    "number": lambda question, about: NumberField(**about),
    "choice": _choice,
    "yes_no": _yes_no,
    "link": lambda question, about: LinkField(**about),
}


def field_of(question: Question) -> forms.Field:
    help_text = "" if question.public else _("Only the organizers see the answer.")
    about = {
        "label": question.title,
        "required": question.required,
        "help_text": help_text,
    }
    return FIELDS[question.kind](question, about)


class FactsForm(forms.Form):
    """Answers to questions; a form that asks more besides can build on it."""

    def ask(
        self, found: Iterable[Question], known: Mapping[str, Fact] | None = None
    ) -> None:
        """Add a field for each question, filled with what is known."""
        self.questions = tuple(found)
        for question in self.questions:
            self.fields[PREFIX + question.name] = field_of(question)
            if known and question.name in known:
                value = known[question.name]
                if isinstance(value, bool):
                    value = "yes" if value else "no"
                self.initial[PREFIX + question.name] = value

    def facts(self) -> dict[str, Fact]:
        """What was answered, by name of the question; after validation."""
        given = {
            question.name: self.cleaned_data.get(PREFIX + question.name)
            for question in self.questions
        }
        return {name: value for name, value in given.items() if value not in (None, "")}

    def fact_fields(self) -> list[forms.BoundField]:
        return [self[PREFIX + question.name] for question in self.questions]
