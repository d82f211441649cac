"""Where the score is lost: told in sentences that lead to the units."""

import re
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from leaderboard.extras.errors.client import CannotLook, Look
from leaderboard.extras.errors.views import largest
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from scoring.inspection.slices import UnitSlice
from scoring.measures import Measure
from tests.leaderboard.small import both, conllu, scored
from tests.organize.disclosing import logged_in, revealed, unrevealed

LAS = Measure("las", "LAS", ("las", "words"), np.divide, "right / words")
WORSE = replace(LAS, name="wrong", title="Wrong", higher_is_better=False)


def part(label: str, value: float, low: float, high: float, rest: float) -> UnitSlice:
    return UnitSlice("genre", label, 40, value, True, low, high, rest=rest)


def overview(*parts: UnitSlice, **more: Any) -> dict[str, Any]:
    whole = UnitSlice("", "", 100, 0.8, True, 0.78, 0.82)
    listed = {"errors": more.get("errors", {})}
    slices = [[asdict(one) for one in (whole, *parts)]]
    return {"slices": slices, "listing": listed, "matrices": more.get("matrices", [])}


def test_the_part_without_which_the_score_rises_most_is_named() -> None:
    found = largest(
        overview(
            part("tale", 0.75, 0.72, 0.78, 0.83),
            part("letter", 0.60, 0.50, 0.70, 0.87),
            part("record", 0.95, 0.93, 0.97, 0.7),
        ),
        LAS,
    )
    (loss,) = found
    assert "60.0 on genre letter, 40 of 100 units, and 87.0 on all others" in loss.text
    assert loss.chosen == "slice=genre%3Aletter"


def test_a_part_whose_interval_holds_the_whole_score_is_not_named() -> None:
    assert largest(overview(part("tale", 0.7, 0.55, 0.81, 0.85)), LAS) == []


def test_where_less_is_better_the_part_with_more_is_named() -> None:
    parts = part("tale", 0.9, 0.85, 0.95, 0.7), part("letter", 0.5, 0.4, 0.6, 0.9)
    (loss,) = largest(overview(*parts), WORSE)
    assert "genre tale" in loss.text


def test_the_most_frequent_kind_and_confusion_are_named() -> None:
    matrix = {
        "layer": "relation",
        "labels": ["obl", "nmod", ""],
        "cells": [[50, 7, 90], [12, 60, 0], [30, 0, 0]],
    }
    kinds = {"head": 30, "label": 70}
    kind, confusion = largest(overview(errors=kinds, matrices=[matrix]), LAS)
    assert "wrong relation" in kind.text and "70 of 100" in kind.text
    assert confusion.text == "The most frequent confusion is nmod taken for obl: 12."
    assert confusion.chosen == "gold=relation%3Anmod&system=relation%3Aobl"


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    """A wrong head, and no relation right."""
    relations = conllu((4, 3, 0, 3, 2, 0, 2, 3), ("dep",) * 8)
    return scored(phase, entry, both({"north": relations.encode()}))


@pytest.mark.django_db
def test_a_submission_offers_it_to_those_who_see_its_errors(
    sent: Submission, phase: Phase, ben: User
) -> None:
    member, address = logged_in(ben), f"{sent.get_absolute_url()}errors/summary/"
    assert address in member.get(sent.get_absolute_url()).content.decode()
    assert member.get(address).status_code == 200
    unrevealed(phase, "blind")
    assert address not in member.get(sent.get_absolute_url()).content.decode()
    assert member.get(address).status_code == 404


@pytest.mark.django_db
def test_a_page_brings_it_at_once_and_what_replaces_a_wait_by_a_click(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = scored(phase, entry, both())
    page, member = sent.get_absolute_url(), logged_in(ben)
    assert 'hx-trigger="load"' in member.get(page).text
    swapped = member.get(f"{page}?part=status", headers={"HX-Request": "true"}).text
    assert 'hx-trigger="toggle once"' in swapped and 'hx-trigger="load"' not in swapped


@pytest.mark.django_db
def test_with_the_answer_key_out_kinds_lead_to_their_units(
    sent: Submission, phase: Phase, ben: User
) -> None:
    revealed(phase)
    answer = logged_in(ben).get(f"{sent.get_absolute_url()}errors/summary/")
    page = answer.content.decode()
    assert "“wrong relation”: 8 of 9." in page
    assert "errors/?test_set=north&amp;kind=label" in page
    assert re.search(
        r"errors/\?test_set=north&amp;gold=relation%3A\w+&amp;system=", page
    )


@pytest.mark.django_db
def test_files_that_cannot_be_looked_into_are_no_error_of_the_page(
    sent: Submission, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_args: Any) -> None:
        raise CannotLook

    monkeypatch.setattr(Look, "overview", fails)
    answer = logged_in(ben).get(f"{sent.get_absolute_url()}errors/summary/")
    assert answer.status_code == 200
    assert "failed on our side" in answer.content.decode()
