"""Publication: grids, the ladder, and what an attacker gets out of them."""

from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.boards.standings import overlap_standings
from leaderboard.results.board_sample import spread_of
from leaderboard.results.scores import (
    FEW,
    Candidate,
    Grid,
    Score,
    climbed,
    eta,
    share_error,
)
from scoring.measures import Measure, ratio
from scoring.statistics.bootstrap import Numbers
from tests.organize import leaks
from tests.organize.leaks import (
    GridSite,
    LadderSite,
    N,
    Site,
    best_growing,
    certain,
    flips,
    gain,
    votes,
)

ACCURACY = Measure("accuracy", "Accuracy", ("right", "all"), ratio, "right / all")
ERRORS = Measure(
    "errors", "Errors", ("wrong", "all"), ratio, "wrong / all", False, False
)


def score(value: float | None, low: float, high: float, grid: Grid) -> Score:
    return Score.of(ACCURACY, Numbers(value, low, high), grid)


@pytest.mark.parametrize(
    ("size", "number", "below", "nearest", "above"),
    [
        (0.005, 0.8125, 0.81, 0.81, 0.815),
        (0.005, 0.8126, 0.81, 0.815, 0.815),
        (0.02, 0.61, 0.60, 0.60, 0.62),
        (0.02, 0.62, 0.62, 0.62, 0.62),
        (0.012, -0.02, -0.024, -0.024, -0.012),
    ],
)
def test_a_grid_rounds_to_its_multiples(
    size: float, number: float, below: float, nearest: float, above: float
) -> None:
    grid = Grid(size)
    found = (grid.below(number), grid.nearest(number), grid.above(number))
    assert found == (below, nearest, above)


def test_a_score_is_rounded_and_its_interval_outward() -> None:
    found = score(0.8049, 0.7811, 0.8232, Grid(0.01))
    unknown = {"informative_units": None, "few_units": None}
    assert found.exact == {"value": 0.80, "low": 0.78, "high": 0.83, **unknown}
    assert found.decimals == (0, 0)
    finer = score(0.8049, 0.7811, 0.8232, Grid(0.005))
    assert finer.exact == {"value": 0.805, "low": 0.78, "high": 0.825, **unknown}
    assert finer.decimals == (1, 1)


def test_a_rounded_score_says_that_units_are_few_but_not_how_many() -> None:
    """How many sentences bear on a tag says in which of them the gold has it."""
    for units, few in ((9, True), (10, False), (500, False)):
        numbers = Numbers(0.8, 0.7, 0.9, informative_units=units)
        measure = score(0.8, 0.7, 0.9, None).measure
        rounded = Score.of(measure, numbers, Grid(0.01))
        assert rounded.exact["informative_units"] is None
        assert rounded.exact["few_units"] is few
        assert rounded.interval.endswith(FEW) is few
        assert Score.of(measure, numbers).exact["informative_units"] == units


def test_shares_stay_within_zero_and_one() -> None:
    found = score(0.999, 0.98, 1.0, Grid(0.017))
    assert found.exact["value"] <= 1.0
    assert found.exact["high"] == 1.0


def test_na_stays_na() -> None:
    assert set(score(None, 0, 0, Grid(0.01)).exact.values()) == {None}


def test_an_error_rate_above_one_is_not_taken_for_one() -> None:
    found = score(1.304, 0.94, 1.52, Grid(0.05))
    assert (found.value, found.interval) == (130.0, "[90, 155]")


@pytest.mark.parametrize(
    ("error", "steps", "size"),
    [(0.02236, 1.0, 0.025), (0.02236, 2.0, 0.05), (0.11, 0.5, 0.06), (0.031, 1, 0.04)],
)
def test_the_step_is_the_standard_error_rounded_up(
    error: float, steps: float, size: float
) -> None:
    assert eta(error, steps, share_error([500])).size == pytest.approx(size)


