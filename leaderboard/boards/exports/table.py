"""A board as every format writes it, live or frozen, with its notes."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board
from leaderboard.boards.choices import Chosen, choices_in_force
from leaderboard.boards.rows import Row
from leaderboard.boards.serialize import board_json
from leaderboard.boards.snapshots import (
    PrintedBoard,
    PrintedRow,
    ScoreCell,
    printed_boards,
    resolves,
)
from leaderboard.submissions.scores import footnotes, runs_in_words
from leaderboard.tasks.models import Answer, Phase, Question, Snapshot, Task

Values = Mapping[str, Any]
NOT_RANKED = "–"
MARKS = {
    "baseline": gettext_lazy("Baseline"),
    "organizers": gettext_lazy("Organizers' team"),
    "incomplete": gettext_lazy("Incomplete"),
    "late_admitted": gettext_lazy("Late, admitted"),
    "after_end": gettext_lazy("After the end"),
}


@dataclass(frozen=True)
class ExportTable:
    """One board. The measure that ranks comes first, as on its page.

    `at` is the day it was taken, or the moment it was frozen; `sha256` that of the
    canonical JSON of the rows, of the one board or of the whole snapshot
    (docs/organizers/final-ranking.md). `address` is absolute. `extra` goes into the
    JSON beside the rows. `chosen` are the choices that a reader made; a snapshot has
    none.
    """

    task: Task
    phase: Phase
    page: PrintedBoard
    address: str
    at: datetime
    sha256: str
    extra: Values = field(default_factory=dict)
    snapshot: Snapshot | None = None
    chosen: Sequence[Chosen] = ()

    @property
    def data(self) -> Values:
        """The rows as the API prints them."""
        return self.page.data

    @property
    def lines(self) -> Sequence[PrintedRow]:
        return self.page.lines

    @property
    def questions(self) -> Sequence[Question]:
        return self.page.questions

    @cached_property
    def measures(self) -> Sequence[Values]:
        first = self.data["ranked_by"]
        return sorted(self.data["measures"], key=lambda one: one["name"] != first)

    def cells(self, line: PrintedRow) -> list[ScoreCell]:
        """The cells of a line in the order of `measures`."""
        return [line.cells[place] for place in self._places]

    @cached_property
    def _places(self) -> list[int]:
        names = [measure["name"] for measure in self.data["measures"]]
        return [names.index(measure["name"]) for measure in self.measures]

    @property
    def title(self) -> str:
        """The task, its phase, and the named board if it is one."""
        return ": ".join(
            filter(None, [self.task.title, self.phase.title, self.page.title])
        )

    @property
    def file_stem(self) -> str:
        return f"{self.task.slug}-{self.phase.name}"

    @property
    def short_hash(self) -> str:
        return self.sha256[: snapshots.IN_ADDRESS]

    @property
    def choices(self) -> str:
        """The choices in force in one line; empty for the plain board."""
        return one_line("; ".join(map(str, self.chosen)))

    @property
    def choices_note(self) -> str:
        if not self.chosen:
            return ""
        return _("Chosen: %(choices)s.") % {"choices": self.choices}

    @property
    def synthetic_note(self) -> str:
        """The warning that goes with scores that measure no real system; else empty."""
        if not self.task.synthetic:
            return ""
        return _("Synthetic data: the scores measure no real system.")

    @property
    def source_note(self) -> str:
        values = {
            "number": self.data["gold_revision"],
            "day": date_format(self.at, "j M Y"),
            "hash": self.short_hash,
        }
        if self.snapshot is not None:
            text = _("Snapshot of %(day)s, gold revision %(number)s, SHA-256 %(hash)s.")
        else:
            text = _(
                "Board of %(day)s, gold revision %(number)s, SHA-256 of the rows "
                "%(hash)s."
            )
        return text % values

    @property
    def notes(self) -> list[str]:
        """The choices, the rule, what is withheld, and where the rows come from."""
        level = _("In brackets: %(level)s intervals.") % {
            "level": f"{self.data['level']:.0%}"
        }
        marked = (cell.interval for line in self.lines for cell in self.cells(line))
        notes = [
            self.synthetic_note,
            self.choices_note,
            one_line(self.data["rule"]),
            resolves(self.data),
            *map(one_line, self.data["withheld"]),
            level,
            # Not in what was frozen before.
            self.data.get("unit_note"),
            *footnotes(marked),
            self.source_note,
        ]
        return [note for note in notes if note]


def one_line(text: object) -> str:
    """Without line ends and other control characters, which no format survives."""
    plain = "".join(
        " " if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char
        for char in str(text)
    )
    return " ".join(plain.split())


def rank(line: PrintedRow) -> str:
    return NOT_RANKED if line.data["rank"] is None else str(line.data["rank"])


def marks(line: PrintedRow) -> list[str]:
    """The badges of a row."""
    row = {**line.data, "incomplete": not line.data["complete"]}
    titles = [str(title) for name, title in MARKS.items() if row.get(name)]
    # Snapshots from before there were several are without them.
    runs = runs_in_words(row.get("runs", 1), "")
    return [*titles, runs] if runs else titles


def absolute(path: str) -> str:
    """With the site's own address before it."""
    return f"{settings.SITE_URL}{path}"


def of_board(board: Board, at: datetime, query: str = "") -> ExportTable:
    """The live board, in the words of its page; `query` chose it, without "?"."""
    data = snapshots.plain(board_json(board))
    path = reverse("board", args=[board.phase.task.slug, board.phase.name])
    lines = [
        _line(row, values, board.columns)
        for row, values in zip(board.rows, data["rows"], strict=True)
    ]
    title = board.named.title if board.named else ""
    return ExportTable(
        task=board.phase.task,
        phase=board.phase,
        page=PrintedBoard(data, title, board.columns, lines),
        address=absolute(path + (f"?{query}" if query else "")),
        at=at,
        sha256=snapshots.digest(data),
        extra=_conditions(board.phase),
        chosen=choices_in_force(board),
    )


def _line(row: Row, data: Values, columns: Sequence[Question]) -> PrintedRow:
    facts = [
        Answer(question, row.facts[question.name])
        if question.name in row.facts
        else None
        for question in columns
    ]
    cells = [ScoreCell(score.printed, score.interval) for score in row.scores]
    return PrintedRow(data, cells, facts, row.description, row.line_above)


def rules_of(phase: Phase) -> dict[str, Any]:
    return {
        "policy": phase.policy,
        "publication": phase.publication,
        "counts": phase.counts,
        "freeze_from": phase.freeze_from,
        "reveal_at": phase.reveal_at,
        "closes": phase.closes,
    }


def _conditions(phase: Phase) -> Values:
    """How the numbers came about, as far as the public may know anyway."""
    task = phase.task
    return {
        "policy": rules_of(phase),
        "scorer": task.scorer_name,
        "unit": task.unit or task.scorer.units[0],
        "resamples": task.resamples,
        "seed": task.seed,
        "board_version": phase.board_version,
    }


def of_snapshot(snapshot: Snapshot) -> list[ExportTable]:
    """The boards of a snapshot, the one without a name first."""
    about = {name: value for name, value in snapshot.data.items() if name != "boards"}
    return [
        ExportTable(
            task=snapshot.phase.task,
            phase=snapshot.phase,
            page=page,
            address=absolute(snapshots.address_of(snapshot)),
            at=snapshot.at,
            sha256=snapshot.sha256,
            extra={"snapshot": about},
            snapshot=snapshot,
        )
        for page in printed_boards(snapshot.data, {})
    ]
