"""Charts, export formats and archives in templates.

Rows of a chart's numbers are not left to the template engine, which takes long for up
to a thousand of them.
"""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html_join
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from leaderboard.boards.archive.download import is_published
from leaderboard.boards.charts.figures import Chart
from leaderboard.boards.charts.kinds import kinds_of
from leaderboard.boards.exports.formats import ExportFormat, all_formats
from leaderboard.boards.snapshots import address_of
from leaderboard.tasks.models import Snapshot

register = template.Library()
NUMBER, TEXT = '<td class="number">{}</td>', "<td>{}</td>"

register.filter("chart_kinds", kinds_of)
register.filter("has_archive", is_published)


@register.filter
def table_rows(chart: Chart) -> SafeString:
    """A row for each line, its first cell the heading of the row."""
    cells = [NUMBER if column.number else TEXT for column in chart.head[1:]]
    row = f'<tr><th scope="row">{{}}</th>{"".join(cells)}</tr>'
    return format_html_join("\n", row, chart.lines)


@register.simple_tag
def export_formats() -> Iterable[ExportFormat]:
    """In the order of the menu."""
    return all_formats().values()


@register.simple_tag
def snapshot_exports(snapshot: Snapshot) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each board of a snapshot its title, and titles and addresses of formats."""
    page = address_of(snapshot)
    boards = []
    for board in snapshot.data["boards"]:
        titles = {named["name"]: named["title"] for named in board["boards"]}
        query = f"?{urlencode({'board': board['board']})}" if board["board"] else ""
        links = [
            (str(form.title), f"{page}board.{form.name}{query}")
            for form in all_formats().values()
        ]
        boards.append((titles.get(board["board"], ""), links))
    return boards
