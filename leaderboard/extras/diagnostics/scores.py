"""Charts of scores: of two measures, over time, and over several test sets."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from itertools import zip_longest
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.charts import (
    MOST_ROWS,
    Chart,
    ChartColumn,
    axis,
    axis_of,
    columns_axis,
    figure,
    heat,
    height_of,
    hover,
    label,
    names_axis,
    off_scale,
    on_scale,
    points,
    share_of,
    system_columns,
    systems_axis,
    with_scores,
)
from leaderboard.extension.models import Phase, TestSet
from leaderboard.extension.scores import Axis, Score, day_text, printed, written
from leaderboard.extension.statistics import scores_for, sent_test_sets
from leaderboard.extras.diagnostics.correlation import across
from scoring.measures import Measure
from scoring.statistics.groups import LEAST
from scoring.statistics.ranks import rank_of

PLANE_HEIGHT = 480
MOST_ENTRIES = 1000
CURVE_HEIGHT = 420
MOST_NAMED = 30
MOST_TEAMS, MOST_DAYS = 20, 60
ABSENT = "–"


def plane(board: Board, up: Measure) -> Chart:
    """The board's measure against another one, each with its interval."""
    measure = board.measure
    scored = with_scores(board.rows, measure, up)
    rows = scored[:MOST_ENTRIES]
    xs = [row.by_measure[measure.name] for row in rows]
    ys = [row.by_measure[up.name] for row in rows]
    across, ends_across = on_scale(axis_of(board), xs, ("left", "right"))
    placed, ends_up = on_scale(axis_of(board, up), ys, ("down", "up"))
    beyond = [
        across_axis or up_axis
        for across_axis, up_axis in zip_longest(
            across["beyond"], placed["beyond"], fillvalue=""
        )
    ]
    trace = points(
        rows,
        [hover(row, x, y) for row, x, y in zip(rows, xs, ys, strict=True)],
        rows[:MOST_NAMED],
        beyond,
        x=across["values"],
        y=placed["values"],
        error_x=across["bars"],
        error_y=placed["bars"],
    )
    return Chart(
        _("%(up)s vs. %(across)s") % {"up": up.title, "across": measure.title},
        _("Each point is a system, its lines are the %(share)s intervals.")
        % share_of(board)
        + off_scale(beyond),
        figure(
            [trace],
            PLANE_HEIGHT,
            axis(measure.title, **ends_across),
            axis(up.title, **ends_up),
        ),
        system_columns(measure.title, up.title),
        [
            (row.team, row.system, x.printed, y.printed)
            for row, x, y in zip(rows, xs, ys, strict=True)
        ],
        len(scored) - len(rows),
    )


def timeline(board: Board) -> Chart:
    """Rows by the time they came, and the best of all that rank until then.

    It knows no rows but those that the reader's board shows, so a score that is not
    published moves no line.
    """
    measure = board.measure
    scored = sorted(
        with_scores(board.rows, measure), key=lambda row: row.evaluation.last
    )
    rows = scored[-MOST_ENTRIES:]
    best = best_so_far(scored, measure)[-MOST_ENTRIES:]
    raised = [
        row
        for row, old, new in zip(rows, [None, *best], best, strict=False)
        if new != old
    ]
    line = [(row.received_at, top) for row, top in zip(rows, best, strict=True)]
    chart = _over_time(board, rows, best, line, axis_of(board), raised)
    return replace(chart, left_out=len(scored) - len(rows))


def entries_over_time(board: Board, entries: Sequence[Row]) -> Chart:
    """Some entries by the time they came, and the best of all that the board shows."""
    rows = sorted(
        with_scores(entries, board.measure), key=lambda row: row.evaluation.last
    )
    history = board.source.history.board
    times = [step.at for step in history]
    seen = [bisect_right(times, row.received_at.timestamp()) for row in rows]
    best = [history[n - 1].value if n else None for n in seen]
    line = [(datetime.fromtimestamp(step.at, UTC), step.value) for step in history]
    if rows and line and rows[-1].received_at > line[-1][0]:
        line.append((rows[-1].received_at, line[-1][1]))
    ends = [row.by_measure[board.measure.name].ends for row in rows]
    scale = Axis.around([*ends, *((top, None, None) for _at, top in line)])
    return _over_time(board, rows, best, line, scale, rows)


