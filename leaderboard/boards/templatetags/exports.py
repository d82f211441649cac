"""The formats of boards in templates, and the cells of their tables."""

from collections.abc import Iterable

from django import template
from django.utils.http import urlencode

from leaderboard.boards.exports import words
from leaderboard.boards.exports.registry import Format, all_formats
from leaderboard.boards.exports.table import Table
from leaderboard.boards.frozen import Cell, Line
from leaderboard.boards.snapshots import address_of
from leaderboard.tasks.models import Snapshot

register = template.Library()


@register.simple_tag
def export_formats() -> Iterable[Format]:
    """In the order of the menu."""
    return _formats()


@register.simple_tag
def snapshot_exports(snapshot: Snapshot) -> list[tuple[str, list[tuple[str, str]]]]:
    """For each board of a snapshot its title, and titles and addresses of formats."""
    found = []
    for table in snapshot.data["boards"]:
        name = table["board"] or ""
        titles = {one["name"]: one["title"] for one in table["boards"]}
        links = [(str(one.title), _place(snapshot, one, name)) for one in _formats()]
        found.append((titles.get(name, ""), links))
    return found


def _formats() -> Iterable[Format]:
    return all_formats().values()


def _place(snapshot: Snapshot, form: Format, board: str) -> str:
    page = address_of(snapshot)
    return f"{page}board.{form.name}" + (
        f"?{urlencode({'board': board})}" if board else ""
    )


@register.filter
def cells_of(line: Line, table: Table) -> list[Cell]:
    return table.cells(line)


@register.filter
def rank_of(line: Line) -> str:
    return words.rank(line)


@register.filter
def doubt_of(line: Line) -> str:
    return words.doubt(line)


@register.filter
def marks_of(line: Line) -> list[str]:
    return words.marks(line.data)


@register.filter
def notes_of(table: Table) -> list[str]:
    return [note for note in (words.synthetic(table), *words.notes(table)) if note]
