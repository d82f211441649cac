"""A board as every format writes it, live or frozen, with its notes."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self, cast

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.boards import snapshots
from leaderboard.boards.board import Board
from leaderboard.boards.choices import Chosen, choices_in_force
from leaderboard.boards.render import (
    NumberCell,
    TableLine,
    Values,
    answers,
    interval_notes,
    lines_above,
    number_cell,
    score_cell,
)
from leaderboard.boards.uncertainty import MOST_EXPORTED, uncertainty_values
from leaderboard.results.scores import PERCENT, PLAIN, footnotes, runs_in_words
from leaderboard.tasks.models import AnyQuestion, Phase, Question, Snapshot, Task
from leaderboard.tasks.models.records import IN_ADDRESS
from leaderboard.web.addresses import absolute
from leaderboard.web.templatetags.formats import day_text
from leaderboard.web.texts import one_line

AS_THEY_ARE = (None, None)  # decimals of scores that an earlier version rounded


@dataclass(frozen=True)
class ExportTable:
    """One board of `data`, the rows as the API prints them, live or frozen.

    The measure that ranks comes first, as on its page. `at` is the day it was taken, or
    the moment it was frozen; `sha256` that of the canonical JSON of the rows, of the
    one board or of the whole snapshot (docs/organizers/final-ranking.md). `address` is
    absolute. `extra` goes into the JSON beside the rows. `chosen` are the choices that
    a reader made; a snapshot has none.
    """

    phase: Phase
    data: Values
    measures: Sequence[Values]
    questions: Sequence[AnyQuestion]
    lines: Sequence[TableLine]
    address: str = ""
    at: datetime | None = None
    sha256: str = ""
    extra: Values = field(default_factory=dict)
    snapshot: Snapshot | None = None
    chosen: Sequence[Chosen] = ()

    @classmethod
    def of_board(cls, board: Board, at: datetime, query: str = "") -> Self:
        """The live board, in the words of its page; `query` chose it, without "?"."""
        data = snapshots.plain(snapshots.board_json(board))
        path = reverse("board", args=[board.phase.task.slug, board.phase.name])
        cells = [
            {score.measure.name: score_cell(score) for score in row.scores}
            for row in board.rows
        ]
        return cls(
            board.phase,
            data,
            *_columns_and_lines(data, board.columns, cells),
            address=absolute(path + (f"?{query}" if query else "")),
            at=at,
            sha256=snapshots.digest(data),
            extra={**_conditions(board), **_uncertainty(board)},
            chosen=choices_in_force(board),
        )

    @classmethod
    def of_page(cls, request: HttpRequest, board: Board) -> Self:
        """All rows, whichever sheet of the page it was asked for on."""
        query = request.GET.copy()
        query.pop("page", None)
        return cls.of_board(board, board.at or timezone.now(), query.urlencode())

    @classmethod
    def of_snapshot(
        cls, snapshot: Snapshot, described: Container[str] = ()
    ) -> list[Self]:
        """The boards of a snapshot, the one without a name first.

        `described` are submissions whose systems have been described since.
        """
        about = dict(snapshot.data)
        boards = about.pop("boards")
        return [
            cls.of_values(
                snapshot.phase,
                data,
                described,
                address=absolute(snapshots.address_of(snapshot)),
                at=snapshot.at,
                sha256=snapshot.sha256,
                extra={"snapshot": about},
                snapshot=snapshot,
            )
            for data in boards
        ]

    @classmethod
    def of_values(
        cls, phase: Phase, data: Values, described: Container[str] = (), **source: Any
    ) -> Self:
        """A board of which only the plain values are left; `source` says whence."""
        questions = [Question(**values) for values in data["fact_sheet"]]
        # Only snapshots of earlier versions say so: scores could be rounded then.
        exact = data.get("publication", "exact") == "exact"
        measures = {measure["name"]: measure for measure in data["measures"]}
        cells = [
            {n: _frozen_cell(measures[n], row["scores"][n], exact) for n in measures}
            for row in data["rows"]
        ]
        columns = _columns_and_lines(data, questions, cells, described)
        return cls(phase, data, *columns, **source)

    @property
    def task(self) -> Task:
        return self.phase.task

    @property
    def ranged(self) -> bool:
        """Whether the data leave some rank open."""
        return any(line.rank_range for line in self.lines)

    @property
    def board_title(self) -> str:
        """That of a named board and of a test set that ranks by itself; else empty."""
        titles = {named["name"]: named["title"] for named in self.data["boards"]}
        # Not in what was frozen before.
        own = self.data.get("ranking_of")
        named = str(titles.get(self.data["board"], ""))
        return ": ".join(filter(None, [named, own]))

    @property
    def title(self) -> str:
        """The task, its phase, and the named board if it is one."""
        return ": ".join(
            filter(None, [self.task.title, self.phase.title, self.board_title])
        )

    @property
    def file_stem(self) -> str:
        return f"{self.task.slug}-{self.phase.name}"

    @property
    def short_hash(self) -> str:
        return self.sha256[:IN_ADDRESS]

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
            "day": day_text(cast(datetime, self.at)),
            "hash": self.short_hash,
        }
        if self.snapshot is not None:
            text = _(
                "Snapshot of %(day)s, version %(number)s of the answer key, "
                "SHA-256 %(hash)s."
            )
        else:
            text = _(
                "Board of %(day)s, version %(number)s of the answer key, SHA-256 of "
                "the rows %(hash)s."
            )
        return text % values

    @property
    def level_note(self) -> str:
        return _("In brackets: %(level)s intervals.") % {
            "level": f"{self.data['level']:.0%}"
        }

    @property
    def few_decide_note(self) -> list[str]:
        """The footnote of the mark of systems that differ by a few units, if any."""
        return footnotes(line.few_decide for line in self.lines)

    @property
    def notes(self) -> list[str]:
        """The choices, the rule, what is withheld, and where the rows come from."""
        notes = [
            self.synthetic_note,
            self.choices_note,
            one_line(self.data["rule"]),
            *map(one_line, self.data["withheld"]),
            self.level_note,
            # Not in what was frozen before.
            self.data.get("unit_note"),
            *interval_notes(self.lines),
            self.source_note,
        ]
        return [note for note in notes if note]


def _columns_and_lines(
    data: Values,
    questions: Sequence[AnyQuestion],
    cells: Sequence[Mapping[str, NumberCell]],
    described: Container[str] = (),
) -> tuple[Sequence[Values], Sequence[AnyQuestion], Sequence[TableLine]]:
    """Measures, the one that ranks first, questions, and a line of each row."""
    measures = sorted(data["measures"], key=lambda m: m["name"] != data["ranked_by"])
    rows = data["rows"]
    several = any(row.get("runs", 1) > 1 for row in rows)
    lines = [
        TableLine(
            row,
            [scores[measure["name"]] for measure in measures],
            answers(questions, row["facts"]),
            above,
            # Snapshots from before there were several are without them.
            runs_in_words(row.get("runs", 1), "", several),
            reverse("system", args=[row["submission"]])
            if row["submission"] in described
            else "",
        )
        for row, scores, above in zip(
            rows, cells, lines_above(row["cluster"] for row in rows), strict=True
        )
    ]
    return measures, questions, lines


def rules_of(phase: Phase) -> dict[str, Any]:
    """The rules of a phase, by which submissions are shown and counted."""
    return {
        "policy": phase.policy,
        "counts": phase.counts,
        "freeze_from": phase.freeze_from,
        "reveal_at": phase.reveal_at,
        "closes": phase.closes,
    }


def _conditions(board: Board) -> Values:
    """The settings behind the numbers, as far as the public may know anyway."""
    phase = board.phase
    task = phase.task
    return {
        "policy": rules_of(phase),
        "scorer": task.scorer_name,
        "unit": task.unit or task.scorer.units[0],
        "resamples": task.resamples,
        "seed": task.seed,
        "board_version": board.version,
    }


def _uncertainty(board: Board) -> Values:
    """The sources of scores' uncertainty, for entries of several runs or judges."""
    values = uncertainty_values(board, board.rows[:MOST_EXPORTED])
    return {"uncertainty": values} if values else {}


def _frozen_cell(measure: Values, score: Values, exact: bool) -> NumberCell:
    """A score as boards print it; a rounded one has no more digits than it had."""
    factor = 100 if measure["percent"] else 1
    value, low, high = (
        None if score[end] is None else score[end] * factor
        for end in ("value", "low", "high")
    )
    decimals = PERCENT if measure["percent"] else PLAIN
    # What was frozen before engine 0.2.0 does not say whether units are few.
    few = score.get("few_units")
    return number_cell(value, low, high, few, decimals if exact else AS_THEY_ARE)
