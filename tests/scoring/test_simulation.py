"""Claims of docs/evidence/statistics.md, with a fiftieth of the simulation's trials."""

from pathlib import Path

import pytest

from benchmarks._page import DOCS
from benchmarks.simulation.__main__ import (
    MARKS,
    names_of,
    planned,
    replaced,
    row,
    table,
    table_in,
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


def test_the_printed_table_is_the_one_that_is_simulated() -> None:
    """Every claim, population and number of units in both; nothing is drawn."""
    printed = names_of(
        table_in((DOCS / "evidence" / "statistics.md").read_text("utf-8"))
    )
    assert printed == names_of(planned())


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


def test_lines_that_are_simulated_anew_leave_the_others_as_they_are(
    tmp_path: Path,
) -> None:
    """Trials and target that most lines of a claim have stand in its head."""
    page = tmp_path / "page.md"

    def apart(name: str, share: float, trials: int) -> list[Finding]:
        return [
            Finding(APART, name, share, trials, most=0.06),
            Finding(FAR_APART, name, share / 50, trials, most=0.002),
        ]

    marked = Finding("marks, of *few*", "words, 30 units", 1.0, 50, least=0.9)
    old = [*apart("words, 30 units", 0.04, 4000), *apart("tags, 30 units", 0.05, 4000)]
    page.write_text(f"{MARKS[0]}\n{table([*old, marked])}\n{MARKS[1]}", "utf-8")
    lines = replaced(page, table(apart("tags, 30 units", 0.03, 100))).splitlines()
    assert lines[2:] == [
        f"| **{APART}/0.001** | 4,000 trials, ± .003 | ≤.06/≤.002 |",
        "| words | 30: .040/.0008 |",
        "| tags | 30: .030/.0006 (100 ± .017) |",
        "| **marks, of *few*** | 50 trials, ± .020 | ≥.9 |",
        "| words | 30: 1.000 |",
    ]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    lines = [
        Finding("held", "words, 30 units", 0.5, 100, 0.9, beyond=True, told=True),
        Finding("held", "words, 100 units", 0.94, 100, 0.93, 0.99),
        Finding("held", "tags, 30 units", 0.999, 1000, 0.93, 0.98),
        Finding("told apart", "words, 30 units", 0.3, 1000),
    ]
    written = table(lines)
    assert "not kept, 30: what was not drawn, and it says so |" in written
    page.write_text(f"{MARKS[0]}\n{written}\n{MARKS[1]}", "utf-8")
    assert replaced(page, table(lines[-1:])) == written
