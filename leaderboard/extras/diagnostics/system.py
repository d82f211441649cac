"""Parts of the page of a system: slices, entries over time, sources of uncertainty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from leaderboard.extension.boards import SystemOverview, slices_in_summary
from leaderboard.extension.charts import Chart
from leaderboard.extension.scores import Axis, Bar, Ends, Score, printed
from leaderboard.extension.statistics import Slice
from leaderboard.extras.diagnostics.scores import entries_over_time
from leaderboard.extras.diagnostics.slices import on_slice
from leaderboard.extras.diagnostics.sources import Uncertainty, uncertainty

MOST_FIELD = 30
HISTORY_HEIGHT = 280  # pixels, beside the list of entries


@dataclass(frozen=True)
class SystemSlice:
    """The score on one slice, and what other ranked systems have there."""

    part: Slice
    score: Score
    field: Sequence[float]
    axis: Axis | None = None

    @classmethod
    def of(cls, part: Slice, scores: Sequence[Score]) -> "SystemSlice":
        """The first score is that of the system itself."""
        others = [score.value for score in scores[1:] if score.value is not None]
        return cls(part, scores[0], sorted(others))

    @property
    def on_axis(self) -> list[Ends]:
        return [self.score.ends, *((value, None, None) for value in self.field)]

    @property
    def bar(self) -> Bar | None:
        return self.axis.bar(self.score.ends) if self.axis else None

    @property
    def others(self) -> list[str]:
        """Places of the other systems on the axis."""
        return [self.axis.at(value) for value in self.field] if self.axis else []

    @property
    def middle(self) -> str:
        """The median of the others, as scores are printed."""
        if not self.field:
            return ""
        return printed(median(self.field), self.score.decimals[0])


def slices(system: SystemOverview, _user: Any) -> Mapping[str, object] | None:
    """`parts` on which a system has a score of the measure that ranks, beside those of
    the `field`: other ranked systems on the board, of many the best."""
    board, own = system.ranking, system.row.submission
    field = [row for row in board.rows.ranked(MOST_FIELD) if row.submission != own]
    slices = [
        SystemSlice.of(part, on_slice(board, [system.row, *field], part, board.measure))
        for part in slices_in_summary(board)
    ]
    scored = [line for line in slices if line.score.value is not None]
    if not scored:
        return None
    axis = Axis.around(ends for line in scored for ends in line.on_axis)
    return {"parts": [replace(line, axis=axis) for line in scored], "field": field}


def curve(system: SystemOverview, _user: Any) -> Chart | None:
    """The chart of the team's entries over time, below the best of all that are shown;
    None for a single point of its own alone."""
    chart = entries_over_time(system.ranking, system.history)
    if system.alone or not chart.lines:
        return None
    chart.figure["layout"]["height"] = HISTORY_HEIGHT
    return chart


def sources(system: SystemOverview, _user: Any) -> Uncertainty | None:
    return uncertainty(system.ranking, system.row)