def _over_time(
    board: Board,
    rows: Sequence[Row],
    best: Sequence[float | None],
    line: Sequence[tuple[datetime, float | None]],
    scale: Axis | None,
    raised: Sequence[Row],
) -> Chart:
    """Rows in order of receipt, each with the best score of all until then, and a line
    of these; of many rows those that `raised` it have names."""
    measure = board.measure
    scores = [row.by_measure[measure.name] for row in rows]
    placed, ends = on_scale(scale, scores, ("down", "up"))
    trace = points(
        rows,
        [hover(row, score) for row, score in zip(rows, scores, strict=True)],
        rows if len(rows) <= MOST_NAMED else raised[-MOST_NAMED:],
        placed["beyond"],
        x=[row.received_at.isoformat() for row in rows],
        y=placed["values"],
        error_y=placed["bars"],
    )
    tops = [top for _at, top in line]
    steps = line_of_best([at.isoformat() for at, _top in line], tops)
    if board.disclosure.everything:
        note = _("Every entry that the board shows; the line is the best so far.")
    else:
        note = _(
            "The newest published entry of each team, which is all that is shown now; "
            "the line is the best of these so far."
        )
    y = axis(measure.title, **ends)
    return Chart(
        _("%(measure)s over time") % {"measure": measure.title},
        note + off_scale(placed["beyond"]),
        figure([steps, trace], PLANE_HEIGHT, axis(type="date"), y),
        (
            ChartColumn(_("Submitted"), number=False),
            *system_columns(measure.title, _("Best so far")),
        ),
        [
            (
                written(row.received_at, board.phase.zone),
                row.team,
                row.system,
                score.printed,
                "" if top is None else printed(top, score.decimals[0]),
            )
            for row, score, top in zip(rows, scores, best, strict=True)
        ],
    )


