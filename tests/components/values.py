"""Made-up values of every component, in every state that pages show it in.

A component is a template that pages include. Nothing is read from the database. What
extras add stands in `components.py` beside their tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from django import forms
from django.template.loader import get_template
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.boards.charts.figures import marked_own
from leaderboard.boards.charts.scores import forest
from leaderboard.boards.leaders import BoardHead
from leaderboard.boards.render import (
    MeasureColumn,
    RankingTable,
    TableLine,
    number_cell,
    rooms_of,
)
from leaderboard.boards.rows import BADGES, RankChange
from leaderboard.results.score_bars import Axis
from leaderboard.results.score_progress import PartGain
from leaderboard.results.scores import Ends, Score
from leaderboard.submissions.models import EvaluationState
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.timeline import PhaseBar, Timeline
from scoring.errors import Problem
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers

START = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
NEVER = datetime(2096, 5, 3, 9, 30, tzinfo=UTC)
AXIS = Axis(70.0, 90.0)
MEASURES = tuple(
    Measure(title.lower(), title, (), max, "")
    for title in ("LAS", "UAS", "Label accuracy", "CLAS", "MLAS", "Lemmas", "Features")
)
LONG = "A system whose name takes all the eighty letters that are allowed to it, surely"
# Rank, its range, cluster, team, system, value and interval.
ROWS = (
    (1, (1, 1), 1, "Kingfisher", "heron-3", (87.42, 86.3, 88.5)),
    (2, (2, 3), 2, "Bens", LONG, (83.1, 81.9, 84.2)),
    (2, (2, 3), 2, "The Long Distance Annotation Laboratory", "x", (82.8, 81.4, 84.1)),
    (4, (4, 4), 3, "Far off", "below the axis", (41.0, 39.2, 43.1)),
    (None, (None, None), None, "Organizers", "majority", (73.5, 72.0, 75.0)),
    (None, (None, None), None, "Late", "all badges at once", (95.0, 94.0, 96.0)),
    (None, (None, None), None, "Nobody", "no score", (None, None, None)),
)
SHORT = (0, 3, 4)  # rows with short names, which leave room for more columns
OWN = f"00000000-0000-0000-0000-{1:012}"
CHANGES = (RankChange(2), RankChange(-1), RankChange(None))
EXCERPT = "7\tran\trun\tVERB\tHEAD"


class SampleForm(forms.Form):
    name = forms.CharField(label=_("Name"))
    title = forms.CharField(label=_("Title"), initial="Otters", required=False)
    team = forms.ChoiceField(label=_("Team"), choices=[("1", "Bens"), ("2", "Cys")])
    test_set = forms.ChoiceField(
        label=_("Test set"),
        choices=[("north", "North"), ("south", "South")],
        widget=forms.RadioSelect,
    )
    note = forms.CharField(label=_("Note"), widget=forms.Textarea, required=False)
    summary = forms.FileField(label=_("Summary"), required=False)
    admitted = forms.BooleanField(label=_("Late, admitted"), required=False)


@dataclass(frozen=True)
class Component:
    """A section of the page: the template that it includes, and what that is given."""

    name: str
    template: str
    context: dict[str, Any] = field(default_factory=dict)


def context() -> dict[str, Any]:
    """What `page.html` shows, beside the components of extras."""
    return {
        "phase_states": ("upcoming", "open", "over"),
        "evaluation_states": EvaluationState.values,
        "row_badges": BADGES.values(),
        "boards": [("board", board_table()), ("board-short", board_table(SHORT))],
        "table": board_table(),
        "own": [OWN],
        "chips": [("Test set: North", "#choices"), ("UAS at least 80", "#choices")],
        "bars": bars(),
        "plain_form": SampleForm(),
        "wrong_form": SampleForm({"name": "", "team": "3", "title": LONG}),
        "problems": problems(),
        "line": line(),
        "head": head(),
        "tasks": tasks(),
        "levels": SimpleNamespace(level=0.95, levels=(0.9, 0.95, 0.99)),
        "gains": gains(),
        "changes": [
            (verdict, SimpleNamespace(text=text))
            for verdict, text in (("better", "+1.20"), ("worse", "−0.40"), ("", "0.00"))
        ],
        "sheet": SimpleNamespace(
            first=101, last=200, of_all=245, number=2, numbers=range(1, 4)
        ),
        "runs": SimpleNamespace(
            steps=[
                SimpleNamespace(text=text, at=START + timedelta(seconds=9 * number))
                for number, text in enumerate(("Received", "Checked", "Scored"))
            ]
        ),
    }


def board_table(places: Sequence[int] = range(len(ROWS))) -> RankingTable:
    """The rows at these places."""
    head = [MeasureColumn(one, one is MEASURES[0], AXIS) for one in MEASURES]
    clusters = [ROWS[place][2] for place in places]
    above = [
        bool(last and now and now > last)
        for last, now in zip([None, *clusters], clusters, strict=False)
    ]
    lines = [
        _line(place, len(head), lined)
        for place, lined in zip(places, above, strict=True)
    ]
    table = RankingTable(head, [], lines)
    table.rooms = rooms_of([one.title for one in MEASURES[1:]], table.width)
    placed = zip(head[1:], table.rooms, strict=False)
    head[1:] = [replace(column, room=room) for column, room in placed]
    return table


class _ByMeasure(dict[str, Score]):
    """As `Scores`."""

    def value(self, name: str) -> float | None:
        return self[name].value

    def ends(self, name: str) -> Ends:
        return self[name].ends


def board() -> Any:
    """A board as charts ask for it, with the scored rows."""
    systems = [
        SimpleNamespace(
            team=team,
            system=system,
            submission=system,
            competes=rank is not None,
            rank=rank,
            complete=True,
            by_measure=_ByMeasure(zip(("las", "uas"), _scores(ends), strict=True)),
            standing=SimpleNamespace(
                rank=rank, low=ranks[0], high=ranks[1], cluster=cluster
            ),
        )
        for rank, ranks, cluster, team, system, ends in ROWS
        if ends[0] is not None
    ]
    return SimpleNamespace(rows=systems, measure=MEASURES[0], level=0.95, lead="")


def chart(name: str, figure: dict[str, Any]) -> Component:
    """A chart in which the row with the long name is the reader's."""
    drawn = marked_own(figure, {LONG})[0]
    shown = {"figure": drawn, "chart_title": name, "number": name, "note": ""}
    return Component(f"chart-{name}", "boards/_chart_figure.html", shown)


