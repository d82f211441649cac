"""Rows of a board, the questions that may be asked of them, and what is true of all,
with the sentence on who leads.

Rows are in memory, or stored (`stored_board.StoredRows`): both are asked the same way.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import islice
from operator import attrgetter
from typing import NamedTuple, overload

from django.db.models import BigAutoField, IntegerField, UUIDField
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.boards.rows import Row, with_few_decide
from leaderboard.results.board_sample import Tests
from leaderboard.results.score_bars import Axis, without_outliers
from leaderboard.results.scores import printed
from leaderboard.results.stored_counts import Scored
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.statements import Fields
from scoring.statistics.ranks import SystemRank
from scoring.statistics.runs import runs_unknown

PER_PAGE = 100  # rows; each page has an axis of its own
MOST_NAMED = 3  # leaders, and systems that cannot be told apart from them


@dataclass(frozen=True)
class Condition:
    """A condition on rows: as lookups of the database with their values, and as a row
    answers."""

    lookups: Mapping[str, object]
    holds: Callable[[Row], bool]

    def __and__(self, other: "Condition") -> "Condition":
        """A condition that asks both. Raises ValueError for a lookup of both."""
        if twice := self.lookups.keys() & other.lookups.keys():
            raise ValueError(f"asked twice: {', '.join(sorted(twice))}")
        return Condition(
            {**self.lookups, **other.lookups},
            lambda row: self.holds(row) and other.holds(row),
        )


OF_SUBMISSIONS = "evaluation__submission__in"
# Fields of the lookups of conditions; one that is missing is asked with a fixed value.
LOOKUPS: Fields = {
    "place__in": [IntegerField()],
    "place__gte": IntegerField(),
    "place__lt": IntegerField(),
    "team__in": [BigAutoField()],
    OF_SUBMISSIONS: [UUIDField()],
    "rank": IntegerField(),
    "rank__lt": IntegerField(),
}
RANKED = Condition({"rank__isnull": False}, lambda row: row.rank is not None)
BASELINE = Condition(
    {"evaluation__submission__baseline": True}, lambda row: row.baseline
)
CLUSTERED = Condition(
    {"cluster__isnull": False}, lambda row: row.standing.cluster is not None
)


def of_teams(teams: Collection[int]) -> Condition:
    """Rows of these participations, their baselines among them."""
    return Condition(
        {"team__in": teams}, lambda row: row.evaluation.participation_id in teams
    )


def of_submissions(keys: Collection[str]) -> Condition:
    return Condition({OF_SUBMISSIONS: keys}, lambda row: row.submission in keys)


def ranked_of(keys: Collection[str]) -> Condition:
    return Condition(
        {**RANKED.lookups, OF_SUBMISSIONS: keys},
        lambda row: row.rank is not None and row.submission in keys,
    )


def of_rank(rank: int) -> Condition:
    return Condition({"rank": rank}, lambda row: row.rank == rank)


def better_than(rank: int) -> Condition:
    return Condition(
        {"rank__lt": rank}, lambda row: row.rank is not None and row.rank < rank
    )


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
    which there are `level`. `axes` are those of the bars of each page.
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
    axes: Sequence[Axis | None] = ()

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "BoardSummary":
        standings = [row.standing for row in rows]
        tested = any(standing.low is not None for standing in standings)
        leaders = [place for place, row in enumerate(rows) if row.rank == 1]
        level = _level_with(rows, [standings[place] for place in leaders])
        pages = (rows[n : n + PER_PAGE] for n in range(0, len(rows), PER_PAGE))
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
            [axis_of_rows(page, page[0].context.sorted_by) for page in pages],
        )


def axis_of_rows(rows: Sequence[Row], measure: str) -> Axis | None:
    """The scale of a measure for the bars of these rows."""
    # Baselines and incomplete entries are far off and would squeeze all others.
    typical = [row for row in rows if row.rank is not None and row.complete]
    ends = [row.by_measure.ends(measure) for row in typical or rows]
    return Axis.around(without_outliers(ends))


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
    """Facts of a board beside its rows.

    `many`: so many entries that workers alone test them. `compared_by` is the grouping
    whose groups are exchanged in tests, empty for units, and `alike_within` that inside
    which units resampled singly behave alike; `until` is when changes of ranks are
    others, in seconds, None where they never are.
    """

    slices: Mapping[str, Sequence[str]]
    many: bool = False
    resolution: float | None = None
    compared_by: str = ""
    alike_within: str = ""
    until: float | None = None


class RowSource:
    """The source of a board's rows, and all that is known of them together; of a board
    without rows nothing is."""

    # The version of the phase's boards; None for the present one.
    version: int | None = None

    @property
    def pk(self) -> int | None:
        """The stored board; None for rows that are in memory."""
        return None

    @property
    def facts(self) -> BoardFacts:
        return BoardFacts({})

    @property
    def history(self) -> History:
        return History()

    @property
    def family(self) -> tuple[Scored, ...]:
        """The ranked systems with one entry for each team, whatever is shown of
        them."""
        return ()

    @property
    def ranked_systems(self) -> tuple[Scored, ...]:
        """The systems that have a rank on it, whose pairs are tested together."""
        return ()

    @property
    def tested(self) -> Tests | None:
        """Their tests where the ranks were just made from them."""
        return None


class BoardRows(Sequence[Row]):
    """Rows of a board, best first, here those in memory."""

    def __init__(self, rows: Sequence[Row] = ()) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

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
        """The rows of these places, without those that were deleted meanwhile."""
        return [self._rows[place] for place in places]

    def pairs(
        self, wanted: Condition, most: int | None = None
    ) -> Sequence[tuple[int, Row]]:
        """Places and rows of which that is true, or the first so many of them."""
        pairs = ((place, row) for place, row in enumerate(self) if wanted.holds(row))
        return list(islice(pairs, most))

    def where(self, wanted: Condition, most: int | None = None) -> list[Row]:
        """The rows of which that is true, or the first so many of them."""
        return [row for _place, row in self.pairs(wanted, most)]

    def ranked(self, most: int) -> list[Row]:
        """The first so many rows that have a rank."""
        return self.where(RANKED, most)

    def newest(self, most: int) -> list[Row]:
        """The rows of the submissions that were received last, the newest first."""
        return nlargest(most, self, key=attrgetter("received_at"))

    def ranks(self, submissions: Collection[str]) -> dict[str, int | None]:
        """The ranks of those of the submissions that have one."""
        ranked = self.where(ranked_of(submissions))
        return {row.submission: row.rank for row in ranked}

    def above(self, place: int, wanted: Condition = RANKED) -> Row | None:
        """The last row above this place of which that is true, if there is one."""
        return next(filter(wanted.holds, reversed(self[:place])), None)

    def named(self, part: str, shown: Disclosure) -> Sequence[Row]:
        """The rows whose team or system, as the reader is shown it, has that in it."""
        return [row for row in self if row.has_name(part)]

    @cached_property
    def summary(self) -> BoardSummary:
        return BoardSummary.of(self)


NO_ROWS, NO_SOURCE = BoardRows(), RowSource()


def lead_sentence(rows: BoardRows) -> str:
    """The sentence on who leads, empty where nobody is ranked.

    Its claims are the verdicts of the board's tests, as they stand beside the ranks.
    """
    summary = rows.summary
    leaders = summary.leaders
    if not leaders or not (first := rows.at(leaders[:1])):
        return ""  # or withdrawn just now
    leader, sorted_by = first[0], first[0].context.sorted_by
    score, interval = leader.by_measure.texts(sorted_by)
    _value, low, _high = leader.by_measure.ends(sorted_by)
    values = {
        "teams": _names_of_teams(rows, leaders, summary.leading),
        "others": _names_of_teams(rows, summary.level_with, summary.level),
        "measure": leader.by_measure.columns[sorted_by][1].title,
        "score": score if low is None else f"{score} {interval}",
        "in_words": leader.in_words,
    }
    if summary.leading > 1:
        values["score"] = score
        values["lead"] = (
            _("%(teams)s share the first rank with %(measure)s %(score)s") % values
        )
        apart = _("%(lead)s, but the data do not tell them apart from %(others)s")
        return f"{apart % values if values['others'] else values['lead']}."
    standing = leader.standing
    values["lead"] = _("%(teams)s leads with %(measure)s %(score)s") % values
    if values["others"]:
        sentence = _("%(lead)s, but the data do not tell it apart from %(others)s")
    elif standing.low is None or not standing.others or standing.level:
        sentence = "%(lead)s: %(in_words)s"  # who is level was withdrawn just now
    else:
        sentence = (
            _("%(lead)s and is significantly better than every other complete system")
            if standing.untested
            else _("%(lead)s and is significantly better than every other system")
        )
        return f"{with_few_decide(sentence % values, standing)}."
    return f"{sentence % values}."


def _names_of_teams(rows: BoardRows, places: Sequence[int], in_all: int) -> str:
    """The first teams by name, and how many more there are; empty without any."""
    some = places if in_all <= MOST_NAMED else places[: MOST_NAMED - 1]
    names = list(map(attrgetter("team"), rows.at(some)))
    if more := in_all - len(some):
        last = ngettext("%(n)d more system", "%(n)d more systems", more) % {"n": more}
        return _("%(names)s and %(last)s") % {"names": ", ".join(names), "last": last}
    *before, last = names or [""]
    if not before:
        return last
    return _("%(names)s and %(last)s") % {"names": ", ".join(before), "last": last}
