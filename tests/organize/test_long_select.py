"""The list of time zones is what Django would have printed, sooner."""

from django import forms
from django.test.html import parse_html
from django.utils.translation import gettext_lazy

from leaderboard.organize.fields import LongSelect

CHOICES = [("a", "Ä & co"), ('b"', "<b>"), ("", gettext_lazy("none"))]


def test_every_choice_is_printed_as_django_prints_it() -> None:
    for value in ("a", 'b"', None, "unknown"):
        ours, theirs = (
            parse_html(kind(choices=CHOICES).render("zone", value, {"id": "id_zone"}))
            for kind in (LongSelect, forms.Select)
        )
        assert ours == theirs