def scores_chart() -> Component:
    return chart("scores", forest(board()).figure)


def _scores(ends: Any) -> tuple[Score, Score]:
    """In LAS, and in UAS three points above it."""
    las, uas = ends, [end + 3 for end in ends]
    percent = [[end / 100 for end in three] for three in (las, uas)]
    return (
        Score(MEASURES[0], Numbers(*percent[0])),
        Score(MEASURES[1], Numbers(*percent[1])),
    )


def _line(number: int, columns: int, line_above: bool) -> TableLine:
    rank, rank_range, cluster, team, system, ends = ROWS[number]
    flagged = system.startswith("all badges")
    values = {
        "rank": rank,
        "rank_range": list(rank_range),
        "cluster": cluster,
        "in_words": "",
        "team": team,
        "system": system,
        "submission": f"00000000-0000-0000-0000-{number:012}",
        "received_at": START,
        "entries": 3 + number,
        "baseline": flagged or team == "Organizers",
        "complete": not flagged,
        "late_admitted": flagged,
        "after_end": flagged,
        "organizers": flagged,
        "brought": flagged,
        "runs": 3 if number == 0 else 1,
        "facts": {},
    }
    few = ends[0] is not None and number == 3
    return TableLine(
        values,
        [number_cell(*ends, few, (None, None)) for _column in range(columns)],
        [],
        line_above,
        "3 runs, ±0.30" if number == 0 else "",
        "#board-row" if number < 2 else "",
        "#board-row",
        AXIS.bar(ends),
        CHANGES[number] if number < len(CHANGES) else None,
    )


