"""Differences have the decimals that the scores of their measure have."""

import re

import pytest
from django.test import Client

from leaderboard.submissions.models import Submission
from leaderboard.teams.models import User
from tests.leaderboard.numbers_task import GROWING, HERE, sent_to_numbers

# Answers that differ in one item, and so by a few thousandths of a correlation.
CLOSE = GROWING.replace(b"i19,19", b"i19,20")
NUMBER = re.compile(r"[+\u2212-]?\d+\.(\d+)")


def decimals_in(answer: str, *ends: str) -> set[int]:
    """Lengths of the fractions of all numbers in a part of a page."""
    part = answer[answer.index(ends[0]) : answer.index(ends[1])]
    return {len(digits) for digits in NUMBER.findall(re.sub("<[^>]+>", " ", part))}


@pytest.mark.django_db
def test_differences_of_correlations_are_no_coarser_than_correlations() -> None:
    sent_to_numbers({"growing": GROWING, "close": CLOSE})
    systems = [str(key) for key in Submission.objects.values_list("pk", flat=True)]
    address = f"{HERE}/compare/"
    (exact,) = Client().get(f"/api/v1{address}", {"system": systems}).json()
    assert 0 < abs(exact["difference"]) < 0.005  # nothing, in two decimals
    page = Client().get(address, {"system": systems, "entries": "all"})
    shown = page.content.decode()
    assert f"{abs(exact['difference']):.3f}" in shown
    assert decimals_in(shown, "By measure", "Every measure") == {3}


@pytest.mark.django_db
def test_scores_of_a_system_on_each_test_set_are_those_of_the_board() -> None:
    phase = sent_to_numbers({"growing": GROWING})
    key = Submission.objects.get().pk
    page = Client().get(f"{HERE}/across/", {"system": str(key)}).content.decode()
    rows = Client().get(f"/api/v1{HERE}/board/", {"test_set": "north"}).json()["rows"]
    assert f"{rows[0]['scores']['pearson']['value']:.3f}" in page, phase


@pytest.mark.django_db
def test_gains_between_two_of_ones_own_are_as_fine_as_scores() -> None:
    sent_to_numbers({"growing": GROWING, "close": CLOSE})
    client = Client()
    client.force_login(User.objects.get(email="ada@example.org"))
    first, second = Submission.objects.values_list("pk", flat=True)
    chosen = {"submission": [str(first), str(second)]}
    page = client.get("/tasks/otters/submissions/compare/", chosen).content.decode()
    assert 2 not in decimals_in(page, "<main", "</main")