@pytest.mark.parametrize(
    ("error", "steps", "units", "size"),
    [
        (0.0, 1.0, [500], 0.025),  # 0.5 / sqrt(500) is 0.02236
        (0.003, 1.0, [500], 0.025),
        (0.003, 0.5, [500], 0.025),
        (0.003, 2.0, [500], 0.05),
        (None, 1.0, [100], 0.05),
        (0.0, 1.0, [100, 100], 0.04),  # sqrt(2 * 0.25 / 100) / 2 is 0.0354
    ],
)
def test_the_step_is_no_smaller_near_the_ends_of_the_scale(
    error: float | None, steps: float, units: list[int], size: float
) -> None:
    assert eta(error, steps, share_error(units)).size == pytest.approx(size)


def test_two_right_answers_clear_no_bar_near_the_top() -> None:
    """496 and 498 of 500: the score's own standard error, 0.004, would let it pass."""
    right = np.arange(500) < 496
    better = np.arange(500) < 498
    draws = np.random.default_rng(1).multinomial(500, np.full(500, 1 / 500), size=500)
    found = []
    for answers in (right, better):
        resampled = draws @ answers / 500
        step = eta(float(spread_of(resampled)), 1.0, share_error([500])).size
        found.append(Candidate(float(answers.mean()), step, resampled))
    assert climbed(found, [1, 1], True) == [True, False]


@given(st.floats(1e-6, 50))
def test_a_grid_is_round_and_not_finer_than_asked(size: float) -> None:
    found = Grid.at_least(size).size
    assert size * (1 - 1e-6) <= found <= size * (1 + 1 / 3) + 1e-12
    assert float(f"{found:.2g}") == found


def test_only_a_gain_above_the_step_is_published() -> None:
    """0.60 is first, 0.65 gains 0.05 and not more, 0.66 does, 0.72 beats 0.66."""
    values = [0.60, 0.65, 0.66, 0.70, 0.72]
    found = climbed([Candidate(v, 0.05) for v in values], [1] * 5, True)
    assert found == [True, False, True, False, True]


def test_the_larger_step_of_new_and_best_is_the_bar() -> None:
    """A gain of four points: below the step of the best, then below the new one's."""
    unsure, sure = Candidate(0.50, 0.05), Candidate(0.54, 0.01)
    assert climbed([unsure, sure], "aa", True) == [True, False]
    sure, unsure = Candidate(0.50, 0.01), Candidate(0.54, 0.05)
    assert climbed([sure, unsure], "aa", True) == [True, False]
    assert climbed([sure, Candidate(0.54, 0.03)], "aa", True) == [True, True]


def test_where_lower_is_better_only_a_fall_is_published() -> None:
    values = [0.30, 0.40, 0.26, 0.19]
    found = climbed([Candidate(v, 0.1) for v in values], [1] * 4, False)
    assert found == [True, False, False, True]


def test_teams_climb_by_themselves() -> None:
    candidates = [Candidate(v) for v in (0.5, 0.4, 0.5, 0.6)]
    assert climbed(candidates, ["a", "b", "a", "b"], True) == [True, True, False, True]


def test_a_number_beats_na_and_na_beats_nothing() -> None:
    values = [None, None, 0.1, None]
    found = climbed([Candidate(v) for v in values], [1] * 4, True)
    assert found == [True, False, True, False]


def test_a_gain_below_its_paired_standard_error_is_not_published() -> None:
    """Resampled differences are -0.2 and 0.4: mean 0.1, standard deviation 0.3."""
    base = Candidate(0.5, 0.0, np.array([0.5, 0.5]))
    new = Candidate(0.6, 0.0, np.array([0.3, 0.9]))
    assert climbed([base, new], [1, 1], True) == [True, False]
    steady = Candidate(0.6, 0.0, np.array([0.6, 0.6]))
    assert climbed([base, steady], [1, 1], True) == [True, True]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.0001, 0.2)), max_size=30))