def line_of_best(
    x: Sequence[str] | Sequence[float], y: Sequence[float | None]
) -> dict[str, Any]:
    """The trace of the best score up to each place."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x,
        "y": y,
        "line": {"shape": "hv"},
        "hoverinfo": "skip",
        "name": label(_("Best so far")),
        "meta": {"part": "line"},
    }


def best_so_far(rows: Sequence[Row], measure: Measure) -> list[float | None]:
    """The best score up to each row, of rows that compete: no other moves the line."""
    choose = max if measure.higher_is_better else min
    best: float | None = None
    running = []
    for row in rows:
        value = row.by_measure.value(measure.name)
        if value is not None and row.competes:
            best = value if best is None else choose(best, value)
        running.append(best)
    return running


def rank_history(entries: Board) -> Chart:
    """The rank of each team by the day, from every entry that is shown."""
    measure = entries.measure
    title = _("Rank over time: %(measure)s") % {"measure": measure.title}
    days, places = ranks_by_day(entries)
    last = sorted(places, key=lambda team: places[team][-1] or len(places) + 1)
    teams = last[:MOST_TEAMS]
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers+text",
            "x": [day.isoformat() for day in days],
            "y": places[team],
            "text": ["" for _day in days[1:]] + [label(team)],
            "textposition": "middle right",
            "cliponaxis": False,
            "line": {"shape": "linear"},
            "hovertemplate": f"{label(team)}: %{{y}}, %{{x}}<extra></extra>",
            "meta": {"part": "team", "place": place, "of": [team]},
        }
        for place, team in enumerate(teams)
    ]
    x = axis(type="date")
    if len(days) > 1:
        end = days[-1] + (days[-1] - days[0]) / 5
        x = axis(type="date", range=[days[0].isoformat(), end.isoformat()])
    deepest = max((p for t in teams for p in places[t] if p), default=1)
    y = axis(_("Rank"), range=[deepest + 0.5, 0.5], dtick=1 if deepest <= 20 else 5)
    return Chart(
        title,
        _(
            "The rank of each team at the end of each day, by what it had sent until "
            "then and what counts for it."
        ),
        figure(traces, height_of(min(deepest, MOST_TEAMS)) + 60, x, y),
        (
            ChartColumn(_("Team"), number=False, team=True),
            *(ChartColumn(day_text(day)) for day in days),
        ),
        [(team, *(str(place or ABSENT) for place in places[team])) for team in teams],
        len(places) - len(teams),
    )


def ranks_by_day(entries: Board) -> tuple[list[date], dict[str, list[int | None]]]:
    """Days on which something came, and the rank of each team at the end of each.

    Of several entries of a team the best counts, or the last where the phase says so;
    a team's choice among them is known only as it is now, so its last one stands.
    """
    measure, zone = entries.measure, entries.phase.zone
    best = entries.disclosure.counts == Phase.CountingRule.BEST
    better = max if measure.higher_is_better else min
    came = sorted(
        (row for row in with_scores(entries.rows, measure) if row.competes),
        key=lambda row: row.evaluation.last,
    )
    by_day: dict[date, list[Row]] = {}
    for row in came:
        by_day.setdefault(row.received_at.astimezone(zone).date(), []).append(row)
    days = list(by_day)[-MOST_DAYS:]
    held: dict[str, float] = {}
    places: dict[str, list[int | None]] = {row.team: [] for row in came}
    for day, rows in by_day.items():
        for row in rows:
            value = row.by_measure[measure.name].value or 0.0
            earlier = held.get(row.team)
            held[row.team] = (
                better(earlier, value) if best and earlier is not None else value
            )
        if day in days:
            ranks = rank_of(list(held.values()), measure.higher_is_better)
            now = dict(zip(held, ranks, strict=True))
            for team, line in places.items():
                line.append(now.get(team))
    return days, places


# Several test sets: of all systems, and of one closely (seed 003).


def test_set_chart(board: Board) -> Chart:
    """Systems by test sets: the score of each on each."""
    measure = board.measure
    rows = board.rows[:MOST_ROWS]
    columns = [_on(board, rows, test_set, measure) for test_set in board.test_sets]
    table = [[column[i] for column in columns] for i in range(len(rows))]
    titles = [test_set.title for test_set in board.test_sets]
    texts = [[score.printed if score else ABSENT for score in row] for row in table]
    systems = [row.system for row in rows]
    squares = heat(
        [[score.value if score else None for score in row] for row in table],
        texts,
        (systems, titles),
        ("{line}<br>{column}: {text}", texts),
        "sequential",
    )
    return Chart(
        _("%(measure)s on each test set") % {"measure": measure.title},
        _("A dash: nothing was sent for that test set, which counts 0 in the mean."),
        figure(
            [squares],
            height_of(len(rows)) + 40,
            columns_axis([label(title) for title in titles]),
            systems_axis(rows),
        ),
        system_columns(*titles),
        [(row.team, row.system, *texts[i]) for i, row in enumerate(rows)],
        len(board.rows) - len(rows),
    )


def _on(
    board: Board, rows: Sequence[Row], test_set: TestSet, measure: Measure
) -> list[Score | None]:
    """Scores on one test set as the board shows them; None for what was not sent."""
    evaluations = [row.evaluation for row in rows]
    test_sets = sent_test_sets(evaluations)
    sample = board.sample_of(evaluations, [test_set])
    scored = scores_for(sample, (measure,))
    return [
        scores[measure.name] if test_set.pk in test_sets[evaluation.pk] else None
        for evaluation, scores in zip(evaluations, scored, strict=True)
    ]


def correlation_chart(board: Board, submission: str) -> Chart:
    """Pearson's r between measures over the test sets of one system.

    It is the system asked for, else the first one. Raises UnknownChoice for one that
    the board does not show.
    """
    title = _("Correlation between measures")
    if not (board.rows and board.spans_test_sets):
        return _too_few(title)
    system = across(board, submission)
    titles = [measure.title for measure in system.measures]
    cells = [
        [system.exact[a.name][b.name] for b in system.measures] for a in system.measures
    ]
    texts = [row for _measure, row in system.matrix]
    labels = [label(text) for text in titles]
    pointed = "{line} / {column}<br>{text}", texts
    squares = heat(cells, texts, (titles, titles), pointed, "diverging")
    trace = {**squares, "zmin": -1, "zmax": 1}
    height = height_of(len(titles)) + 80
    return Chart(
        f"{title}: {system.row.system}",
        _("Pearson's r over the test sets; n/a below three of them."),
        figure([trace], height, columns_axis(labels), names_axis(labels)),
        (ChartColumn(_("Measure"), number=False), *map(ChartColumn, titles)),
        [(name, *row) for name, row in zip(titles, texts, strict=True)],
    )


def variance_chart(board: Board, submission: str) -> Chart:
    """Variance of the test sets of one system, from the best down to each (n - 1)."""
    title = _("Cumulative variance over the test sets")
    if not (board.rows and board.spans_test_sets):
        return _too_few(title)
    system = across(board, submission)
    measure = system.row.sorted_by.measure
    factor = 100 if measure.percent else 1
    spreads = system.spreads
    titles = [label(name) for name, _value, _variance in spreads]
    trace = {
        "type": "scatter",
        "mode": "lines+markers",
        "x": list(range(len(titles))),
        "y": [
            None if variance is None else variance * factor**2
            for _name, _value, variance in system.spread
        ],
        "customdata": [
            f"{name}<br>{value}, {variance}"
            for name, (_name, value, variance) in zip(titles, spreads, strict=True)
        ],
        "hovertemplate": "%{customdata}<extra></extra>",
        "meta": {"part": "line"},
    }
    x = axis(tickmode="array", tickvals=list(range(len(titles))), ticktext=titles)
    return Chart(
        f"{title}: {system.row.system}",
        _("Test sets by %(measure)s, best first; the variance of all down to each.")
        % {"measure": measure.title},
        figure([trace], CURVE_HEIGHT, x, axis(_("Variance"))),
        (
            ChartColumn(_("Test set"), number=False),
            ChartColumn(measure.title),
            ChartColumn(_("Variance")),
        ),
        spreads,
    )


def _too_few(title: str) -> Chart:
    return Chart(
        title,
        _("This needs %(least)d test sets or more, shown in detail.")
        % {"least": LEAST},
    )
