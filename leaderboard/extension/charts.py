"""Charts of a board: a kind of chart, what a reader asked for, and the parts that one
is drawn of. Coordinates are pixels of the picture.
"""

# An extra adds kinds of charts.
from leaderboard.boards.charts.figures import Chart, ChartColumn
from leaderboard.boards.charts.kinds import ChartField, ChartKind, ChartRequest

# Its charts are drawn of the parts of the site's, so that pages, pins and files treat
# all alike.
from leaderboard.boards.charts.figures import (
    MOST_ROWS,  # Rows of a chart at most.
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
from leaderboard.boards.charts.scores import off_scale, with_scores
from leaderboard.boards.render import axis_of, without_outliers

# Systems that a reader names or pins are the same on all pages.
from leaderboard.boards.charts.pins import (
    MOST_SYSTEMS,  # Systems that are pinned at most.
    named_submissions,
)

# An extra writes charts of a board into other kinds of files.
from leaderboard.boards.charts.kinds import kinds_of
from leaderboard.boards.charts.page import chart_request, heading_of, picture_file
