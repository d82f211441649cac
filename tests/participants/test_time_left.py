"""Time left and numbers of units, as sentences of pages have them."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.tasks.models import Phase
from leaderboard.web.templatetags.formats import left, units_in_words


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (18 * 24 + 3, "18 days"),
        (47, "1 day 23 hours"),
        (24, "1 day"),
        (5.2, "5 hours 12 minutes"),
        (97 / 60, "1 hour 37 minutes"),
        (0.5, "30 minutes"),
        (-3, "0 minutes"),
    ],
)
def test_time_left_below_two_days_is_told_in_two_units(
    hours: float, words: str
) -> None:
    moment = timezone.now() + timedelta(hours=hours, seconds=5)
    assert left(moment).replace("\xa0", " ") == words


def test_units_are_counted_in_words() -> None:
    told = [units_in_words(1, "sentence"), units_in_words(320, "sentence")]
    assert told == ["1 sentence", "320 sentences"]
    assert units_in_words(4, "verse") == "4 × verse"


@pytest.mark.django_db
def test_signing_up_from_a_task_leads_back_to_it(client: Client, phase: Phase) -> None:
    page = client.get(phase.task.get_absolute_url()).content.decode()
    assert f"/accounts/signup/?next={phase.task.get_absolute_url()}" in page
