"""Charts of a board: a kind of chart, what a reader asked for, and the parts that one
is drawn of. Coordinates are pixels of the picture.
"""

from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    ChartColumn,
    axis,
    bars,
    columns_axis,
    figure,
    heat,
    height_of,
    hover,
    label,
    names_axis,
    on_scale,
    points,
    share_of,
    system_columns,
    systems_axis,
)
from leaderboard.boards.charts.kinds import (
    ChartField,
    ChartKind,
    ChartRequest,
    kinds_of,
)
from leaderboard.boards.charts.page import chart_request, heading_of, picture_file
from leaderboard.boards.charts.pins import MOST_SYSTEMS, named_submissions
from leaderboard.boards.charts.scores import off_scale, with_scores
from leaderboard.boards.render import axis_of, without_outliers

__all__ = [
    "MOST_ROWS",  # Rows of a chart at most.
    "MOST_SYSTEMS",  # Systems that are pinned at most.
    "Chart",
    "ChartColumn",
    "ChartField",
    "ChartKind",
    "ChartRequest",
    "axis",
    "axis_of",
    "bars",
    "chart_request",
    "columns_axis",
    "figure",
    "heading_of",
    "heat",
    "height_of",
    "hover",
    "kinds_of",
    "label",
    "named_submissions",
    "names_axis",
    "off_scale",
    "on_scale",
    "picture_file",
    "points",
    "share_of",
    "system_columns",
    "systems_axis",
    "with_scores",
    "without_outliers",
]
