"""Rows of a stored board, read when they are asked for.

Who is who stands in no row: names, facts and descriptions are those of the submission
when a page is made. A page of a hundred among ten thousand reads a hundred rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import (
    RANKED,
    BoardFacts,
    BoardRows,
    BoardSummary,
    Condition,
    History,
    Improvement,
    RowSource,
    TeamImprovement,
)
from leaderboard.boards.rows import (
    NOT_RANKED,
    OF_PARTICIPANT,
    BoardParticipant,
    RankChange,
    Row,
    ScoredEntry,
    column_of_entry,
    entries_sent,
    has_name,
    participant_of,
    row_context,
)
from leaderboard.results.scores import Scores, score_columns
from leaderboard.results.stored_counts import Scored
from leaderboard.submissions.models import (
    BoardRow,
    EvaluationState,
    StoredBoard,
    counted_at,
)
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import Disclosure, name_of
from scoring.statistics.ranks import SystemRank

BLOCK = 100  # rows that are read together: as many as a page shows
MOST_SINGLE = 500  # rows that are read by their places; of more all of their pages
OF_ROW = (
    *("place", "moved", "change", "sent_all", "numbers"),
    *(field.name for field in fields(SystemRank)),
)
NO_FACTS = ScoredEntry._fields[:-1]
NUMBER_SENT = Count("pk", distinct=True)
SUBMISSION = "evaluation__submission__"
OF_TEAM = [f"{SUBMISSION}participation__{name}" for name in OF_PARTICIPANT]


class EntryKey(NamedTuple):
    """As much of an evaluation as finds its counts (`Scored`)."""

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str


@dataclass(frozen=True)
class StoredRanking(RowSource):
    """A board as it is stored: `size` rows, of one gold `revision`."""

    pk: int
    stored_version: int
    size: int
    revision: int
    summary: Mapping[str, Any]

    @classmethod
    def of(cls, stored: StoredBoard, revision: int) -> "StoredRanking":
        values = stored.version, stored.size, revision, stored.summary
        return cls(stored.pk, *values)

    @property
    def version(self) -> int:
        return self.stored_version

    @cached_property
    def facts(self) -> BoardFacts:
        return BoardFacts(**self.summary["facts"])

    @property
    def rows(self) -> QuerySet[BoardRow]:
        return BoardRow.objects.filter(board=self.pk).order_by("place")

    @property
    def history(self) -> History:
        """Empty where the board was replaced a while ago, and deleted."""
        boards = StoredBoard.objects.filter(pk=self.pk)
        stored = boards.values_list("history", flat=True).first()
        if stored is None:
            return History()
        return History(
            [Improvement(*step) for step in stored["board"]],
            [TeamImprovement(*step) for step in stored["teams"]],
        )

    @cached_property
    def family(self) -> tuple[Scored, ...]:
        return self._systems(Q(in_family=True))

    @cached_property
    def ranked_systems(self) -> tuple[Scored, ...]:
        return self._systems(Q(rank__isnull=False))

    def _systems(self, which: Q) -> tuple[Scored, ...]:
        columns = "evaluation_id", "evaluation__submission_id", "evaluation__engine"
        rows = self.rows.filter(which).values_list(*columns)
        return tuple(
            EntryKey(pk, key, self.revision, engine) for pk, key, engine in rows
        )


class StoredRows(BoardRows):
    """The rows of a stored board. Of what was deleted meanwhile there is none; where
    there are more than a page shows the database is asked which of them are meant."""

    def __init__(self, board: Board, ranking: StoredRanking) -> None:
        self.board, self.ranking = board, ranking
        self._known: dict[int, Row] = {}
        self._blocks: set[int] = set()

    def __len__(self) -> int:
        return self.ranking.size

    @cached_property
    def summary(self) -> BoardSummary:
        return BoardSummary(**self.ranking.summary["rows"])

    def at(self, places: Sequence[int]) -> list[Row]:
        rows = self._of_blocks({place // BLOCK for place in places})
        return [rows[place] for place in places if place in rows]

    def _of_blocks(self, blocks: set[int]) -> Mapping[int, Row]:
        """All rows that were read, those of these blocks among them."""
        missing = sorted(blocks - self._blocks)
        if missing:
            wanted, first = Q(), missing[0]
            for block, following in zip(missing, [*missing[1:], None], strict=True):
                if following != block + 1:  # the last of some in a row
                    end = (block + 1) * BLOCK
                    wanted |= Q(place__gte=first * BLOCK, place__lt=end)
                    first = following or 0
            self._read(wanted)
            self._blocks.update(missing)
        return self._known

    def pairs(
        self, wanted: Condition, most: int | None = None
    ) -> Sequence[tuple[int, Row]]:
        if len(self) <= BLOCK or (most is not None and 0 in self._blocks):
            first = self._of_blocks({0})
            places = [i for i in range(BLOCK) if i in first and wanted.holds(first[i])]
            if len(self) <= BLOCK or len(places) >= (most or 0):
                return [(place, first[place]) for place in places[:most]]
        return list(self._read(wanted.sql, most).items())

    def above(self, place: int, wanted: Condition = RANKED) -> Row | None:
        if len(self) <= BLOCK:
            return super().above(place, wanted)
        above = self._read(wanted.sql & Q(place__lt=place), 1, "-place")
        return next(iter(above.values()), None)

    def number(self, wanted: Condition) -> int:
        if len(self) <= BLOCK:
            return super().number(wanted)
        return self.ranking.rows.filter(wanted.sql).count()

    def named(self, part: str, shown: Disclosure) -> Sequence[Row]:
        if len(self) <= BLOCK:
            return super().named(part, shown)
        columns = ("place", f"{SUBMISSION}system", *OF_TEAM)
        records: Iterable[Any] = self.ranking.rows.values_list(*columns)
        places = [
            place
            for place, system, *values in records
            if has_name(part, name_of(participant_of(values), shown), system)
        ]
        if len(places) > MOST_SINGLE:
            return self.at(places)
        return list(self._read(Q(place__in=places)).values())

    def _read(
        self, wanted: Q, most: int | None = None, order: str = "place"
    ) -> dict[int, Row]:
        """The rows of which that is true, or the first so many, by place; none of
        entries that were deleted or withdrawn meanwhile."""
        board, ranking = self.board, self.ranking
        rows = _rows_of(
            board.phase,
            board.disclosure.everything,
            bool(board.questions),
            board.disclosure.as_of,
            board.chosen_test_sets if board.phase.separate_test_sets else (),
        ).filter(wanted, board=ranking.pk, evaluation__gold_revision=ranking.revision)
        records: Iterable[Any] = rows.order_by(order)[:most]
        read, systems, complete = [], set(), set()
        teams: dict[int, BoardParticipant] = {}
        sent: dict[int, int] = {}
        for record in records:
            values = StoredValues.of(record)
            read.append(values)
            systems.add(values.entry.submission_id)
            teams[values.participant.pk] = values.participant
            sent[values.participant.pk] = values.sent or 0
            if values.sent_all:
                complete.add(values.entry.pk)
        some = None if len(read) == len(self) else systems
        context = row_context(board, complete, teams, sent, some)
        columns, by_place = score_columns(board.measures), dict[int, Row]()
        for place, change, _all, numbers, standing, _sent, _team, entry in read:
            if place not in self._known:
                scores = Scores.unpacked(columns, numbers)
                self._known[place] = Row(
                    entry, scores, context, standing.rank, standing, change
                )
            by_place[place] = self._known[place]
        return by_place


# Django takes longer to put these rows together than to ask for them.
@lru_cache(maxsize=256)
def _rows_of(
    phase: Phase,
    everything: bool,
    facts: bool,
    as_of: datetime | None,
    test_sets: Sequence[TestSet],
) -> QuerySet[BoardRow, Any]:
    """Rows of boards of a phase as StoredValues reads them, with the number of entries
    that each team has sent until then, for the test sets where there are any."""
    own = entries_sent(phase, as_of, test_sets).filter(participation=OuterRef("team"))
    number = own.values("participation").annotate(n=NUMBER_SENT).values("n")
    # Decoding the answers of a hundred fact sheets takes longer than their rows.
    names = ScoredEntry._fields if facts else NO_FACTS
    of_entry = [f"evaluation__{column_of_entry(name)}" for name in names]
    in_time = Q(evaluation__submission__late=False)
    rows = BoardRow.objects.filter(
        counted_at(SUBMISSION) if everything else in_time,
        evaluation__state=EvaluationState.SCORED,
    )
    columns = (*OF_ROW, "sent", *OF_TEAM, *of_entry)
    return rows.annotate(sent=Subquery(number)).values_list(*columns)


class StoredValues(NamedTuple):
    """The columns of a row with its entry and participant as they are now."""

    place: int
    change: RankChange | None
    sent_all: bool
    numbers: bytes
    standing: SystemRank
    sent: int | None
    participant: BoardParticipant
    entry: ScoredEntry

    @classmethod
    def of(cls, values: Sequence[Any]) -> "StoredValues":
        place, moved, change, sent_all, numbers, *standing = values[: len(OF_ROW)]
        sent, *others = values[len(OF_ROW) :]
        return cls(
            place,
            RankChange(change) if moved else None,
            sent_all,
            bytes(numbers),
            NOT_RANKED if standing[0] is None else SystemRank(*standing),
            sent,
            participant_of(others[: len(OF_TEAM)]),
            ScoredEntry(*others[len(OF_TEAM) :]),
        )
