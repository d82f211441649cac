"""Long lists of choices: time zones printed as by Django, measures put in order."""

import pytest
from django import forms
from django.http import QueryDict
from django.test.html import parse_html
from django.utils.translation import gettext_lazy

from leaderboard.organize.fields import LongSelect, MeasuresWidget

CHOICES = [("a", "Ä & co"), ('b"', "<b>"), ("", gettext_lazy("none"))]


def test_every_choice_is_printed_as_django_prints_it() -> None:
    for value in ("a", 'b"', None, "unknown"):
        ours, theirs = (
            parse_html(kind(choices=CHOICES).render("zone", value, {"id": "id_zone"}))
            for kind in (LongSelect, forms.Select)
        )
        assert ours == theirs


@pytest.mark.parametrize(
    ("places", "order"),
    [
        ("a=1 b=2 c=3", "abc"),
        ("a=1 b=2 c=1", "cab"),
        ("a=3 b=2 c=3", "bca"),
        ("a=2 b=1 c=3", "bac"),
        ("a=2 b=3 c=", "abc"),
        ("a=x b= c=1", "cab"),
        ("", "abc"),
    ],
)
def test_measures_stand_where_their_numbers_say(places: str, order: str) -> None:
    """Shown are a, b and c; what was moved to a number pushes the others on."""
    widget = MeasuresWidget(choices=[(one, one) for one in "abcd"])
    data = QueryDict(mutable=True)
    data.setlist("measures", [*"abc"])
    for pair in places.split():
        measure, _equals, place = pair.partition("=")
        data[f"measures_place_{measure}"] = place
    assert widget.value_from_datadict(data, {}, "measures") == [*order]
