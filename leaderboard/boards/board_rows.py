"""Rows of a stored board: what is true of all of them, and rows read when asked for.

Who is who stands in no row: names, facts and descriptions are those of the submission
when a page is made. A page of a hundred among ten thousand reads a hundred rows.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple, overload
from uuid import UUID

from django.db.models import Max, Q, QuerySet

from leaderboard.boards.rows import Row, places_named
from leaderboard.results.scores import printed
from leaderboard.results.stored_counts import Scored
from leaderboard.submissions.models import BoardRow, StoredBoard
from leaderboard.tasks.policy import Disclosure
from scoring.statistics.ranks import SystemRank
from scoring.statistics.runs import runs_unknown

BLOCK = 100  # rows that are read together: as many as a page shows
MOST_SINGLE = 500  # rows that are read by their places; of more all of their pages
MOST_NAMED = 3  # leaders, and systems that cannot be told apart from them


class EntryKey(NamedTuple):
    """As much of an evaluation as finds its counts (`Scored`)."""

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str


class Improvement(NamedTuple):
    """A score that was better than all before it, and when it came; `decimals` are
    those that it is printed with."""

    at: float
    value: float
    decimals: int

    @property
    def printed(self) -> str:
        return printed(self.value, self.decimals)


class TeamImprovement(NamedTuple):
    """A score that was better than all before it of its team, and when it came."""

    team: int
    at: float
    value: float


class History(NamedTuple):
    """How the best score that is shown rose, and the best of each team."""

    board: Sequence[Improvement] = ()
    teams: Sequence[TeamImprovement] = ()


@dataclass(frozen=True)
class BoardSummary:
    """Facts that all rows of a board make together.

    `ranked` of them have a rank. `untested`: systems are not tested against each other;
    `some_incomplete`: some ranked systems are not tested where others are;
    `unranked`: teams of organizers have no rank; `several_runs`: some system has
    several. `leaders` are the first places of rank 1, of which there are `leading`, and
    `level_with` those of the systems below that one of them does not differ from, of
    which there are `level`.
    """

    ranked: int = 0
    untested: bool = False
    some_incomplete: bool = False
    unranked: bool = False
    several_runs: bool = False
    leaders: Sequence[int] = ()
    leading: int = 0
    level_with: Sequence[int] = ()
    level: int = 0

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "BoardSummary":
        standings = [row.standing for row in rows]
        tested = any(standing.low is not None for standing in standings)
        leaders = [place for place, row in enumerate(rows) if row.rank == 1]
        level = _level_with(rows, [standings[place] for place in leaders])
        return cls(
            sum(row.ranked for row in rows),
            any(
                standing.others and standing.complete and standing.low is None
                for standing in standings
            ),
            tested and not all(standing.complete for standing in standings),
            any(row.organizers and not row.competes for row in rows),
            not runs_unknown(row.runs for row in rows),
            leaders[:MOST_NAMED],
            len(leaders),
            level[:MOST_NAMED],
            len(level),
        )


def _level_with(rows: Sequence[Row], leaders: Sequence[SystemRank]) -> list[int]:
    """Places of the systems below that one of the leaders does not differ from."""
    ranks: set[int] = set()
    for standing in leaders:
        for part in filter(None, standing.level_with.split(", ")):
            low, _dash, high = part.partition("-")
            ranks |= set(range(int(low), int(high or low) + 1))
    ranks.discard(1)
    return [
        place
        for place, row in enumerate(rows)
        if row.rank in ranks and row.standing.low is not None
    ]


@dataclass(frozen=True)
class BoardFacts:
    """Facts that are stored of a board beside its rows.

    `many`: so many entries that workers alone test them. `compared_by` is the grouping
    whose groups are exchanged in tests, empty for units, and `alike_within` that inside
    which units resampled singly behave alike; `until` is when changes of
    ranks are others, in seconds, None where they never are; `statistics` are the keys
    of what it was computed from.
    """

    rows: BoardSummary
    slices: Mapping[str, Sequence[str]]
    many: bool
    resolution: float | None
    compared_by: str
    alike_within: str
    until: float | None
    statistics: Sequence[str] = ()

    @classmethod
    def of_json(cls, values: Mapping[str, Any]) -> "BoardFacts":
        return cls(**{**values, "rows": BoardSummary(**values["rows"])})

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


# What is stored in another form is not read, and made anew.
FORM = tuple(part.name for kind in (BoardFacts, BoardSummary) for part in fields(kind))


@dataclass(frozen=True)
class StoredRanking:
    """A board as it is stored: `size` rows, of a `version` of the phase's boards."""

    pk: int
    version: int
    size: int
    facts: BoardFacts

    @property
    def rows(self) -> QuerySet[BoardRow]:
        return BoardRow.objects.filter(board=self.pk).order_by("place")

    def places(self, most: int | None = None, **wanted: Any) -> list[int]:
        """The places, or the first of them, of rows with these values."""
        return list(self.rows.filter(**wanted).values_list("place", flat=True)[:most])

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

    def teams_above(self, rank: int) -> dict[int, int]:
        """The teams of a better rank, and their places."""
        above = self.rows.filter(rank__lt=rank)
        return dict(above.values_list("team", "place"))

    def family(self, revision: int) -> tuple[Scored, ...]:
        """The systems whose pairs are tested together."""
        columns = "evaluation_id", "evaluation__submission_id", "evaluation__engine"
        rows = self.rows.filter(in_family=True).values_list(*columns)
        return tuple(EntryKey(pk, key, revision, engine) for pk, key, engine in rows)


