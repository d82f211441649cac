"""A board with its doubt: clusters, rank ranges, who is level with whom."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.counts import Counts
from scoring.measures import Measure
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import compare_all
from scoring.statistics.exchange import Pairs, all_pairs
from scoring.statistics.ranks import (
    SystemRank,
    clusters,
    in_words,
    standings,
    standings_from,
)
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, ERROR, counts_of, systems_on_shared_units

PLAN = Plan(resamples=400, seed=1)
SIX = systems_on_shared_units(400, [0.9, 0.9, 0.7, 0.695, 0.7, 0.4], seed=3)


def board_of(
    systems: dict[str, Counts], measure: Measure = ACCURACY
) -> dict[str, SystemRank]:
    pairs = all_pairs([[counts] for counts in systems.values()], measure)
    found = standings(pairs, measure.higher_is_better)
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


def test_ranges_count_the_pairs_that_compare_separates() -> None:
    """From 1 + those significantly better to all but those significantly worse."""
    board = board_of(SIX)
    better, worse = dict.fromkeys(SIX, 0), dict.fromkeys(SIX, 0)
    for found in compare_all(SIX, ACCURACY, PLAN):
        if found.adjusted < 0.05:
            winner, loser = found.first, found.second
            if found.difference < 0:
                winner, loser = loser, winner
            better[loser] += 1
            worse[winner] += 1
    for name, standing in board.items():
        assert (standing.low, standing.high) == (1 + better[name], 6 - worse[name])
        assert standing.level == 5 - better[name] - worse[name]


def test_a_lower_error_leads() -> None:
    assert [s.rank for s in board_of(SIX, ERROR).values()] == [
        s.rank for s in board_of(SIX).values()
    ]


def test_a_system_without_a_score_stands_apart() -> None:
    board = board_of({**SIX, "empty": counts_of([[0, 0, 0]] * 400)})
    assert board["empty"] == SystemRank()
    assert board["empty"].range == in_words(board["empty"]) == ""
    before = board_of(SIX)
    assert {name: board[name] for name in SIX} == before


def test_one_system_is_alone() -> None:
    (only,) = board_of({"a": SIX["system1"]}).values()
    assert (only.rank, only.cluster, only.range) == (1, 1, "1")
    assert in_words(only) == "the only ranked system"


def test_nobody_ranked_is_an_empty_board() -> None:
    assert standings(all_pairs([], ACCURACY), True) == []


def test_equal_systems_share_rank_range_and_cluster() -> None:
    """Neither is known to be the better one: both may be first or second."""
    board = board_of({"a": SIX["system1"], "b": SIX["system1"]})
    assert board["a"] == board["b"]
    assert (board["a"].rank, board["a"].range, board["a"].cluster) == (1, "1-2", 1)
    assert board["a"].level_with == "1"


def test_fifty_equals_may_all_have_any_rank() -> None:
    """D10: marginal bootstrap ranges left out rank 1 for most of them."""
    board = board_of(systems_on_shared_units(200, [0.8] * 50, seed=1))
    assert {standing.range for standing in board.values()} == {"1-50"}


def test_an_incomplete_system_is_ranked_but_not_compared() -> None:
    """Of two test sets it sent one, so its mean is half: no range, no line."""
    rows = [[counts, counts] for counts in SIX.values()]
    half = [SIX["system1"], None]
    whole = standings(all_pairs(rows, ACCURACY), True)
    *found, incomplete = standings(all_pairs([*rows, half], ACCURACY), True)
    # It keeps the place of its score, and opens no range of theirs.
    whole[5] = replace(whole[5], rank=7, low=7, high=7)
    assert found == [replace(row, untested=1) for row in whole]
    assert incomplete == SystemRank(6, complete=False)
    assert incomplete.range == ""
    assert in_words(incomplete) == "incomplete: not compared with other systems"


def test_ranges_are_among_the_complete_systems() -> None:
    """Three equals, and a fourth that sent one of two test sets: 1-3, not 1-4."""
    for seed in range(5):
        sets = [
            list(systems_on_shared_units(60, [0.5] * 4, seed=seed).values()),
            list(systems_on_shared_units(60, [0.5] * 4, seed=seed + 100).values()),
        ]
        rows = [[sets[0][i], sets[1][i]] for i in range(3)]
        found = standings(all_pairs([*rows, [sets[0][3], None]], ACCURACY), True)
        assert [standing.range for standing in found] == ["1-3"] * 3 + [""]
        words = {in_words(standing) for standing in found[:3]}
        assert words == {"not significantly different from any other complete system"}


def test_who_is_better_than_every_complete_system_has_one_possible_rank() -> None:
    """Wherever incomplete ones stand: last, first, in the middle, several, level."""
    good, poor, worst = (
        counts_of([[hits, 9, 9]] * 400) for hits in (8, 4, 0)
    )  # as means over two test sets .89, .44 and 0
    half, tenth = [good, None], [counts_of([[1, 9, 9]] * 400), None]  # .44, .06
    first = [counts_of([[9, 9, 9]] * 400), None]  # .5
    for beside, expected in (
        ([tenth], ["1", "2", "4"]),
        ([tenth, tenth], ["1", "2", "5"]),
        ([half], ["1", "2", "4"]),  # shares rank 2
        ([first], ["1", "3", "4"]),
        ([first, half, tenth], ["1", "3", "6"]),
    ):
        rows = [[one, one] for one in (good, poor, worst)]
        found = standings(all_pairs([*rows, *beside], ACCURACY), True)[:3]
        assert [standing.range for standing in found] == expected
        assert [str(standing.rank) for standing in found] == expected
        words = {in_words(standing) for standing in found}
        assert words == {"significantly different from every other complete system"}


def test_a_rank_lies_in_its_range_below_an_incomplete_system() -> None:
    bad = counts_of([[0, 9, 9]] * 400)
    rows = [[SIX["system1"], None], [bad, bad]]
    first, second = standings(all_pairs(rows, ACCURACY), True)
    assert (first.rank, second.rank) == (1, 2)
    assert in_words(second) == "the only complete system"
    assert (second.low, second.high) == (2, 2)


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1, max_size=9))
@settings(max_examples=50)
def test_a_rank_lies_in_its_range_whoever_is_incomplete(
    systems: list[tuple[int, bool]],
) -> None:
    rows = [
        [one, one if whole else None]
        for hits, whole in systems
        for one in [counts_of([[hits, 9, 9]] * 30)]
    ]
    for standing in standings(all_pairs(rows, ACCURACY), True):
        if standing.complete:
            assert standing.low <= standing.rank <= standing.high


@loop_over(
    ("standing", "words"),
    [
        (
            SystemRank(8, 8, 8, 5, level_with="8", level=1, others=8),
            "not significantly different from the other system of this rank",
        ),
        (
            SystemRank(1, 1, 1, 1, "", 0, 3),
            "significantly different from every other system",
        ),
        (SystemRank(1, 1, 2, 1, "2", 1, 3), "not significantly different from rank 2"),
        (SystemRank(1, 1, 2, 1, "2", 2, 3), "not significantly different from rank 2"),
        (
            SystemRank(1, 1, 4, 1, "2-4", 3, 9),
            "not significantly different from ranks 2-4",
        ),
        (
            SystemRank(2, 1, 6, 1, "1, 4-5", 3, 9),
            "not significantly different from ranks 1 and 4-5",
        ),
        (
            SystemRank(4, 1, 9, 1, "1, 3, 6-8", 5, 9, few_decide="2, 9"),
            "not significantly different from ranks 1, 3 and 6-8; a few units decide "
            "against ranks 2 and 9",
        ),
        (
            SystemRank(1, 1, 3, 1, "2-3", 2, 2),
            "not significantly different from any other system",
        ),
    ],
)
def test_doubt_is_said_in_plain_words(standing: SystemRank, words: str) -> None:
    assert in_words(standing) == words


def test_a_rank_that_nobody_has_divides_no_ranks() -> None:
    """Two share rank 2, so that there is no rank 3: "2-5", not "2, 4-5"."""
    placed = np.array([1, 2, 2, 4, 5, 6])
    better = np.zeros((6, 6), dtype=bool)
    better[0, 5] = better[1, 4] = better[1, 5] = True
    found = [standing.level_with for standing in standings_from(placed, better)]
    assert found == ["2-5", "1-4", "1-6", "1-2, 5-6", "1-4, 6", "2-5"]


def test_a_system_that_was_not_compared_divides_ranks() -> None:
    """Of the one at rank 2 nobody knows whether it differs."""
    placed, nobody = np.array([1, 2, 3]), np.zeros((3, 3), dtype=bool)
    tested = np.array([True, False, True])
    (first, _second, last) = standings_from(placed, nobody, tested)
    assert (first.level_with, last.level_with) == ("3", "1")
    placed = np.array([1, 2, 3, 4])
    tested = np.array([True, True, False, True])
    first, *_others = standings_from(placed, np.zeros((4, 4), dtype=bool), tested)
    assert first.level_with == "2, 4"


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


def made_pairs(size: int, seed: int, spread: float = 0.1) -> list[Counts]:
    rng = np.random.default_rng(seed)
    skills = np.clip(rng.normal(0.7, spread, size), 0.1, 0.95)
    return list(systems_on_shared_units(30, list(skills), seed).values())


def pairs_among(systems: Sequence[Counts]) -> Pairs:
    return all_pairs([[counts] for counts in systems], ACCURACY)


@given(st.integers(1, 8), st.integers(0, 99), st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_permuting_rows_permutes_standings(
    size: int, seed: int, random: object
) -> None:
    systems = made_pairs(size, seed)
    order = list(range(size))
    random.shuffle(order)  # type: ignore[attr-defined]
    before = standings(pairs_among(systems), True)
    mixed = standings(pairs_among([systems[i] for i in order]), True)
    assert mixed == [before[i] for i in order]


@given(st.integers(1, 6), st.integers(0, 99))
@settings(max_examples=50)
def test_a_worse_newcomer_changes_no_rank_and_opens_ranges(
    size: int, seed: int
) -> None:
    """Its pairs join the family, so fewer others may differ, never more."""
    systems = made_pairs(size, seed)
    newcomer = counts_of([[0, *row[1:]] for row in systems[0].table.tolist()])
    after = standings(pairs_among([*systems, newcomer]), True)[:-1]
    for one, other in zip(standings(pairs_among(systems), True), after, strict=True):
        assert one.rank == other.rank
        assert other.low <= one.low and one.high <= other.high
        assert other.level >= one.level


@given(st.integers(2, 8), st.integers(0, 99))
@settings(max_examples=50)
def test_clusters_never_rise_while_ranks_fall(size: int, seed: int) -> None:
    found = standings(pairs_among(made_pairs(size, seed, 0.2)), True)
    ordered = sorted(found, key=lambda s: s.rank or 0)
    assert [s.cluster for s in ordered] == sorted(s.cluster or 0 for s in found)
    for standing in found:
        assert standing.low <= standing.rank <= standing.high


def test_more_than_a_hundred_systems_have_lines_and_ranges() -> None:
    """D14: beyond a hundred all of it was empty."""
    skills = [0.95] * 60 + [0.5] * 60
    systems = systems_on_shared_units(300, skills, seed=2)
    found = list(board_of(systems).values())
    assert [standing.cluster for standing in found] == [1] * 60 + [2] * 60
    assert {s.range for s in found} == {"1-60", "61-120"}
