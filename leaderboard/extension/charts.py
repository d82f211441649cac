"""Charts of a board: a kind of chart, what a reader asked for, and the parts that one
is drawn of. Coordinates are pixels of the picture.
"""

from leaderboard.boards.charts.figures import (
    Chart,
    columns_axis,
    figure,
    heat,
    height_of,
    hovers,
    label,
    share_of,
    system_columns,
    systems_axis,
)
from leaderboard.boards.charts.kinds import ChartKind, ChartRequest
from leaderboard.boards.charts.pins import named
from leaderboard.web.charts.picture import Figure

__all__ = [
    "Chart",
    "ChartKind",
    "ChartRequest",
    "Figure",
    "columns_axis",
    "figure",
    "heat",
    "height_of",
    "hovers",
    "label",
    "named",
    "share_of",
    "system_columns",
    "systems_axis",
]
