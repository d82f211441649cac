"""What charts draw is what the board says, and what Plotly understands."""

import json
from dataclasses import replace
from datetime import timedelta
from math import nan
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone
from plotly import graph_objects

from leaderboard.boards.board_rows import BoardRows
from leaderboard.boards.charts import figures
from leaderboard.boards.charts.figures import marked_own
from leaderboard.boards.charts.kinds import all_kinds
from leaderboard.boards.charts.scores import forest
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.extras.comparison.contest import rank_shares, win_shares
from leaderboard.extras.diagnostics import scores
from leaderboard.extras.diagnostics.correlation import across
from leaderboard.results.scores import ScoreTable
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from leaderboard.web.charts.picture import draw_picture
from scoring.statistics.bootstrap import Sample
from tests.leaderboard.small import set_questions

CHARTS = "/tasks/otters/test/charts/"
BOARD = "/api/v1/tasks/otters/test/board/"
# Two systems in four resamples, worked by hand: the first is better in two, and they
# tie in one, so it wins 2.5 of 4; it is first in three of four, the second in two.
PAIR = Sample(
    np.array([0.8, 0.7]),
    np.array([[0.9, 0.9, 0.5, 0.8], [0.8, 0.9, 0.6, 0.7]]),
    8,
)


def test_wins_count_ties_half() -> None:
    wins = win_shares(PAIR, higher_is_better=True)
    assert wins[0, 1] == 0.625
    assert wins[1, 0] == 0.375
    assert np.isnan(wins[0, 0])


def test_lower_can_be_better() -> None:
    wins = win_shares(PAIR, higher_is_better=False)
    assert wins[0, 1] == 0.375


def test_places_are_shares_of_the_resamples() -> None:
    places = rank_shares(PAIR, higher_is_better=True)
    assert places.tolist() == [[0.75, 0.25], [0.5, 0.5]]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<b>bold</b>", "&lt;b&gt;bold&lt;/b&gt;"),
        ("&lt;i&gt;", "&amp;lt;i&amp;gt;"),
        ("$x$", "&#36;x&#36;"),
        ("one\ntwo\u202e", "one two "),
        ("n" * 90, "n" * 79 + "…"),
    ],
)
def test_labels_are_only_text(text: str, shown: str) -> None:
    assert figures.label(text) == shown


def asked(**choices: Any) -> Any:
    answer = Client().get(CHARTS, choices)
    assert answer.status_code == 200
    return answer


@pytest.mark.django_db
def test_plotly_understands_every_figure(task: Task, sent: list[Submission]) -> None:
    told(task, sent, 1, 20, 300)
    for name in (kind.name for kind in all_kinds() if kind.name != "parts"):
        answer = asked(chart=name)
        (figure,) = answer.context["figures"]
        assert graph_objects.Figure(json.loads(json.dumps(figure))).data
        chart = answer.context["chart"]
        assert chart.lines and all(len(line) == len(chart.head) for line in chart.lines)


@pytest.mark.django_db
def test_a_forest_shows_the_scores_of_the_board(sent: list[Submission]) -> None:
    for choices in ({}, {"measure": "uas", "test_set": "south", "entries": "all"}):
        rows = Client().get(BOARD, choices).json()["rows"]
        measure = choices.get("measure", "las")
        (figure,) = asked(**choices).context["figures"]
        values = [row["scores"][measure]["value"] * 100 for row in rows]
        assert figure["data"][0]["x"] == pytest.approx(values)
        # No reader's own, and whose the rest is stays behind.
        meta = figure["data"][0]["meta"]
        assert meta["own"] == [False] * len(rows) and "of" not in meta
    client, first = Client(), rows[0]
    client.force_login(User.objects.get(memberships__team__name=first["team"]))
    answer = client.get(CHARTS)
    (figure,) = answer.context["figures"]
    own = [row["team"] == first["team"] for row in Client().get(BOARD).json()["rows"]]
    assert figure["data"][0]["meta"]["own"] == own and not all(own)
    assert "of your own team are larger" in answer.content.decode()


