"""What templates print: numbers, bars, times, commands."""

import re
from array import array
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from math import nan

import pytest
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.utils.translation import override

from leaderboard.boards.board_rows import BoardRows
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.render import ranking_table
from leaderboard.boards.rows import Row, row_json
from leaderboard.boards.stored_board import board
from leaderboard.extras.archive.check import prints
from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import (
    Scores,
    chance,
    decimals_of,
    score_columns,
    with_sign,
)
from leaderboard.results.status import Score
from leaderboard.results.templatetags.results import interval, value
from leaderboard.tasks.models import Answer, Participation, Phase, Question, Task
from leaderboard.web.charts.picture import _ticks
from leaderboard.web.templatetags.formats import check_command, day, minute
from leaderboard.web.texts import wide_range
from scoring.measures import Measure, ratio
from scoring.statistics.bootstrap import Numbers
from scoring.statistics.ranks import SystemRank
from tests.leaderboard.small import both, one_wrong, scored

SHARE = Measure("share", "Share", ("part", "whole"), ratio, "part / whole")
PLAIN = replace(SHARE, percent=False)
RATING = replace(PLAIN, decimals=0)


def score(
    number: float | None,
    low: float | None = None,
    high: float | None = None,
    measure: Measure = SHARE,
) -> Score:
    return Score(measure, Numbers(number, low, high))


def scores(name: str, *numbers: float) -> Scores:
    columns_of_scores = score_columns([replace(SHARE, name=name)])
    row = array("d", [*numbers, nan, nan, nan, nan])
    return Scores(columns_of_scores, memoryview(row.tobytes()).cast("d"))


@pytest.mark.parametrize(
    ("measure", "decimals"), [(SHARE, (2, 1)), (PLAIN, (3, 3)), (RATING, (0, 0))]
)
def test_a_value_has_the_decimals_that_its_measure_declares(
    measure: Measure, decimals: tuple[int, int]
) -> None:
    assert decimals_of(measure) == decimals


@pytest.mark.parametrize(
    ("found", "printed", "ends"),
    [
        (score(0.82614, 0.812, 0.84), "82.61", "[81.2, 84.0]"),
        (score(1.0, 1.0, 1.0), "100.00", "[100.0, 100.0]"),
        (score(-0.000001, -0.01, 0.01, PLAIN), "0.000", "[−0.010, 0.010]"),
        (score(-448.2, -9.46, -1.0, PLAIN), "−448.200", "[−9.460, −1.000]"),
        (score(-448.2, -675.96, 1, RATING), "−448", "[−676, 1]"),
        (score(445.2, 184.24, 675.96, RATING), "445", "[184, 676]"),
        (score(0.5), "50.00", "[n/a]"),
        (score(None), "n/a", ""),
    ],
)
def test_numbers_have_fixed_decimals(found: Score, printed: str, ends: str) -> None:
    assert (value(found), interval(found)) == (printed, ends)


@pytest.mark.parametrize(
    ("found", "printed", "ends"),
    [
        (score(9999999.5, 1, 2, PLAIN), "9999999.500", "[1.000, 2.000]"),
        (score(12345678.9, 12345000, 2e7, PLAIN), "12345679", "[12345000, 20000000]"),
        (score(-4e9, -5e10, 0.25, PLAIN), "−4000000000", "[−5.0000e+10, 0.250]"),
        (score(1.25e15, 1e15, 2e15, PLAIN), "1.2500e+15", "[1.0000e+15, 2.0000e+15]"),
        (score(1.25e99, 1e98, 2e99, RATING), "1.2500e+99", "[1.0000e+98, 2.0000e+99]"),
    ],
)
def test_large_numbers_have_no_more_digits_than_people_read(
    found: Score, printed: str, ends: str
) -> None:
    assert (value(found), interval(found)) == (printed, ends)
    for text in (printed, *ends.strip("[]").split(", ")):
        assert len(text) <= len("9999999.500")
        assert prints(float(text.replace("−", "-")), 1, text)


def test_differences_and_axes_print_large_numbers_as_boards_do() -> None:
    assert with_sign(-12345678.9, 3) == "−12345679"
    assert with_sign(2e15, 3) == "+2.0000e+15"
    ticks = [text for _place, text in _ticks(0, 4e15, 4)]
    assert ticks == ["0", "1.0000e+15", "2.0000e+15", "3.0000e+15", "4.0000e+15"]


@pytest.mark.parametrize(
    ("number", "printed"),
    [(0.424, "+0.42"), (-1.3, "−1.30"), (-0.004, "0.00"), (-0.0, "0.00"), (0, "0.00")],
)
def test_a_difference_has_a_sign_unless_it_rounds_to_nothing(
    number: float, printed: str
) -> None:
    assert with_sign(number, 2) == printed


