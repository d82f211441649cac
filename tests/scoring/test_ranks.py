"""Ranks: ties, direction, n/a, ranges; the laws as properties."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from scoring.statistics.ranks import rank_of, ranks, runs

SCORE = st.one_of(st.none(), st.sampled_from([0.1, 0.2, 0.3, 0.5, 0.9]))
BOARD = st.lists(SCORE, min_size=1, max_size=12)
DIRECTION = st.booleans()


def test_ties_share_a_rank_and_leave_a_gap() -> None:
    assert rank_of([0.9, 0.7, 0.7, 0.2], True) == [1, 2, 2, 4]


def test_equal_means_of_fractions_share_a_rank() -> None:
    """Over two test sets, 1/10 and 2/10 are as much as 3/10 and 0."""
    means = [(0.1 + 0.2) / 2, (0.3 + 0.0) / 2]
    assert means[0] != means[1]
    assert rank_of([*means, 0.1], True) == [1, 1, 3]
    assert rank_of([*means, 0.1], False) == [2, 2, 1]


def test_a_small_difference_is_no_tie() -> None:
    assert rank_of([0.9, 0.9 + 1e-9, 0.0, 1e-15], True) == [2, 1, 4, 3]


def test_lower_can_be_better() -> None:
    assert rank_of([0.9, 0.7, 0.7, 0.2], False) == [4, 2, 2, 1]


def test_a_system_without_a_score_is_not_ranked() -> None:
    assert rank_of([None, 0.7, None], True) == [None, 1, None]


def test_undefined_values_share_the_rank_after_all_numbers() -> None:
    values = np.array([np.nan, 0.2, np.nan, 0.1])
    assert ranks(values).tolist() == [3, 1, 3, 2]
    assert ranks(values, higher_is_better=False).tolist() == [3, 2, 3, 1]


def test_an_empty_board_has_no_ranks() -> None:
    assert rank_of([], True) == []


def test_every_row_is_ranked_by_itself() -> None:
    rows = np.array([[0.1, 0.2, 0.2], [0.3, np.nan, 0.1]])
    assert ranks(rows).tolist() == [[3, 1, 1], [1, 3, 2]]


@given(BOARD, DIRECTION)
def test_ranks_are_scipys_minimum_ranks(board: list[float | None], up: bool) -> None:
    scores = [score for score in board if score is not None]
    signed = [-score if up else score for score in scores]
    expected = stats.rankdata(signed, method="min").tolist() if scores else []
    assert [r for r in rank_of(board, up) if r is not None] == expected


@given(BOARD, DIRECTION, st.randoms(use_true_random=False))
def test_permuting_rows_changes_no_rank(
    board: list[float | None], up: bool, random: object
) -> None:
    order = list(range(len(board)))
    random.shuffle(order)  # type: ignore[attr-defined]
    before = rank_of(board, up)
    assert rank_of([board[i] for i in order], up) == [before[i] for i in order]


@given(BOARD, DIRECTION)
def test_a_worse_newcomer_changes_nobodys_rank(
    board: list[float | None], up: bool
) -> None:
    worst = -1.0 if up else 2.0
    for newcomer in (worst, None):
        assert rank_of([*board, newcomer], up)[:-1] == rank_of(board, up)


@given(BOARD, DIRECTION)
def test_equal_scores_share_a_rank_and_others_do_not(
    board: list[float | None], up: bool
) -> None:
    found = rank_of(board, up)
    for score, rank in zip(board, found, strict=True):
        for other, its_rank in zip(board, found, strict=True):
            assert (score == other) == (rank == its_rank)


@given(BOARD, DIRECTION)
def test_nothing_undefined_ranks_above_a_number(
    board: list[float | None], up: bool
) -> None:
    numbers = np.array([np.nan if v is None else v for v in board])
    found = ranks(numbers, up)
    missing = np.isnan(numbers)
    if missing.any() and not missing.all():
        assert found[missing].min() > found[~missing].max()


@given(BOARD, DIRECTION)
def test_the_better_score_has_the_better_rank(
    board: list[float | None], up: bool
) -> None:
    found = rank_of(board, up)
    for score, rank in zip(board, found, strict=True):
        for other, its_rank in zip(board, found, strict=True):
            if score is None or other is None or rank is None or its_rank is None:
                continue
            better = score > other if up else score < other
            assert better == (rank < its_rank)


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([], ""),
        ([3], "3"),
        ([2, 3, 4], "2-4"),
        ([1, 3, 4, 7], "1, 3-4, 7"),
        ([4, 2, 2, 3], "2-4"),
    ],
)
def test_numbers_are_written_as_runs(numbers: list[int], text: str) -> None:
    assert runs(numbers) == text