def test_what_a_team_publishes_never_falls(pairs: list[tuple[float, float]]) -> None:
    steps = [Grid.at_least(step) for _, step in pairs]
    found = climbed(
        [Candidate(v, g.size) for (v, _), g in zip(pairs, steps, strict=True)],
        [1] * len(pairs),
        True,
    )
    shown = [
        score(v, v, v, grid).exact["value"]
        for (v, _), grid, taken in zip(pairs, steps, found, strict=True)
        if taken
    ]
    # A share at the very top is cut to the largest multiple below 1.
    assert all(a <= b + 0.2 for a, b in pairwise(shown))
    inner = [v for v in shown if v < 0.75]
    assert inner == sorted(inner)


intervals = st.tuples(st.floats(0, 1), st.floats(0, 0.2), st.floats(0, 0.2))


@given(
    st.lists(intervals, min_size=1, max_size=12),
    st.sampled_from([0.001, 0.005, 0.012, 0.1]),
    st.booleans(),
)
def test_published_ranks_never_contradict_published_numbers(
    found: list[tuple[float, float, float]], size: float, higher: bool
) -> None:
    measure = ACCURACY if higher else ERRORS
    scores = [
        Score.of(measure, Numbers(v, v - a, v + b), Grid(size)) for v, a, b in found
    ]
    standings = overlap_standings(scores, higher)
    values = [s.exact["value"] * (1 if higher else -1) for s in scores]
    for i, one in enumerate(standings):
        assert one.rank == 1 + sum(value > values[i] for value in values)
        assert 1 <= one.low <= one.rank <= one.high <= len(scores)
        for j, other in enumerate(standings):
            if values[i] > values[j]:
                assert one.rank < other.rank
                assert one.cluster <= other.cluster
            if one.cluster != other.cluster:
                assert apart(scores[i], scores[j])


def apart(one: Score, other: Score) -> bool:
    return (
        one.exact["low"] > other.exact["high"] or other.exact["low"] > one.exact["high"]
    )


# --- Attackers: labels are coin flips, and nobody ever looks at the data. ---

RUNS = 4  # means of so many are good to about 0.01
PAGE = Path(__file__).parents[2] / "docs" / "organizers" / "disclosure.md"


def test_exact_scores_are_broken_by_random_answers_and_by_climbing() -> None:
    """Reliability research, 6.2: .643 by boosting, .736 by climbing."""
    assert gain(votes, Site, RUNS) > 0.60
    assert gain(flips, Site, RUNS) > 0.65


def test_exact_scores_tell_every_label_with_fewer_attempts_than_labels() -> None:
    """Cantor and Mills (1966): 128 weighings determine 576 coins."""
    assert certain(Site) == (N, 128)


def test_a_grid_tells_a_label_with_each_attempt() -> None:
    """A step of 1.2 points is six labels of 500; a few attempts find an edge."""
    assert GridSite.grid.size == pytest.approx(0.012)
    known, attempts = certain(GridSite)
    assert attempts == 200 and 185 <= known < 200


@pytest.mark.parametrize(("steps", "voted", "flipped"), [(1, 0.530, 0.582)])
def test_a_ladder_with_a_step_keeps_attackers_near_chance(
    steps: float, voted: float, flipped: float
) -> None:
    """Within the table of 6.2 for n = 500, k = 200; its means are good to 0.01 and
    those of four runs here to about three times 0.011."""
    site = partial(LadderSite, steps=steps)
    assert gain(votes, site, RUNS) <= voted + 0.033
    for block in (6, 12, 40):
        assert gain(partial(flips, block=block), site, RUNS) <= flipped + 0.033


def test_filling_an_empty_file_is_the_best_known_way_up_a_ladder() -> None:
    """Below what a grid gives away, though not by much: the handbook must say so."""
    one, two = (best_growing(partial(LadderSite, steps=k), RUNS) for k in (1, 2))
    assert 0.60 < two < one < 0.70


def test_a_ladder_without_a_floor_is_climbed() -> None:
    """6.2 (b): nearly equal submissions have a paired standard error near 0."""
    site = partial(LadderSite, steps=0.0, largest=0.0)
    assert gain(partial(flips, block=2), site, RUNS) > 0.62


@pytest.mark.slow
def test_the_handbook_has_the_table_that_the_attacks_give() -> None:
    found = "\n".join(leaks.table())
    assert found in PAGE.read_text("utf-8"), found
