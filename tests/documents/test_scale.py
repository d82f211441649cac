"""Figures of the documents are those that the programs print."""

from pathlib import Path

import pytest

from benchmarks import capacity
from benchmarks._page import PERFORMANCE
from benchmarks.growth import report


def between(page: Path, marks: tuple[str, str]) -> list[str]:
    text = page.read_text("utf-8")
    return text.split(marks[0])[1].split(marks[1])[0].strip().splitlines()


def test_the_growth_of_the_document_is_what_was_kept() -> None:
    told = between(PERFORMANCE, (report.BEGIN, report.END))
    assert told[:-2] == report.lines(report.kept())


def test_the_capacity_of_the_document_is_what_the_program_computes() -> None:
    told = between(capacity.PAGE, (capacity.BEGIN, capacity.END))
    assert told == capacity.lines(report.kept())


def costs(**changes: float) -> capacity.Costs:
    table = {
        "upload": 0.07,
        "score": 0.35,
        "page": 0.007,
        "made": 0.1,
        "file": 1e6,
        "row": 3e4,
    }
    return capacity.Costs(**table | changes)


def test_needs_are_rates_by_costs_over_the_share_that_is_used() -> None:
    """By hand: 10,000 / 600 x 0.07 / 0.7; 1,000 x 0.007 / 0.7; 3,500 / 3,600 / 0.7."""
    accept, show, score = capacity.needs(costs())
    assert accept.cores == pytest.approx(1.6667, abs=1e-4)
    assert show.cores == pytest.approx(10.0)
    assert score.cores == pytest.approx(1.3889, abs=1e-4)


def test_what_gives_first_is_what_is_used_up_most() -> None:
    """Pages: (1.6667 + 10) / 2 by hand."""
    size = capacity.Size("small", 2, 2)
    assert capacity.gives_first(costs(), size) == "pages: 5.8 times what there is"
    slow = costs(score=70.0)
    assert capacity.gives_first(slow, size) == "scoring: 138.9 times what there is"


def test_scoring_costs_what_it_does_when_every_core_works() -> None:
    """Two cores, eight files a second by two workers: a quarter of a core's second."""
    found = {
        "workers": {"sizes": [1, 2, 4], "rates": [5.0, 8.0, 8.1]},
        "cores": 2,
        "board": {"kept": [1, 2, 3], "ms": [10, 20, 30]},
        "intake_ms": 50,
        "upload_bytes": 1,
        "database_bytes": 1,
    }
    assert capacity.Costs.of(found).score == 0.25


def test_a_curve_in_proportion_has_the_power_one() -> None:
    assert capacity.exponent([10, 100, 1000], [2, 20, 200]) == pytest.approx(1)
    assert capacity.straight([10, 100, 1000], [2, 20, 200]) == pytest.approx(20)
