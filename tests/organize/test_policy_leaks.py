"""Scores that are published where only the best are, and what attackers learn."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.results.scores import improvements
from tests.organize import leaks
from tests.organize.leaks import N, certain, flips, gain, votes


def test_only_a_better_score_is_published() -> None:
    """An equal one isn't, though two ways of adding it up differ in the last digit."""
    values = [0.60, 0.55, 0.60, 0.1 + 0.2 + 0.3, 0.61]
    assert improvements(values, [1] * 5, True) == [True, False, False, False, True]


def test_where_lower_is_better_only_a_fall_is_published() -> None:
    values = [0.30, 0.40, 0.26, 0.27]
    assert improvements(values, [1] * 4, False) == [True, False, True, False]


def test_each_team_has_a_best_of_its_own() -> None:
    values, teams = [0.5, 0.4, 0.5, 0.6], ["a", "b", "a", "b"]
    assert improvements(values, teams, True) == [True, True, False, True]


def test_a_number_beats_na_and_na_beats_nothing() -> None:
    values = [None, None, 0.1, None]
    assert improvements(values, [1] * 4, True) == [True, False, True, False]


@given(st.lists(st.floats(0, 1), max_size=30))
def test_what_a_team_publishes_never_falls(values: list[float]) -> None:
    published = improvements(values, [1] * len(values), True)
    shown = [value for value, better in zip(values, published, strict=True) if better]
    assert shown == sorted(shown)
    assert not values or shown[-1] == pytest.approx(max(values), abs=1e-11)


# --- Attackers: labels are coin flips, and nobody ever looks at the data. ---

RUNS = 4  # means of so many are good to about 0.01
PAGE = Path(__file__).parents[2] / "docs" / "organizers" / "disclosure.md"


def test_exact_scores_are_broken_by_random_answers_and_by_climbing() -> None:
    """Reliability research, 6.2: .643 by boosting, .736 by climbing."""
    assert gain(votes, RUNS) > 0.60
    assert gain(flips, RUNS) > 0.65


def test_exact_scores_tell_every_label_with_fewer_attempts_than_labels() -> None:
    """Cantor and Mills (1966): 128 weighings determine 576 coins."""
    assert certain() == (N, 128)


@pytest.mark.slow
def test_the_handbook_has_the_table_that_the_attacks_give() -> None:
    found = "\n".join(leaks.table())
    assert found in PAGE.read_text("utf-8"), found
