"""The axis of a board's intervals: one entry far off leaves the others their room."""

from leaderboard.results.score_bars import without_outliers

CLOSE = [(80.0 + i, 79.0 + i, 81.0 + i) for i in range(8)]


def test_a_score_far_below_the_others_is_left_to_an_arrow() -> None:
    """Quartiles 81.25 and 84.75 of the close ones and 0.3: nothing below 71.5 stays."""
    assert without_outliers([*CLOSE, (0.3, 0.1, 0.5)]) == CLOSE


def test_so_is_one_far_above_where_lower_is_better() -> None:
    assert without_outliers([*CLOSE, (300.0, 290.0, 310.0)]) == CLOSE


def test_a_score_within_the_spread_of_the_others_stays() -> None:
    assert len(without_outliers([*CLOSE, (72.0, 71.0, 73.0)])) == 9


def test_of_few_or_equal_scores_all_stay() -> None:
    few = [(90.0, 89.0, 91.0), (20.0, 19.0, 21.0)]
    assert without_outliers(few) == few
    equal = [(90.0, 88.0, 92.0)] * 6
    assert without_outliers([*equal, (80.0, 78.0, 82.0)]) == [
        *equal,
        (80.0, 78.0, 82.0),
    ]


def test_what_has_no_interval_counts_by_its_value() -> None:
    bare = [(80.0 + i, None, None) for i in range(5)]
    assert without_outliers([*bare, (None, None, None)]) == bare