@pytest.mark.django_db
def test_a_forest_says_who_may_be_first_and_parts_groups(
    phase: Phase, sent: list[Submission]
) -> None:
    """Two systems that may be first, a line, and one below that cannot."""
    whole = board(BoardQuery(phase))
    assert whole.lead and forest(whole).note.startswith(whole.lead)
    standings = [(1, 1, 2, 1), (2, 1, 2, 1), (3, 3, 3, 2)]
    rows = []
    for rank, low, high, group in standings:
        first = whole.rows[0]
        ranked = {"rank": rank, "low": low, "high": high, "cluster": group}
        rows.append(replace(first, standing=replace(first.standing, **ranked)))
    chart = forest(replace(whole, rows=BoardRows(rows)))
    assert [line[-1] for line in chart.lines] == ["1–2", "1–2", "3"]
    assert chart.figure["data"][0]["meta"]["behind"] == [False, False, True]
    (line,) = chart.figure["layout"]["shapes"]
    assert line["y0"] == line["y1"] == 1.5
    picture = draw_picture(marked_own(chart.figure, ())[0])
    (drawn,) = [one for one in picture.lines if one.css == "between"]
    above, below = [mark.y for mark in picture.marks][1:]
    height = float(drawn.path.split()[1].partition("H")[0])
    assert height == pytest.approx((above + below) / 2, abs=0.2)
    assert ["behind" in mark.css for mark in picture.marks] == [False, False, True]


@pytest.mark.django_db
def test_a_score_far_below_the_others_is_an_arrow_at_the_edge(
    phase: Phase, sent: list[Submission]
) -> None:
    """As on the board: 80 to 87 keep the width that 0.3 would take."""
    whole = board(BoardQuery(phase))

    def row(value: float) -> Row:
        numbers = np.array([[value, value, value + 0.01, nan, nan, nan]])
        (scores,) = ScoreTable([whole.measure], numbers)
        return replace(whole.rows[0], by_measure=scores)

    shares = [0.87, 0.86, 0.85, 0.84, 0.83, 0.82, 0.81, 0.8, 0.003]
    far = replace(whole, rows=BoardRows(list(map(row, shares))))
    for chart, of, side, bars in (
        (forest(far), "x", "left", "error_x"),
        (scores.timeline(far), "y", "down", "error_y"),
    ):
        trace = chart.figure["data"][-1]
        low, high = chart.figure["layout"][f"{of}axis"]["range"]
        assert low < 80 < 88 < high and high - low < 12
        assert trace[of][:-1] == pytest.approx([100 * one for one in shares[:-1]])
        assert low < trace[of][-1] <= 80
        assert trace["meta"]["beyond"] == [""] * 8 + [side]
        assert trace[bars]["array"][-1] == 0
        assert "0.30" in trace["customdata"][-1]
        assert "0.30" in chart.lines[-1]
        assert "An arrow is a score beyond" in chart.note
        assert graph_objects.Figure(chart.figure).data


@pytest.mark.django_db
@pytest.mark.usefixtures("pages_made_anew")
def test_the_best_so_far_only_rises(phase: Phase, sent: list[Submission]) -> None:
    lines = asked(chart="time").context["chart"].lines
    assert [line[-2] for line in lines] == ["91.67", "100.00", "95.83"]
    assert [line[-1] for line in lines] == ["91.67", "100.00", "100.00"]
    Submission.objects.filter(system="birch").update(baseline=True)
    lines = asked(chart="time").context["chart"].lines
    assert [line[-1] for line in lines] == ["91.67", "91.67", "95.83"]


@pytest.mark.django_db
def test_time_runs_by_when_things_came(phase: Phase, sent: list[Submission]) -> None:
    first = sent[0].received_at - timedelta(hours=1)
    Submission.objects.filter(system="cedar").update(received_at=first)
    found = board(BoardQuery(phase, everything=True))
    rows = sorted(found.rows, key=lambda row: row.evaluation.last)
    assert [row.system for row in rows] == ["cedar", "alder", "birch"]
    best = scores.best_so_far(rows, found.measure)
    assert best == pytest.approx([95.8333, 95.8333, 100], abs=1e-3)


@pytest.mark.django_db
def test_a_search_hides_rows_and_moves_no_rank(sent: list[Submission]) -> None:
    whole = asked(chart="ranks").context["chart"]
    narrow = asked(chart="ranks", q="cedar", search="cedar").context["chart"]
    kept = [line for line in whole.lines if line[1] == "cedar"]
    assert [list(line)[:3] for line in narrow.lines if line[1] == "cedar"] == [
        list(line)[:3] for line in kept
    ]


@pytest.mark.django_db
def test_test_sets_stand_beside_each_other(sent: list[Submission]) -> None:
    chart = asked(chart="test-sets").context["chart"]
    assert [tuple(line)[1:] for line in chart.lines] == [
        ("birch", "100.00", "100.00", "100.00"),
        ("cedar", "87.50", "100.00", "100.00"),
    ]


