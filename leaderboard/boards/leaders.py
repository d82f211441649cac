"""The head of a board as anybody sees it, for pages that show boards in small."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import MOST_NAMED, BoardRows, Improvement
from leaderboard.boards.query import BoardQuery, rankings
from leaderboard.boards.render import ranking_table
from leaderboard.boards.rows import Row
from leaderboard.boards.stored_board import board
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.page_cache import PageKey, cached_page

MOST_ROWS = 5
MOST_TRIED = 3  # phases of a task
# The drawing of the best score: its width, its height, and what is left free above.
WIDTH, HEIGHT, FREE = 110.0, 24.0, 3.0


@dataclass(frozen=True)
class BoardHead:
    """The leaders of a board as anybody sees it; `more` share the first rank with them.

    `leaders` are system and team of each, `measure` is the title of what ranks,
    `value` and `interval` are printed. `best` are the corners of a line that draws the
    best score over time, `begun` is where it began, printed. `table` are the first
    rows where these were asked for, `scale` the ends of the axis of their bars,
    `level` that of their intervals and `may_lead` says that some may be first; `of_all`
    rows have a rank.
    """

    phase: Phase
    leaders: Sequence[Mapping[str, str]]
    more: int
    measure: str
    value: str
    interval: str
    best: str
    begun: str
    of_all: int
    choice: str = ""
    table: str = ""
    scale: Sequence[str] = ()
    level: float = 0.0
    may_lead: bool = False

    @property
    def over(self) -> bool:
        return self.phase.state() == "over"

    @property
    def rows(self) -> SafeString:
        """The rows as HTML, escaped when they were made."""
        return mark_safe(self.table)


def newest_head(
    phases: Iterable[Phase], moment: datetime, rows: bool = False
) -> BoardHead | None:
    """The head of a task: of the phase that opened last and has one to show.

    Raises NotComputed as `board` does.
    """
    begun = [phase for phase in phases if phase.state(moment) != "upcoming"]
    begun.sort(key=lambda phase: (phase.opens, phase.position), reverse=True)
    heads = (head_of(phase, moment, rows) for phase in begun[:MOST_TRIED])
    return next((head for head in heads if head), None)


def head_of(phase: Phase, moment: datetime, rows: bool = False) -> BoardHead | None:
    """The head of the phase's board; None where no board is shown to everybody, or
    nobody is ranked on it.

    The phase is one of `policy.with_neighbours`, or asks once more. Kept for seconds.
    Raises NotComputed as `board` does.
    """
    disclosure = policy.disclosure(AnonymousUser(), phase, moment)
    if not disclosure.board:
        return None
    parts = (*BoardQuery(phase).cache_parts(disclosure), get_language(), rows)
    values = cached_page(
        PageKey("head", parts, phase.board_version),
        lambda: _head(phase, disclosure, moment, rows),
    )
    return BoardHead(phase, **values) if values else None


def _head(
    phase: Phase, shown: Disclosure, moment: datetime, rows: bool
) -> dict[str, Any] | None:
    """The members of a head beside its phase, as plain values for other processes."""
    ranking = first_entered(phase, shown)
    if ranking is None:
        return None
    first = ranking.rows.ranked(MOST_ROWS)  # the leaders among them
    leaders = ranking.rows.at(ranking.rows.summary.leaders[:MOST_NAMED])
    improvements = ranking.source.history.board
    if not leaders or not improvements:
        return None
    score = leaders[0].sorted_by
    own = None if ranking.averages else ranking.test_set
    until = min(shown.as_of or moment, phase.closes or moment)
    measure = ranking.measure
    values = {
        "leaders": [
            {"system": r.system, "team": r.team, "page": r.team_page} for r in leaders
        ],
        "more": max(ranking.rows.summary.leading - MOST_NAMED, 0),
        "measure": ", ".join(
            filter(None, [str(measure.title), own.title if own else ""])
        ),
        "value": score.printed,
        "interval": score.interval,
        "best": line_of(improvements, until.timestamp(), measure.higher_is_better),
        "begun": improvements[0].printed,
        "of_all": ranking.rows.summary.ranked,
        "choice": f"?test_set={own.name}" if own else "",
    }
    return values | _first_rows(ranking, first) if rows else values


def first_entered(phase: Phase, shown: Disclosure) -> Board | None:
    """The main board; of test sets entered one by one that of the first that somebody
    entered. Raises NotComputed as `board` does."""
    boards = (board(query, shown) for query in rankings(phase))
    return next((some for some in boards if len(some.rows)), None)


def line_of(
    improvements: Sequence[Improvement], until: float, higher_is_better: bool
) -> str:
    """The corners of a line of steps, for an attribute of SVG; up is better."""
    start = improvements[0].at
    span = max(until - start, 1.0)
    values = [improvement.value for improvement in improvements]
    if not higher_is_better:
        values = [-value for value in values]
    rise = values[-1] - values[0]
    heights = [(value - values[0]) / rise if rise else 0.5 for value in values]
    corners: list[tuple[float, float]] = []
    for improvement, share in zip(improvements, heights, strict=True):
        x = WIDTH * min((improvement.at - start) / span, 1.0)
        if corners:
            corners.append((x, corners[-1][1]))
        corners.append((x, HEIGHT - FREE - share * (HEIGHT - 2 * FREE)))
    corners.append((WIDTH, corners[-1][1]))
    return " ".join(f"{x:.0f},{y:.0f}" for x, y in corners)


def _first_rows(ranking: Board, rows: Sequence[Row]) -> dict[str, Any]:
    """These rows as boards draw them, by the measure that ranks alone."""
    first = replace(
        ranking,
        measures=(ranking.measure,),
        questions=(),
        columns=(),
        rows=BoardRows(rows),
    )
    table = ranking_table(first)
    template = get_template("boards/_rows.jinja", using="jinja2")
    drawn = {"table": table, "live": True, "brief": True, "own": ()}
    return {
        "table": template.render(drawn),
        "scale": list(table.columns[0].scale),
        "level": ranking.level,
        "may_lead": table.some_may_lead,
    }
