"""Boards as plain values: what the API prints, and what is frozen at a moment.

The hash is SHA-256 over the canonical JSON of the data: keys in order, no white
space, UTF-8, no escapes but those that JSON asks for: docs/organizers/final-ranking.md.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext_lazy as _
from rest_framework.utils.encoders import JSONEncoder

from leaderboard.boards.board import Board
from leaderboard.boards.expected import expected_values
from leaderboard.boards.query import BoardQuery, CustomBoard, rankings
from leaderboard.boards.rows import Row, row_json
from leaderboard.boards.stored_board import newest_board
from leaderboard.tasks import policy
from leaderboard.tasks.models import AnyQuestion, Phase, Snapshot, Task
from leaderboard.tasks.models.records import IN_ADDRESS
from leaderboard.teams.models import User
from leaderboard.web.access import or_404
from scoring.measures import Measure

FORMAT = 1
# In the rule of boards of earlier versions, in the language of the site.
OPEN_RANGES = _(
    "Incomplete systems are not tested: ranges leave open where they stand, and lines "
    "say nothing of them."
)
START = re.compile(rf"[0-9a-f]{{{IN_ADDRESS}}}")


def board_json(board: Board, rows: Sequence[Row] | None = None) -> dict[str, Any]:
    """A board as plain values, with some of its rows or, by default, all.

    Rows have what is expected on new data where that is asked for.
    """
    phase = board.phase
    printed = [row_json(row) for row in (board.rows if rows is None else rows)]
    if board.query.expected:
        known = expected_values(board)
        printed = [row | {"expected": known.get(row["submission"])} for row in printed]
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "gold_revision": board.gold_revision.number,
        "board": board.named.name if board.named else None,
        "boards": [{"name": b.name, "title": b.title} for b in board.boards],
        "measures": [_measure(measure) for measure in board.measures],
        "ranked_by": board.measure.name,
        "rule": board.rule,
        "level": board.level,
        "resolution": board.resolution,
        "unit": phase.task.unit or phase.task.scorer.units[0],
        "unit_note": f"{board.unit_note} {board.one_run_note}".strip(),
        "compared_by": board.compared_by or None,
        "test_set": board.test_set.name if board.test_set else None,
        "ranking_of": _ranking_of(board),
        "test_sets": [test_set.name for test_set in board.chosen_test_sets],
        "weights": {
            test_set.name: test_set.weight for test_set in board.chosen_test_sets
        },
        "slice": str(board.slice) if board.slice else None,
        "slices": board.slices,
        "part": board.part,
        "parts": board.parts,
        "withheld": board.disclosure.lines,
        "fact_sheet": [_question(question) for question in board.questions],
        "filters": {f"fact.{f.key}": f.wanted for f in board.filters},
        "rows_in_all": board.in_all,
        "rows": printed,
    }


def _ranking_of(board: Board) -> str | None:
    """The title of the test set, where each has a ranking of its own."""
    own = None if board.averages else board.test_set
    return own.title if own is not None else None


def _measure(measure: Measure) -> dict[str, Any]:
    return {
        "name": measure.name,
        "title": measure.title,
        "percent": measure.percent,
        "higher_is_better": measure.higher_is_better,
    }


def _question(question: AnyQuestion) -> dict[str, Any]:
    return {
        "name": question.name,
        "title": question.title,
        "kind": question.kind,
        "choices": question.choices,
        **({"unit": question.unit} if question.unit else {}),
    }


@dataclass(frozen=True)
class Wanted:
    """The words of a snapshot beside its boards; `replaces` are older hashes."""

    by: User
    at: datetime
    title: str = ""
    note: str = ""
    final: bool = False
    replaces: Sequence[str] = ()


def canonical(data: Any) -> bytes:
    """The same bytes for the same values, before and after they were stored."""
    text = json.dumps(
        data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()


def digest(data: Any) -> str:
    """The SHA-256 of the canonical bytes of data, in hexadecimal digits."""
    return sha256(canonical(data)).hexdigest()


def plain(data: Any) -> Any:
    """Values as the API sends them: times and texts as strings, and no minus zero.

    PostgreSQL does not know the latter, and the hash must survive storing.
    """
    text = json.dumps(data, cls=JSONEncoder, allow_nan=False)
    return json.loads(text, parse_float=lambda number: float(number) + 0.0)


def public_boards(phase: Phase, at: datetime) -> list[Board]:
    """The board of a phase and its named ones, as the public sees them then.

    Where test sets are entered one by one those of each of them.
    """
    disclosure = policy.disclosure(AnonymousUser(), phase, at)
    main = [newest_board(query, disclosure) for query in rankings(phase)]
    named = [
        newest_board(replace(query, board=one.name), disclosure)
        for one in main[0].boards
        for query in _of_named(phase, one)
    ]
    return [*main, *named]


def _of_named(phase: Phase, named: CustomBoard) -> Iterable[BoardQuery]:
    return [BoardQuery(phase)] if named.chooses else rankings(phase)


def as_values(boards: Sequence[Board]) -> list[Mapping[str, Any]]:
    """The plain values of these boards, in the language of the site."""
    with translation.override(settings.LANGUAGE_CODE):
        values: list[Mapping[str, Any]] = plain([board_json(board) for board in boards])
    return values


def take(phase: Phase, boards: Sequence[Mapping[str, Any]], wanted: Wanted) -> Snapshot:
    """Keep these values for good."""
    task = phase.task
    data = plain(
        {
            "format": FORMAT,
            "task": {"slug": task.slug, "title": task.title},
            "phase": {"name": phase.name, "title": phase.title},
            "title": wanted.title,
            "final": wanted.final,
            "at": wanted.at,
            "note": wanted.note,
            "replaces": list(wanted.replaces),
            "boards": list(boards),
        }
    )
    return Snapshot.objects.create(
        phase=phase,
        gold_revision=phase.gold_revision,
        title=wanted.title,
        final=wanted.final,
        data=data,
        sha256=digest(data),
        at=wanted.at,
        by=wanted.by,
    )


def of_task(task: Task) -> QuerySet[Snapshot]:
    """Newest first, without their rows."""
    snapshots = Snapshot.objects.filter(phase__task=task).defer("data")
    return snapshots.select_related("phase__task", "gold_revision")


def of_phase(phase: Phase) -> QuerySet[Snapshot]:
    """The same of one phase."""
    return of_task(phase.task).filter(phase=phase)


def newest_final(phase: Phase) -> Snapshot | None:
    """The ranking in force, None where none was declared."""
    return of_phase(phase).filter(final=True).first()


def snapshot_or_404(phase: Phase, start: str) -> Snapshot:
    """The snapshot whose hash begins with what its address ends in."""
    if not START.fullmatch(start):
        raise Http404
    fitting = Snapshot.objects.filter(phase=phase, sha256__startswith=start)
    snapshot: Snapshot = or_404(fitting.select_related("gold_revision").first())
    snapshot.phase = phase
    return snapshot


def has_open_ranges(snapshot: Snapshot) -> bool:
    """Whether an earlier version gave the ranges of ranks: incomplete systems, which
    are not tested, could then stand anywhere in them."""
    rules = " ".join(str(board.get("rule")) for board in snapshot.data["boards"])
    for language, _name in settings.LANGUAGES:
        with translation.override(language):
            if str(OPEN_RANGES) in rules:
                return True
    return False


def address_of(snapshot: Snapshot, name: str = "snapshot") -> str:
    """The page of a snapshot, for good; `name` is that of another address of it."""
    phase = snapshot.phase
    return reverse(name, args=[phase.task.slug, phase.name, snapshot.short_hash])
