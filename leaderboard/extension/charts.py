"""Charts of a board: a kind of chart, what a reader asked for, and the parts that one
is drawn of. Coordinates are pixels of the picture.
"""

from leaderboard.boards.charts.figures import (
    MOST_ROWS,
    Chart,
    ChartColumn,
    axis,
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
from leaderboard.boards.render import axis_of
from leaderboard.results.score_bars import without_outliers

# An extra adds kinds of charts.
__all__ = ["Chart", "ChartColumn", "ChartField", "ChartKind", "ChartRequest"]
# Its charts are drawn of the parts of the site's, so that pages, pins and files treat
# all alike.
__all__ += [
    "MOST_ROWS",  # Rows of a chart at most.
    "axis",
    "axis_of",
    "columns_axis",
    "figure",
    "heat",
    "height_of",
    "hover",
    "label",
    "names_axis",
    "off_scale",
    "on_scale",
    "points",
    "share_of",
    "system_columns",
    "systems_axis",
    "with_scores",
    "without_outliers",
]
# Systems that a reader names or pins are the same on all pages.
__all__ += [
    "MOST_SYSTEMS",  # Systems that are pinned at most.
    "named_submissions",
]
# An extra writes charts of a board into other kinds of files.
__all__ += ["chart_request", "heading_of", "kinds_of", "picture_file"]
