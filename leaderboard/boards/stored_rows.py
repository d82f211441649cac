"""Rows of a stored board, read when they are asked for.

Who is who stands in no row: names, facts and descriptions are those of the submission
when a page is made. A page of a hundred among ten thousand reads a hundred rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from itertools import chain, starmap
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import (
    BigAutoField,
    Count,
    DateTimeField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import (
    LOOKUPS,
    MOST_NAMED,
    OF_SUBMISSIONS,
    PER_PAGE,
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
from leaderboard.results.score_bars import Axis
from leaderboard.results.scores import Scores, score_columns
from leaderboard.results.stored_counts import Scored
from leaderboard.submissions.models import (
    BoardRow,
    Evaluation,
    EvaluationState,
    StoredBoard,
    counted_at,
)
from leaderboard.tasks.policy import Disclosure, name_of
from leaderboard.web.statements import Statement, statement
from scoring.statistics.ranks import SystemRank

BLOCK = PER_PAGE  # rows that are read together
MOST_SINGLE = 500  # rows that are read by their places; of more all of their pages
OF_ROW = (
    *("place", "moved", "change", "sent_all", "numbers"),
    *(field.name for field in fields(SystemRank)),
)
NO_FACTS = ScoredEntry._fields[:-1]
NUMBER_SENT, KEY = Count("pk", distinct=True), BigAutoField()
SUBMISSION = "evaluation__submission__"
OF_TEAM = [f"{SUBMISSION}participation__{name}" for name in OF_PARTICIPANT]


class EntryKey(NamedTuple):
    """Members of an evaluation that find its counts (`Scored`)."""

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str


@dataclass(frozen=True)
class StoredRanking(RowSource):
    """A board as it is stored, its rows and numbers of one gold `revision`."""

    stored: StoredBoard
    revision: int
    version: int | None = None

    @property
    def pk(self) -> int:
        return self.stored.pk

    @cached_property
    def facts(self) -> BoardFacts:
        return BoardFacts(**self.stored.summary["facts"])

    @cached_property
    def history(self) -> History:
        """Empty where the board was replaced a while ago, and deleted."""
        for stored in _histories(board=self.stored.pk):
            return History(
                list(starmap(Improvement, stored["board"])),
                list(starmap(TeamImprovement, stored["teams"])),
            )
        return History()

    @cached_property
    def family(self) -> tuple[Scored, ...]:
        return self._systems(in_family=True)

    @cached_property
    def ranked_systems(self) -> tuple[Scored, ...]:
        return self._systems(rank__isnull=False)

    def _systems(self, **which: bool) -> tuple[Scored, ...]:
        columns = "evaluation_id", "evaluation__submission_id", "evaluation__engine"
        of_board = BoardRow.objects.filter(board=self.stored.pk, **which).order_by(
            "place"
        )
        rows = of_board.values_list(*columns)
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
        return self.ranking.stored.size

    @cached_property
    def summary(self) -> BoardSummary:
        values = self.ranking.stored.summary["rows"]
        axes = [axis and Axis(**axis) for axis in values["axes"]]
        return BoardSummary(**{**values, "axes": axes})

    def at(self, places: Sequence[int]) -> list[Row]:
        missing = set(places) - self._known.keys()
        blocks = {place // BLOCK for place in missing}
        if len(missing) <= MOST_NAMED and len(self) > BLOCK and blocks - self._blocks:
            self._read({"place__in": missing})
        else:
            self._of_blocks(blocks)
        return list(filter(None, map(self._known.get, places)))

    def _of_blocks(self, blocks: set[int]) -> Mapping[int, Row]:
        """All rows that were read, those of these blocks among them."""
        if missing := blocks - self._blocks:
            first, last = min(missing) * BLOCK, (max(missing) + 1) * BLOCK
            if last - first == len(missing) * BLOCK:
                self._read({"place__gte": first, "place__lt": last})
            else:  # far from each other: what lies between is not read
                places = (
                    range(block * BLOCK, (block + 1) * BLOCK) for block in missing
                )
                self._read({"place__in": [*chain.from_iterable(places)]})
            self._blocks |= missing
        return self._known

    def pairs(
        self, wanted: Condition, most: int | None = None
    ) -> Sequence[tuple[int, Row]]:
        if len(self) <= BLOCK or (most is not None and 0 in self._blocks):
            first = self._of_blocks({0})
            places = [i for i in range(BLOCK) if i in first and wanted.holds(first[i])]
            if len(self) <= BLOCK or len(places) >= (most or 0):
                return [(place, first[place]) for place in places[:most]]
        return list(self._read(wanted.lookups, most).items())

    def newest(self, most: int) -> list[Row]:
        if len(self) <= BLOCK:
            return super().newest(most)
        return list(self._read({}, most, f"-{SUBMISSION}received_at").values())

    def above(self, place: int, wanted: Condition = RANKED) -> Row | None:
        if place < 1:
            return None
        block = (place - 1) // BLOCK
        if block in self._blocks or len(self) <= BLOCK:
            rows = self._of_blocks({block})
            before = (rows.get(i) for i in range(place - 1, block * BLOCK - 1, -1))
            if row := next((row for row in before if row and wanted.holds(row)), None):
                return row
        above = self._read({**wanted.lookups, "place__lt": place}, 1, "-place")
        return next(iter(above.values()), None)

    def named(self, part: str, shown: Disclosure) -> Sequence[Row]:
        if len(self) <= BLOCK:
            return super().named(part, shown)
        places = [
            place
            for place, system, *values in _names(board=self.ranking.stored.pk)
            if has_name(part, name_of(participant_of(values), shown), system)
        ]
        if len(places) > MOST_SINGLE:
            return self.at(places)
        return list(self._read({"place__in": places}).values())

    def _read(
        self,
        lookups: Mapping[str, object],
        most: int | None = None,
        order: str = "place",
    ) -> dict[int, Row]:
        """The rows of which that is true, or the first so many, by place; none of
        entries that were deleted or withdrawn meanwhile."""
        board, ranking = self.board, self.ranking
        until, separate = board.disclosure.as_of, board.phase.separate_test_sets
        test_sets = board.chosen_test_sets if separate else ()
        sets = {f"test_set_{number}": t.pk for number, t in enumerate(test_sets)}
        asked = RowQuery(
            tuple((k, None if k in LOOKUPS else v) for k, v in lookups.items()),
            board.disclosure.everything,
            bool(board.questions),
            until is not None,
            tuple(sets),
            order,
            most,
        )
        records = _statement(asked)(
            phase=board.phase.pk,
            board=ranking.stored.pk,
            revision=ranking.revision,
            until=until,
            **lookups,
            **sets,
        )
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
                scores = Scores(columns, memoryview(numbers).cast("d"))
                self._known[place] = Row(
                    entry, scores, context, standing.rank, standing, change
                )
            by_place[place] = self._known[place]
        return by_place


@statement(board=KEY)
def _histories(board: int) -> QuerySet:
    return StoredBoard.objects.filter(pk=board).values_list("history", flat=True)


@statement(board=KEY)
def _names(board: int) -> QuerySet:
    """Places of a board, with the names of their systems and teams."""
    rows = BoardRow.objects.filter(board=board).order_by("place")
    return rows.values_list("place", f"{SUBMISSION}system", *OF_TEAM)


class RowQuery(NamedTuple):
    """The form of a query for rows, which its SQL is made of.

    `lookups` name the conditions, those that are no parameters with their values;
    `until`: entries are counted until a moment, and those with a file for each of the
    `test_sets`, which are names of parameters.
    """

    lookups: tuple[tuple[str, object], ...]
    everything: bool
    facts: bool
    until: bool
    test_sets: tuple[str, ...]
    order: str
    most: int | None

    def rows(self, **values: Any) -> QuerySet:
        """Rows as StoredValues reads them, with the number of entries that each team
        has sent."""
        until = values["until"] if self.until else None
        test_sets = [values[name] for name in self.test_sets]
        sent = entries_sent(values["phase"], until, test_sets)
        own = sent.filter(participation=OuterRef("team")).values("participation")
        number = own.annotate(n=NUMBER_SENT).values("n")
        # Decoding the answers of a hundred fact sheets takes longer than their rows.
        names = ScoredEntry._fields if self.facts else NO_FACTS
        of_entry = [f"evaluation__{column_of_entry(name)}" for name in names]
        lookups = {name: values.get(name, fixed) for name, fixed in self.lookups}
        if keys := lookups.pop(OF_SUBMISSIONS, None):
            # Looked up first, and not beside each row of the board.
            lookups["evaluation__in"] = Evaluation.objects.filter(submission__in=keys)
        in_time = Q(evaluation__submission__late=False)
        rows = BoardRow.objects.filter(
            counted_at(SUBMISSION) if self.everything else in_time,
            board=values["board"],
            evaluation__state=EvaluationState.SCORED,
            evaluation__gold_revision=values["revision"],
            **lookups,
        ).annotate(sent=Subquery(number))
        columns = (*OF_ROW, "sent", *OF_TEAM, *of_entry)
        return rows.order_by(self.order).values_list(*columns)[: self.most]


@lru_cache(maxsize=256)
def _statement(query: RowQuery) -> Statement:
    fields: dict[str, Any] = dict.fromkeys(("phase", "board", "revision"), KEY)
    fields |= dict.fromkeys(query.test_sets, KEY)
    fields |= {name: LOOKUPS[name] for name, _ in query.lookups if name in LOOKUPS}
    return Statement(query.rows, fields | {"until": DateTimeField()})


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
