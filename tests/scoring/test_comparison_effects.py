"""Units won, lost and tied: worked by hand, and by the quotient rule."""

import numpy as np
import pytest

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import (
    Comparison,
    compare,
    compare_all,
    compare_means,
)
from tests.scoring.made import (
    ACCURACY,
    ERROR,
    F1,
    counts_of,
    random_counts,
    systems_on_shared_units,
)

PLAN = Plan(resamples=50)
# Right, returned and wanted words of five sentences.
FIRST = counts_of([[3, 5, 5], [5, 5, 5], [2, 5, 5], [4, 5, 5], [1, 2, 2]])
SECOND = counts_of([[2, 5, 5], [5, 5, 5], [4, 5, 5], [4, 5, 5], [0, 2, 2]])


def units_of(found: Comparison) -> tuple[int | None, int | None, int | None]:
    return found.won, found.lost, found.tied


def of_pair(
    first: Counts, second: Counts, measure: Measure = ACCURACY
) -> tuple[int | None, int | None, int | None]:
    return units_of(compare(("a", "b"), (first, second), measure, PLAN))


@pytest.mark.parametrize("measure", [ACCURACY, ERROR])
def test_the_unit_is_won_by_the_system_with_more_right_words(measure: Measure) -> None:
    """3 to 2 and 1 to 0 won, 2 to 4 lost; fewer mistakes win as well."""
    assert of_pair(FIRST, SECOND, measure) == (2, 1, 2)
    assert of_pair(SECOND, FIRST, measure) == (1, 2, 2)


def test_an_answer_too_many_loses_the_unit() -> None:
    """One right word more, paid with nine wrong answers, lowers F1."""
    first = counts_of([[3, 14, 5], [3, 4, 5], [4, 5, 5]])
    second = counts_of([[2, 4, 5], [3, 5, 5], [4, 5, 5]])
    assert of_pair(first, second, F1) == (1, 1, 1)


@pytest.mark.parametrize("seed", range(5))
def test_units_of_a_harmonic_mean_follow_its_gradient(seed: int) -> None:
    """2 right / (returned + wanted), by the quotient rule, in whole numbers."""
    first, other = random_counts(70, seed, 0.9), random_counts(70, seed, 0.7)
    second = counts_of(np.column_stack([other.table[:, :2], first.table[:, 2]]))
    right, returned, wanted = (first.totals + second.totals).astype(int).tolist()
    apart = (first.table - second.table).astype(int)
    terms = [a * (returned + wanted) - right * b for a, b, _ in apart.tolist()]
    won, lost = sum(t > 0 for t in terms), sum(t < 0 for t in terms)
    assert of_pair(first, second, F1) == (won, lost, 70 - won - lost)


def test_units_of_several_test_sets_are_added_up() -> None:
    rows = {
        name: [(FIRST if name == "a" else SECOND, PLAN), (one, Plan(50, 1))]
        for name, one in (
            ("a", counts_of([[1, 1, 1], [0, 1, 1]])),
            ("b", counts_of([[0, 1, 1], [0, 1, 1]])),
        )
    }
    (found,) = compare_means(rows, ACCURACY)
    assert units_of(found) == (3, 1, 3)


def test_every_pair_of_several_has_the_counts_that_it_has_alone() -> None:
    """One of them has no value: its pairs have none, the others keep their places."""
    three = systems_on_shared_units(60, [0.8, 0.7, 0.6], seed=1)
    systems = {"empty": counts_of([[0, 0, 0]] * 60), **three}
    for found in compare_all(systems, ACCURACY, PLAN):
        pair = systems[found.first], systems[found.second]
        nothing = (None, None, None)
        alone = nothing if found.first == "empty" else of_pair(*pair)
        assert units_of(found) == alone
        assert (found.first == "empty") == (found.won is None)


def test_a_system_without_a_test_set_wins_no_units_there() -> None:
    plan = Plan(50, 1)
    rows = {
        "part": [(FIRST, PLAN), None],
        "a": [(FIRST, PLAN), (FIRST, plan)],
        "b": [(SECOND, PLAN), (SECOND, plan)],
    }
    found = {(c.first, c.second): units_of(c) for c in compare_means(rows, ACCURACY)}
    assert found == {
        ("part", "a"): (None, None, None),
        ("part", "b"): (None, None, None),
        ("a", "b"): (4, 2, 4),
    }
