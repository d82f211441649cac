"""Charts that a board links to, and the numbers behind one.

There are up to a thousand lines of them, where the template engine takes long.
"""

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from leaderboard.boards.board import Board
from leaderboard.boards.charts.figures import Chart
from leaderboard.boards.charts.kinds import ChartKind, kinds_of

register = template.Library()
NUMBER, TEXT = '<td class="number">{}</td>', "<td>{}</td>"


@register.filter
def chart_kinds(board: Board) -> list[ChartKind]:
    return kinds_of(board)


@register.filter
def table_rows(chart: Chart) -> SafeString:
    """A row for each line, its first cell the heading of the row."""
    cells = [NUMBER if column.number else TEXT for column in chart.head[1:]]
    row = f'<tr><th scope="row">{{}}</th>{"".join(cells)}</tr>'
    return format_html_join("\n", row, chart.lines)
