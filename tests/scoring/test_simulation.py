"""Claims of docs/evidence/statistics.md, with a fiftieth of the simulation's trials."""

from pathlib import Path

import pytest

from benchmarks.simulation.__main__ import (
    LINES,
    MARKS,
    PAGE,
    numbers_of_units,
    planned,
    read_cells,
    renewed,
    row,
    summary,
    table,
    write_cells,
)
from benchmarks.simulation.claims import (
    APART,
    FAR_APART,
    Finding,
    intervals,
    pairs_and_boards,
    ranks_and_power,
)

SCALE = 0.02


@pytest.mark.thorough
def test_equals_are_told_apart_no_more_often_than_is_claimed() -> None:
    broken = [row(one) for one in pairs_and_boards(SCALE) if not one.passed]
    assert not broken


@pytest.mark.thorough
def test_ranks_lie_in_their_ranges_and_power_is_as_promised() -> None:
    found = ranks_and_power(SCALE)
    assert not [row(one) for one in found if not (one.passed or one.beyond)]


@pytest.mark.thorough
def test_intervals_hold_the_truth_as_often_as_is_claimed() -> None:
    """Only the lower bounds: with so few trials nothing is known of the upper ones."""
    found = list(intervals(SCALE))
    short = [one for one in found if one.share < one.least - 3 * one.error]
    assert not [row(one) for one in short if not one.beyond]


def test_the_lines_of_the_file_are_those_that_are_simulated() -> None:
    """Every claim, population and number of units in both; nothing is drawn."""
    assert numbers_of_units(read_cells(LINES)) == numbers_of_units(planned())


def test_the_page_sums_up_the_lines_of_the_file() -> None:
    printed = PAGE.read_text("utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0]
    assert printed.strip() == summary(read_cells(LINES))


def test_a_claim_that_is_not_kept_is_told_from_luck() -> None:
    """0.065 of 100 trials may be 0.06; of 100,000 it is not."""
    assert Finding("", "", 0.065, 100, most=0.06).passed
    assert not Finding("", "", 0.065, 100_000, most=0.06).passed
    assert not Finding("", "", 0.01, 10_000, least=0.035).passed


def test_only_intervals_that_hold_too_often_are_wrong_on_the_safe_side() -> None:
    assert Finding("", "", 0.999, 1000, least=0.93, most=0.98).safe
    assert not Finding("", "", 0.8, 1000, least=0.93, most=0.98).safe
    assert not Finding("", "", 0.2, 1000, most=0.06).safe
    assert not Finding("", "", 0.9, 1000, least=0.035, most=0.06).safe


def apart(name: str, share: float, trials: int) -> list[Finding]:
    return [
        Finding(APART, name, share, trials, most=0.06),
        Finding(FAR_APART, name, share / 50, trials, most=0.002),
    ]


def test_lines_that_are_simulated_anew_leave_the_others_as_they_are() -> None:
    """The target is that of most lines of a claim."""
    marked = Finding("marks, of *few*", "words, 30 units", 1.0, 50, least=0.9)
    old = [*apart("words, 30 units", 0.04, 4000), *apart("tags, 30 units", 0.05, 4000)]
    cells = renewed(table([*old, marked]), table(apart("tags, 30 units", 0.03, 100)))
    both = f"{APART}/0.001"
    assert cells[both]["words"] == [
        "words", "30: .040/.0008", "4,000", ".003", "≤.06/≤.002", "",
    ]  # fmt: skip
    assert cells[both]["tags"][1:4] == ["30: .030/.0006", "100", ".017"]
    assert summary(cells).splitlines()[2:] == [
        f"| {both} | 2 | .030-.040/.0006-.0008 | ≤.06/≤.002 |",
        "| marks, of *few* | 1 | 1.000 | ≥.9 |",
    ]


def test_lines_are_read_as_they_were_written_and_the_summary_has_promises_alone(
    tmp_path: Path,
) -> None:
    lines = [
        Finding("held", "words, 30 units", 0.5, 100, 0.9, beyond=True, told=True),
        Finding("held", "words, 100 units", 0.94, 100, 0.93, 0.99),
        Finding("held", "tags, 30 units", 0.999, 1000, 0.93, 0.98),
        Finding("held", "in all", 0.2, 1000, 0.9),
        Finding("told apart", "words, 30 units", 0.3, 1000),
    ]
    cells = table(lines)
    write_cells(tmp_path / "lines.csv", cells)
    assert read_cells(tmp_path / "lines.csv") == cells
    held, *breaches = summary(cells).splitlines()[2:]
    assert held == "| held | 4 | .940 | ≥.9, .93-.99 |"
    assert breaches == [
        "",
        "Not kept, of *held*:",
        "",
        "- words, 30: .500, what was not drawn, and it says so",
        "- tags, 30: .999, too wide",
        "- in all, .200, **no**",
    ]
