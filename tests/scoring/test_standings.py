"""A board with its doubt: clusters, rank ranges, who is level with whom."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.bootstrap import Plan
from scoring.compare import compare_all
from scoring.counts import Counts, Floats
from scoring.measures import Measure
from scoring.samples import Sample, sample_of
from scoring.standings import Standing, clusters, in_words, standings
from tests.scoring.made import ACCURACY, ERROR, counts_of, systems_on_shared_units

PLAN = Plan(resamples=400, seed=1)
SIX = systems_on_shared_units(400, [0.9, 0.9, 0.7, 0.695, 0.7, 0.4], seed=3)


def board_of(
    systems: dict[str, Counts], measure: Measure = ACCURACY
) -> dict[str, Standing]:
    sample = sample_of(list(systems.values()), measure, PLAN)
    found = standings(sample, measure.higher_is_better)
    return dict(zip(systems, found, strict=True))


def test_three_groups_are_three_clusters() -> None:
    found = [standing.cluster for standing in board_of(SIX).values()]
    assert found == [1, 1, 2, 2, 2, 3]


def test_a_rank_range_spans_the_ranks_of_its_cluster() -> None:
    board = board_of(SIX)
    assert {board[name].range for name in ("system1", "system2")} == {"1-2"}
    assert board["system6"].range == "6"
    for name in ("system3", "system4", "system5"):
        assert board[name].low in (3, 4) and board[name].high in (4, 5)


def test_levels_are_the_pairs_that_compare_does_not_separate() -> None:
    board = board_of(SIX)
    for found in compare_all(SIX, ACCURACY, PLAN):
        level = board[found.second].rank in board[found.first].level_with
        assert level == (found.adjusted >= 0.05)


def test_a_lower_error_leads() -> None:
    assert [s.rank for s in board_of(SIX, ERROR).values()] == [
        s.rank for s in board_of(SIX).values()
    ]


def test_a_system_without_a_score_stands_apart() -> None:
    board = board_of({**SIX, "empty": counts_of([[0, 0, 0]] * 400)})
    assert board["empty"] == Standing()
    assert board["empty"].range == in_words(board["empty"]) == ""
    before = board_of(SIX)
    assert {name: board[name] for name in SIX} == before


def test_one_system_is_alone() -> None:
    (only,) = board_of({"a": SIX["system1"]}).values()
    assert (only.rank, only.cluster, only.range) == (1, 1, "1")
    assert in_words(only) == "the only ranked system"


def test_nobody_ranked_is_an_empty_board() -> None:
    assert standings(Sample(np.zeros(0), np.zeros((0, 10)), 5), True) == []


def test_equal_systems_share_rank_range_and_cluster() -> None:
    board = board_of({"a": SIX["system1"], "b": SIX["system1"]})
    assert board["a"] == board["b"]
    assert (board["a"].rank, board["a"].range, board["a"].cluster) == (1, "1", 1)
    assert board["a"].level_with == (1,)


@pytest.mark.parametrize(
    ("standing", "words"),
    [
        (Standing(1, 1, 1, 1, (), 3), "statistically apart from every other system"),
        (Standing(1, 1, 2, 1, (2,), 3), "statistically level with rank 2"),
        (Standing(1, 1, 2, 1, (2, 2), 3), "statistically level with rank 2"),
        (Standing(1, 1, 4, 1, (2, 3, 4), 9), "statistically level with ranks 2-4"),
        (Standing(2, 1, 6, 1, (1, 4, 5), 9), "statistically level with ranks 1, 4-5"),
        (
            Standing(1, 1, 3, 1, (2, 3), 2),
            "statistically level with every other system",
        ),
    ],
)
def test_doubt_is_said_in_plain_words(standing: Standing, words: str) -> None:
    assert in_words(standing) == words


def differing(size: int, pairs: list[tuple[int, int]]) -> np.ndarray:
    found = np.zeros((size, size), dtype=bool)
    for i, j in pairs:
        found[i, j] = found[j, i] = True
    return found


def test_a_line_needs_every_pair_across_it() -> None:
    """a differs from c and d, b only from d: no line below a or b, one above d."""
    placed = np.array([1, 2, 3, 4])
    differ = differing(4, [(0, 2), (0, 3), (1, 3), (2, 3)])
    assert clusters(placed, differ).tolist() == [1, 1, 1, 2]


def naive_clusters(differ: np.ndarray) -> list[int]:
    numbers = [1]
    for line in range(1, len(differ)):
        across = all(
            differ[above, below]
            for above in range(line)
            for below in range(line, len(differ))
        )
        numbers.append(numbers[-1] + across)
    return numbers


@given(st.integers(1, 8), st.data())
def test_lines_are_where_the_definition_says(size: int, data: st.DataObject) -> None:
    cells = st.lists(st.booleans(), min_size=size**2, max_size=size**2)
    differ = np.array(data.draw(cells)).reshape(size, size)
    differ = np.triu(differ, 1) | np.triu(differ, 1).T
    order = np.array(data.draw(st.permutations(range(size))))
    placed = np.empty(size, dtype=np.int64)
    placed[order] = np.arange(1, size + 1)
    found = clusters(placed, differ)
    assert found[order].tolist() == naive_clusters(differ[np.ix_(order, order)])


def made_sample(size: int, seed: int, spread: float) -> Sample:
    rng = np.random.default_rng(seed)
    values = np.round(rng.normal(0, spread, size), 1)
    resampled: Floats = values[:, None] + rng.normal(0, 1, (size, 200))
    return Sample(values, resampled, 50)


@given(st.integers(1, 8), st.integers(0, 99), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_permuting_rows_permutes_standings(
    size: int, seed: int, random: object
) -> None:
    sample = made_sample(size, seed, 4)
    order = list(range(size))
    random.shuffle(order)  # type: ignore[attr-defined]
    mixed = Sample(sample.values[order], sample.resampled[order], sample.units)
    before = standings(sample, True)
    assert standings(mixed, True) == [before[i] for i in order]


@given(st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=50)
def test_a_worse_newcomer_changes_no_rank_and_no_range(size: int, seed: int) -> None:
    sample = made_sample(size, seed, 4)
    values = np.append(sample.values, -1000.0)
    resampled = np.vstack([sample.resampled, np.full((1, 200), -1000.0)])
    with_newcomer = standings(Sample(values, resampled, 50), True)[:-1]
    for one, other in zip(standings(sample, True), with_newcomer, strict=True):
        assert (one.rank, one.range) == (other.rank, other.range)


@given(st.integers(2, 8), st.integers(0, 99))
@settings(max_examples=50)
def test_clusters_never_rise_while_ranks_fall(size: int, seed: int) -> None:
    found = standings(made_sample(size, seed, 8), True)
    ordered = sorted(found, key=lambda s: s.rank or 0)
    assert [s.cluster for s in ordered] == sorted(s.cluster or 0 for s in found)
    for standing in found:
        assert standing.low <= standing.rank <= standing.high
