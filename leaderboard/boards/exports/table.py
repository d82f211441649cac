"""A board as every format writes it: live rows and frozen ones alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.conf import settings
from django.urls import reverse

from leaderboard.boards import snapshots
from leaderboard.boards.chosen import Chosen, choices_in_force
from leaderboard.boards.frozen import Cell, Line, Page, pages
from leaderboard.boards.printing import board_json
from leaderboard.boards.rows import Board, Row
from leaderboard.tasks.facts import Answer, Question
from leaderboard.tasks.models import Phase, Snapshot, Task

Values = Mapping[str, Any]
HASH_SHOWN = 16  # hexadecimal digits, as in the address of a snapshot


@dataclass(frozen=True)
class About:
    """What a table is of. `at`: the day it was taken, or the moment it was frozen.

    `sha256` is that of the canonical JSON of the rows, of the one board or of the whole
    snapshot (docs/organizers/final-ranking.md). `address` is absolute. `extra` goes
    into the JSON beside the rows.
    """

    task: Task
    phase: Phase
    address: str
    at: datetime
    sha256: str
    snapshot: Snapshot | None = None
    extra: Values = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return self.sha256[:HASH_SHOWN]

    @property
    def name(self) -> str:
        """Of a file, without its ending."""
        return f"{self.task.slug}-{self.phase.name}"


@dataclass(frozen=True)
class Table:
    """One board. The measure that ranks comes first, as on its page.

    `chosen` are the choices that a reader made of it; a snapshot has none.
    """

    about: About
    page: Page
    chosen: Sequence[Chosen] = ()

    @property
    def data(self) -> Values:
        """The rows as the API prints them."""
        return self.page.data

    @property
    def lines(self) -> Sequence[Line]:
        return self.page.lines

    @property
    def questions(self) -> Sequence[Question]:
        return self.page.questions

    @property
    def measures(self) -> Sequence[Values]:
        first = self.data["ranked_by"]
        return sorted(self.data["measures"], key=lambda one: one["name"] != first)

    @property
    def places(self) -> Sequence[int]:
        """Where the cells of `measures` stand in the cells of a line."""
        names = [one["name"] for one in self.data["measures"]]
        return [names.index(one["name"]) for one in self.measures]

    def cells(self, line: Line) -> list[Cell]:
        return [line.cells[place] for place in self.places]

    @property
    def title(self) -> str:
        """The task, its phase, and the named board if it is one."""
        about = self.about
        words = [about.task.title, about.phase.title, self.page.title]
        return ": ".join(filter(None, words))


def absolute(path: str) -> str:
    """With the site's own address before it."""
    return f"{settings.SITE_URL}{path}"


def of_board(board: Board, at: datetime, query: str = "") -> Table:
    """The live board, in the words of its page; `query` chose it, without "?"."""
    data = snapshots.plain(board_json(board))
    path = reverse("board", args=[board.phase.task.slug, board.phase.name])
    about = About(
        task=board.phase.task,
        phase=board.phase,
        address=absolute(path + (f"?{query}" if query else "")),
        at=at,
        sha256=snapshots.digest(data),
        extra=_beside(board.phase),
    )
    lines = [
        _line(row, found, board.columns)
        for row, found in zip(board.rows, data["rows"], strict=True)
    ]
    title = board.named.title if board.named else ""
    page = Page(data, title, board.columns, lines)
    return Table(about, page, choices_in_force(board))


def _line(row: Row, data: Values, columns: Sequence[Question]) -> Line:
    facts = [
        Answer(question, row.facts[question.name])
        if question.name in row.facts
        else None
        for question in columns
    ]
    cells = [Cell(score.printed, score.interval) for score in row.scores]
    return Line(data, cells, facts, row.description, row.line_above)


def _beside(phase: Phase) -> Values:
    """How the numbers came about, of what the public may know anyway."""
    task = phase.task
    return {
        "policy": {
            "policy": phase.policy,
            "publication": phase.publication,
            "counts": phase.counts,
            "freeze_from": phase.freeze_from,
            "reveal_at": phase.reveal_at,
            "closes": phase.closes,
        },
        "scorer": task.scorer_name,
        "unit": task.unit or task.scorer.units[0],
        "resamples": task.resamples,
        "seed": task.seed,
        "board_version": phase.board_version,
    }


def of_snapshot(snapshot: Snapshot) -> list[Table]:
    """The boards of a snapshot, the one without a name first."""
    about = About(
        task=snapshot.phase.task,
        phase=snapshot.phase,
        address=absolute(snapshots.address_of(snapshot)),
        at=snapshot.at,
        sha256=snapshot.sha256,
        snapshot=snapshot,
        extra={"snapshot": _told(snapshot.data)},
    )
    return [Table(about, page) for page in pages(snapshot.data, {})]


def _told(data: Values) -> Values:
    return {key: found for key, found in data.items() if key != "boards"}