class BoardRows(Sequence[Row]):
    """The rows of a stored board, read when they are asked for, with those of their
    page: `read` gives rows by place, and of what was deleted meanwhile none."""

    def __init__(
        self, ranking: StoredRanking, read: Callable[[Q], Mapping[int, Row]]
    ) -> None:
        self.ranking, self._read = ranking, read
        self._known: dict[int, Row] = {}
        self._blocks: set[int] = set()

    def __len__(self) -> int:
        return self.ranking.size

    @property
    def in_blocks(self) -> bool:
        """Whether they are more than are read at once."""
        return len(self) > BLOCK

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        if isinstance(place, slice):
            return self.at(range(len(self))[place])
        return self.at([range(len(self))[place]])[0]

    def __iter__(self) -> Iterator[Row]:
        return iter(self[:])

    def at(self, places: Sequence[int]) -> list[Row]:
        """The rows of these places, read together."""
        missing = {place // BLOCK for place in places} - self._blocks
        if missing:
            self._read_blocks(missing)
        return [self._known[place] for place in places if place in self._known]

    def _read_blocks(self, missing: set[int]) -> None:
        first, last = min(missing), max(missing)
        if len(missing) == last - first + 1:
            wanted = _of_places(first, last)
        else:
            wanted = Q()
            for block in missing:
                wanted |= _of_places(block, block)
        self._known |= self._read(wanted)
        self._blocks |= missing

    def of_team(self, team: int) -> list[Row]:
        """The rows of a participation."""
        return self.at(self.ranking.places(team=team))

    def ranked(self, most: int) -> list[Row]:
        """The first so many rows that have a rank."""
        first = [row for row in self[:BLOCK] if row.ranked][:most]
        if len(first) == most:
            return first
        return self.at(self.ranking.places(most, rank__isnull=False))

    def ranked_above(self, place: int) -> list[Row]:
        """The last row above this place that has a rank, if there is one."""
        above = self.ranking.rows.filter(place__lt=place, rank__isnull=False)
        last = above.order_by().aggregate(last=Max("place"))["last"]
        return [] if last is None else self.at([last])

    def best_baseline(self) -> list[Row]:
        """The first row of a baseline, if there is one."""
        return self.at(self.ranking.places(1, evaluation__submission__baseline=True))

    def named(self, part: str, shown: Disclosure) -> list[Row]:
        """The rows whose team or system, as the reader is shown it, has that in it."""
        places = places_named(self.ranking.rows, part, shown)
        if len(places) > MOST_SINGLE:
            return self.at(places)
        return [row for _place, row in sorted(self._read(Q(place__in=places)).items())]

    def best_of(self, submissions: Collection[str]) -> tuple[int, Row] | None:
        """The first row of these submissions that has a rank, and its place."""
        theirs = {"evaluation__submission__in": submissions, "rank__isnull": False}
        places = self.ranking.places(1, **theirs)
        return next(zip(places, self.at(places), strict=False), None)

    def cluster_before(self, place: int) -> int | None:
        """The last of the groups between lines that begins above this place."""
        above = self.ranking.rows.filter(place__lt=place).order_by()
        return above.aggregate(last=Max("cluster"))["last"]


def _of_places(first: int, last: int) -> Q:
    """The rows of these blocks."""
    return Q(place__gte=first * BLOCK, place__lt=(last + 1) * BLOCK)