def bars() -> list[tuple[str, Any]]:
    """The marks of a score: within its axis, without an interval, beyond each end."""
    return [
        ("inside", AXIS.bar((80.0, 78.0, 83.0))),
        ("no interval", AXIS.bar((80.0, None, None))),
        ("below the axis", AXIS.bar((41.0, 39.0, 43.0))),
        ("above the axis", AXIS.bar((95.0, 94.0, 96.0))),
    ]


def problems() -> list[Problem]:
    return [
        Problem(
            "columns",
            "This line has 5 columns; a word has 10, separated by tabs.",
            file="north.conllu",
            line=12,
            column=5,
            hint="Write _ where a column says nothing.",
            excerpt=EXCERPT.replace("\t", "\\t"),
            caret=17,
        ),
        Problem(
            "missing", "The file for this test set is missing.", file="south.conllu"
        ),
    ]


def phases() -> list[Phase]:
    soon = timezone.now() + timedelta(days=10, hours=1)
    return [
        Phase(
            title="Practice", name="practice", opens=START, closes=START + timedelta(9)
        ),
        Phase(title="Test", name="test", opens=START, closes=soon),
        Phase(title="Rehearsal", name="rehearsal", opens=START),
        Phase(title="Second round", name="second", opens=NEVER),
    ]


def line() -> Timeline:
    places = (("0.00%", "30.00%"), ("20.00%", "60.00%"), ("20.00%", "80.00%"))
    ends = (*places, ("85.00%", "10.00%"))
    bars = [PhaseBar(one, *end) for one, end in zip(phases(), ends, strict=True)]
    return Timeline(bars, "64.00%")


def head() -> BoardHead:
    """The first three rows of the sample board in small."""
    table = board_table()
    first = [replace(line, cells=line.cells[:1]) for line in table.lines[:3]]
    template = get_template("boards/_rows.jinja", using="jinja2")
    drawn = {"table": replace(table, lines=first), "live": True, "brief": True}
    phase = Phase(title="Test", name="test", opens=START, closes=phases()[1].closes)
    phase.task = Task(title="Parsing the talk of otters", slug="otters")
    return BoardHead(
        phase,
        [{"team": "Kingfisher", "system": "heron-3", "page": ""}],
        more=0,
        measure="LAS",
        value="87.42",
        interval="[86.3, 88.5]",
        best="0.0,21.0 20.0,21.0 20.0,14.0 70.0,14.0 70.0,3.0 110.0,3.0",
        begun="61.20",
        of_all=4,
        table=template.render(drawn | {"own": ()}),
        scale=AXIS.ends,
        level=0.95,
        may_lead=True,
    )


def tasks() -> list[SimpleNamespace]:
    """Tasks as the front page lists them: open, soon over, to come, over."""
    soon = timezone.now() + timedelta(hours=29, minutes=7)
    ending = Phase(title="Final", name="final", opens=START, closes=soon)
    best = head()
    told = (
        ("Parsing the talk of otters", "open", best.phase, best),
        (LONG, "open", ending, None),
        ("Moods of the river", "upcoming", phases()[3], None),
        ("Old letters", "over", phases()[0], None),
    )
    return [
        SimpleNamespace(
            title=title,
            slug="otters",
            summary="Find the head of every word in the talk of three rivers.",
            synthetic=state == "over",
            draft=state == "upcoming",
            get_absolute_url="#tasks",
            kind="Trees and graphs",
            phase=phase,
            state=state,
            teams=14,
            result=result,
        )
        for title, state, phase, result in told
    ]


def gains() -> list[PartGain]:
    return [
        PartGain("tale", 0.81, 0.84, 0.03, True, 120),
        PartGain("letter", 0.79, 0.77, -0.02, False, 80),
        PartGain("song", 0.66, 0.66, 0.0, False, 12),
    ]