@pytest.mark.parametrize(
    ("number", "english", "german"),
    [
        (-1, "−1", "−1"),
        (1400000, "1,400,000", "1.400.000"),
        (-1400000.5, "−1,400,000.5", "−1.400.000,5"),
        (-2e30, "−2e+30", "−2e+30"),
        (0, "0", "0"),
    ],
)
def test_numbers_of_a_fact_sheet_have_a_minus_and_their_thousands_apart(
    number: float, english: str, german: str
) -> None:
    answer = Answer(Question(kind="number"), number)
    assert answer.text == english
    with override("de"):
        assert answer.text == german


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0.0, "0.000"),
        (0.0005, "< 0.001"),
        (0.5, "0.500"),
        (0.9995, "> 0.999"),
        (1.0, "1.000"),
        (None, "n/a"),
    ],
)
def test_what_is_nearly_certain_is_not_printed_as_certain(
    number: float | None, printed: str
) -> None:
    assert chance(number) == printed


@pytest.mark.parametrize(
    ("numbers", "ends"),
    [
        ((0.678, 0.911), ("65", "95")),
        ((0.412, 0.419), ("41.2", "41.9")),
        ((0.0, 1.0), ("0", "100")),
        ((0.5, 0.5), ("50", "51")),
        ((0.8301, 0.8304), ("83.01", "83.04")),
    ],
)
def test_an_axis_ends_at_round_numbers(
    numbers: tuple[float, ...], ends: tuple[str, str]
) -> None:
    axis = Axis.around(score(number).ends for number in numbers)
    assert axis is not None
    assert axis.ends == ends


def test_nothing_to_show_has_no_axis() -> None:
    assert Axis.around([score(None).ends]) is None
    assert Axis(0, 100).bar(score(None).ends) is None


def test_a_bar_stands_between_the_insets() -> None:
    bar = Axis(0, 100).bar(score(0.5, 0.25, 0.75).ends)
    assert bar == Bar("26.00%", "48.00%", "50.00%", below=False, above=False)


def test_a_score_off_the_axis_says_so() -> None:
    axis = Axis(60, 90)
    low, high = axis.bar(score(0.5, 0.4, 0.6).ends), axis.bar(score(0.95).ends)
    assert low is not None and low.below and low.beyond
    assert high is not None and high.above and high.beyond


def test_times_are_printed_in_utc_with_their_zone() -> None:
    moment = datetime(2026, 6, 2, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    assert minute(moment) == (
        '<time datetime="2026-06-02T12:00:00+00:00" data-clock="minute">'
        "2 Jun 2026, 12:00 UTC</time>"
    )
    assert ">2 Jun 2026<" in day(moment.astimezone(UTC))


@pytest.mark.django_db
def test_the_measure_that_ranks_stands_first(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}))
    shown = board(BoardQuery(phase, measure="uas"))
    table = ranking_table(shown)
    assert [c.measure.name for c in table.columns] == ["uas", "las"]
    assert [c.ranks for c in table.columns] == [True, False]
    context = {"table": table, "live": True}
    request = RequestFactory().get("/")
    page = render_to_string("boards/_ranking.html", context, request)
    body = page.partition("<tbody>")[2]
    assert re.findall('class="(number[^"]*?)(?: room-42)?"', body)[:2] == [
        "number ranks",
        "number score",
    ]
    assert body.index('class="number ranks"') < body.index('class="bar"')
    assert body.count('class="bar"') == 1


@pytest.mark.django_db
def test_far_off_entries_do_not_stretch_the_axis(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}))
    scored(phase, entry, {"north": one_wrong()}, system="half")
    found = board(BoardQuery(phase, everything=True))
    sure = [
        replace(row, by_measure=scores("las", value, value - 0.02, value + 0.02))
        for row, value in zip(found.rows, (0.9, 0.3), strict=True)
    ]
    (axis,) = BoardRows(sure).summary.axes
    assert axis is not None
    assert axis.low > 50


def range_beside(row: Row) -> str:
    known = row_json(row)
    return wide_range(known["rank"], *known["rank_range"])


@pytest.mark.django_db
def test_a_sure_rank_has_no_range_beside_it(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both())
    (row,) = board(BoardQuery(phase)).rows
    assert range_beside(row) == ""
    unsure = replace(row, standing=SystemRank(rank=1, low=1, high=3))
    assert range_beside(unsure) == "1–3"


@pytest.mark.django_db
def test_the_home_command_names_options_and_blind_file(task: Task) -> None:
    task.options = {"labels": ["coarse"], "weights": [{"file": "my w.csv"}]}
    assert check_command(task, task.test_sets.get(name="north")) == (
        "python -m scoring check attachment --gold north.conllu --system YOUR_FILE "
        "-o labels=coarse -o 'weights=my w.csv'"
    )
