"""The boards of a task as folders: a page, charts and every format of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import AnonymousUser
from django.template.loader import render_to_string
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board, board
from leaderboard.boards.exports.formats import all_formats
from leaderboard.boards.exports.pictures import DARK, LIGHT, board_picture
from leaderboard.boards.exports.table import ExportTable, of_board, of_snapshot
from leaderboard.boards.query import BoardQuery
from leaderboard.tasks import policy
from leaderboard.tasks.models import Phase, Snapshot, Task

Member = tuple[str, bytes]
MOST_ROWS = 60  # of a chart


@dataclass(frozen=True)
class Folder:
    """One board at its place in the archive, `boards/test` for one."""

    path: str
    title: str
    table: ExportTable

    @property
    def up(self) -> str:
        """From its pages to the top."""
        return "../" * (self.path.count("/") + 1)


def folders_of(phase: Phase, at: datetime) -> Iterator[Folder]:
    """Every view of a phase's board that is worth a page; none where none is shown."""
    shown = policy.disclosure(AnonymousUser(), phase)
    if not shown.board:
        return
    first = board(phase, BoardQuery(), shown)
    top = f"boards/{phase.name}"
    yield Folder(top, phase.title, of_board(first, at))
    for path, title, view in _views(first):
        found = of_board(board(phase, view, shown), at, _query(view))
        yield Folder(f"{top}/{path}", f"{phase.title}: {title}", found)


def _views(first: Board) -> Iterator[tuple[str, str, BoardQuery]]:
    if first.shown.everything:
        yield "entries", _("every entry"), BoardQuery(everything=True)
    for number, one in enumerate(first.boards, start=1):
        yield f"named-{number}", one.title, BoardQuery(board=one.name)
    if first.several_test_sets:
        for test_set in first.test_sets:
            view = BoardQuery(test_set=test_set.name)
            yield f"set-{test_set.name}", test_set.title, view


def _query(view: BoardQuery) -> str:
    """As in the address of the live page; the names are slugs."""
    if view.everything:
        return "entries=all"
    return f"board={view.board}" if view.board else f"test_set={view.test_set}"


def frozen_folders(snapshot: Snapshot) -> Iterator[Folder]:
    top = f"snapshots/{snapshot.sha256[: snapshots.IN_ADDRESS]}"
    phase = snapshot.phase
    day = date_format(snapshot.at.astimezone(phase.zone), "j M Y")
    title = f"{snapshot.title or _('Snapshot')}, {day}"
    for number, table in enumerate(of_snapshot(snapshot)):
        path = f"{top}/board-{number}" if number else f"{top}/board"
        # One snapshot has several boards, and there may be several on a day.
        words = [phase.title, title, table.page.title]
        yield Folder(path, ": ".join(filter(None, words)), table)


def members_of(task: Task, folder: Folder) -> Iterator[Member]:
    for name, form in all_formats().items():
        yield f"{folder.path}/{file_of(name)}", form.write(folder.table).encode()
    charts = range(1, len(folder.table.measures) + 1)
    for number in charts:
        for colours, ending in ((LIGHT, "svg"), (DARK, "dark.svg")):
            path = f"{folder.path}/charts/{number}.{ending}"
            picture = board_picture(folder.table, colours, number - 1, MOST_ROWS)
            yield path, picture.encode()
    yield f"{folder.path}/index.html", _page(task, folder, charts)


def file_of(form: str) -> str:
    """Pictures are one thing, what holds all rows another."""
    return f"picture.{form}" if form.endswith("svg") else f"rows.{form}"


def _page(task: Task, folder: Folder, charts: Sequence[int]) -> bytes:
    titles = [measure["title"] for measure in folder.table.measures]
    context = {
        "task": task,
        "up": folder.up,
        "title": folder.title,
        "table": folder.table,
        "charts": list(zip(charts, titles, strict=True)),
        "files": [(file_of(one.name), one.title) for one in all_formats().values()],
        "most": MOST_ROWS,
    }
    return render_to_string("archive/board.html", context).encode()