@pytest.mark.django_db
def test_variance_grows_down_the_test_sets(sent: list[Submission]) -> None:
    """Of 100, 100 and 87.5 by hand: 0 after two, 52.08 after three."""
    chart = asked(chart="variance", system=str(sent[2].pk)).context["chart"]
    assert [line[2] for line in chart.lines] == ["n/a", "0.00", "52.08"]


@pytest.mark.django_db
def test_a_correlation_of_nearly_nothing_has_no_sign(sent: list[Submission]) -> None:
    found = across(board(BoardQuery(sent[0].phase)), "")
    exact = {a: dict.fromkeys(found.exact, -0.004) for a in found.exact}
    _measure, texts = replace(found, exact=exact).matrix[0]
    assert set(texts) == {"0.00"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "choices",
    [
        {"chart": "pie"},
        {"measure": "bleu"},
        {"chart": "measures", "against": "bleu"},
        {"chart": "slices", "group": "colour"},
        {"chart": "variance", "system": "nobody"},
        {"chart": "facts"},
    ],
)
def test_what_is_not_there_is_not_found(
    sent: list[Submission], choices: dict[str, str]
) -> None:
    assert Client().get(CHARTS, choices).status_code == 404


def test_ranks_by_day_follow_what_each_team_had_sent_until_then(
    phase: Phase, sent: list[Submission]
) -> None:
    """Bens 91.67 and Cys 95.83 on the first day, Bens' 100 on the second."""
    alder, birch, cedar = sent
    first = timezone.now() - timedelta(days=3)
    for submission, days in ((alder, 0), (cedar, 0), (birch, 1)):
        Submission.objects.filter(pk=submission.pk).update(
            received_at=first + timedelta(days=days)
        )
    days, places = scores.ranks_by_day(board(BoardQuery(phase, everything=True)))
    assert len(days) == 2
    assert places == {"Bens": [2, 1], "Cys": [1, 2]}
    Submission.objects.filter(pk=cedar.pk).update(received_at=first + timedelta(days=2))
    _days, places = scores.ranks_by_day(board(BoardQuery(phase, everything=True)))
    assert places == {"Bens": [1, 1, 1], "Cys": [None, None, 2]}


def told(task: Task, sent: list[Submission], *sizes: float | None) -> None:
    """The sizes of the three systems, as their fact sheets say."""
    set_questions(
        task, [{"name": "size", "title": "Size, M", "kind": "number", "public": True}]
    )
    for one, size in zip(sent, sizes, strict=True):
        facts = {} if size is None else {"size": size}
        Submission.objects.filter(pk=one.pk).update(facts=facts)


@pytest.mark.django_db
def test_scores_stand_against_a_number_of_the_fact_sheet(
    task: Task, sent: list[Submission]
) -> None:
    """cedar, 95.83, is the smaller; birch, 100, the larger; alder did not tell."""
    told(task, sent, None, 7000, 70)
    drawn = asked(chart="facts", entries="all").context
    line, trace = drawn["figures"][0]["data"]
    assert list(zip(trace["x"], trace["y"], strict=True)) == [
        (7000, 100.0),
        (70, pytest.approx(95.83, abs=0.005)),
    ]
    assert line["x"] == [70, 7000] and line["y"] == sorted(line["y"])
    assert drawn["figures"][0]["layout"]["xaxis"]["type"] == "log"
    assert drawn["chart"].left_out == 1
    by_date = asked(chart="facts", across="date", entries="all").context["chart"]
    assert by_date.title == "LAS over time"
    assert Client().get(CHARTS, {"chart": "facts", "across": "w"}).status_code == 404


@pytest.mark.django_db
def test_a_number_that_is_not_public_is_on_no_axis(
    task: Task, sent: list[Submission]
) -> None:
    told(task, sent, 1, 2, 3)
    set_questions(
        task, [{"name": "size", "title": "Size, M", "kind": "number", "public": False}]
    )
    assert Client().get(CHARTS, {"chart": "facts"}).status_code == 404


@pytest.mark.django_db
def test_a_map_of_slices_has_the_scores_of_each_slice(sent: list[Submission]) -> None:
    chart = asked(chart="slices", entries="all").context["chart"]
    dots = asked(chart="slice-intervals", entries="all").context["chart"]
    assert [column.title for column in chart.head[2:]] == ["letter", "tale"]
    assert [tuple(line) for line in chart.lines] == [tuple(line) for line in dots.lines]
    (squares,) = chart.figure["data"]
    assert squares["text"][0] == ["100.00", "100.00"]
