"""Boards as they are stored: computed once for each version, read by all that ask."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import ceil

from django.core.cache import caches
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import (
    BoardRows,
    Improvement,
    RowColumns,
    StoredRanking,
    packed_columns,
    packed_numbers,
)
from leaderboard.boards.entries import (
    LAST_WEEK,
    BoardEntries,
    BoardRequest,
    board_without_rows,
    ranked_board,
    row_context,
)
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.rows import (
    Row,
    participants_of,
    scored,
)
from leaderboard.results.board_sample import MANY_SYSTEMS
from leaderboard.results.printed_numbers import NumberTable
from leaderboard.results.scores import ScoreTable
from leaderboard.results.stored_statistics import Content, piece_of, stored_for_version
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure

RESTS = 20  # times as long as it took; then a busy board is computed again
LONGEST_REST = 60  # seconds
LARGE = 200  # entries; a smaller board is computed sooner than anybody notices


def recent_board(query: BoardQuery, disclosure: Disclosure | None = None) -> Board:
    """The board as readers are shown it: a large one that results keep coming to is
    computed again after it has rested, and lacks the newest until then.

    Nothing else that happens waits. Raises UnknownChoice as `board` does.
    """
    return board(query, disclosure, recent=True)


def board_at_hand(query: BoardQuery, disclosure: Disclosure) -> Board:
    """The board for a page that has other things to show: a large one as it is stored,
    which may lack the newest results.

    Raises NotComputed for a large one that is not stored: workers compute it.
    """
    return board(query, disclosure, recent=True, at_hand=True)


def _is_small(phase: Phase) -> bool:
    sent = Submission.objects.filter(phase=phase).order_by()
    return sent.values("pk")[:LARGE].count() < LARGE


def board(
    query: BoardQuery,
    disclosure: Disclosure | None = None,
    by_worker: bool = False,
    recent: bool = False,
    at_hand: bool = False,
) -> Board:
    """The board that a query asks for, as far as it is shown; `by_worker` tests it
    however large it is.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice, part or level that there is not, for what is no date, and for entries
    that are not shown. `recent` is as `recent_board` gives it, and `at_hand` as
    `board_at_hand` does.
    """
    asked = BoardRequest.of(query, disclosure, by_worker)
    # Of moments there are as many as anybody likes to ask for, and what is scored for a
    # revision in preparation makes no other version of the board.
    stored = asked.disclosure.board and asked.moment is None and asked.revision is None
    board = stored_board(asked, recent, at_hand) if stored else ranked_board(asked)[0]
    in_all = len(board.rows)
    if board.narrowed:
        fitting = tuple(row for row in board.rows if _fits(board, row))
        board = replace(board, rows=fitting)
    return replace(board, in_all=in_all)


def stored_board(
    asked: BoardRequest, recent: bool = False, at_hand: bool = False
) -> Board:
    """The board with its rows as they are stored, after this call at the latest.

    `at_hand` raises NotComputed in place of computing a large one.
    """

    week_over = False

    def valid(content: Content) -> bool:
        nonlocal week_over
        week_over = not _valid(content)
        if week_over:
            return False
        # A reader may have been the first, and has stored it without tests.
        return not (asked.by_worker and content["many"])

    subject, claims = asked.subject(), caches["boards"]
    resting = f"{subject.key}-rests"

    def compute() -> tuple[Content, bytes]:
        began = time.monotonic()
        board, entries = ranked_board(asked)
        if len(entries.entries) >= LARGE:
            rest = RESTS * (time.monotonic() - began)
            claims.set(resting, 1, min(ceil(rest), LONGEST_REST))
        return _content(board, entries)

    def rests(content: Content, kept: bool) -> bool:
        # Workers test a large board, and readers keep what they have until then.
        return (kept and content["many"]) or claims.get(resting) is not None

    def may_compute() -> bool:
        # Workers are not told of a board that only a week passing makes invalid.
        return not at_hand or week_over or _is_small(asked.query.phase)

    content = stored_for_version(
        subject, compute, valid, rests if recent else None, may_compute
    )
    ranking = StoredRanking(content, partial(piece_of, subject.key, content["stamp"]))
    board = board_without_rows(asked, content["many"], content["slices"])
    if not len(ranking.columns):
        return board
    rows = BoardRows(ranking.columns, StoredRowLoader(board, ranking).rows)
    return replace(board, rows=rows, stored=ranking)


def _content(board: Board, entries: BoardEntries) -> tuple[Content, bytes]:
    """The stored columns of a board, and the numbers of its rows."""
    numbers = entries.scores.numbers.table
    place = {entry.pk: i for i, entry in enumerate(entries.entries)}
    order = [place[row.evaluation.pk] for row in board.rows]
    of_numbers, packed = packed_numbers(numbers[order])
    columns = RowColumns.of(board.rows, board.family)
    known = {
        "improvements": _improvements(entries),
        "team_improvements": _team_improvements(entries),
        "many": len(entries.entries) > MANY_SYSTEMS,
        "slices": board.slices,
        "resolution": board.resolution,
        "compared_by": board.compared_by,
        "measures": len(board.measures),
        "until": _until(board, entries),
    }
    return {**packed_columns(columns), **of_numbers, **known}, packed


def _until(board: Board, entries: BoardEntries) -> float | None:
    """When the next entry is a week old, so that changes of ranks are others; None
    where none will be."""
    if board.disclosure.as_of is not None:
        return None
    newer = timezone.now() - LAST_WEEK
    times = (entry.received_at for entry in entries.entries)
    ahead = [(at + LAST_WEEK).timestamp() for at in times if at > newer]
    return min(ahead, default=None)


def _improvements(found: BoardEntries) -> list[Improvement]:
    """The scores that were better than all before them, of what is shown."""
    improvements: list[Improvement] = []
    sign = 1 if found.better else -1
    for place, value in _ranked_in_order(found):
        if not improvements or sign * value > sign * improvements[-1].value:
            at, score = found.entries[place].received_at, found.row(place).sorted_by
            improvements.append(Improvement(at.timestamp(), value, score.decimals[0]))
    return improvements


def _team_improvements(found: BoardEntries) -> list[tuple[int, float, float]]:
    """Team, time and value of the scores that were better than all before them of
    their team."""
    best: dict[int, float] = {}
    found_of_teams = []
    sign = 1 if found.better else -1
    for place, value in _ranked_in_order(found):
        entry = found.entries[place]
        team = entry.participation_id
        if team not in best or sign * value > sign * best[team]:
            best[team] = value
            found_of_teams.append((team, entry.received_at.timestamp(), value))
    return found_of_teams


def _ranked_in_order(found: BoardEntries) -> Iterator[tuple[int, float]]:
    """Places and values of the entries shown that may have a rank, as they came."""
    as_they_came = sorted(
        found.shown_places, key=lambda place: found.entries[place].last
    )
    for place in as_they_came:
        value = found.values[place]
        if value is not None and found.may_rank(place):
            yield place, value


def _valid(content: Content) -> bool:
    return content["until"] is None or timezone.now().timestamp() < content["until"]


@dataclass(frozen=True)
class StoredRowLoader:
    """Reads what rows of a stored board have beside their ranks."""

    board: Board
    ranking: StoredRanking

    def rows(self, places: Sequence[int]) -> Mapping[int, Row]:
        """The rows of these places; none of entries that were deleted meanwhile."""
        columns, shown = self.ranking.columns, self.board.disclosure
        numbers = self.ranking.numbers(places)
        if numbers is None:  # stored anew, perhaps in another order
            return self._anew(places)
        few = len(places) < len(columns)
        pks = [columns.pk[place] for place in places]
        phase, revision = self.board.phase, self.board.gold_revision.pk
        entries = {
            entry.pk: entry
            for entry in scored(
                phase, revision, not shown.everything, pks if few else None
            )
        }
        found = [entries[pk] for pk in pks if pk in entries]
        complete = {columns.pk[place] for place in places if columns.complete[place]}
        entered = {entry.participation_id for entry in found}
        teams = participants_of(phase, entered if few else None)
        context = row_context(self.board, found, complete, teams, few)
        names = [measure.name for measure in self.board.measures]
        scores = ScoreTable(self.board.measures, NumberTable(names, numbers))
        return {
            place: Row(
                entries[columns.pk[place]],
                scores[i],
                context,
                columns.rank[place],
                columns.standing_of(place),
                columns.change_of(place),
            )
            for i, place in enumerate(places)
            if columns.pk[place] in entries
        }

    def _anew(self, places: Sequence[int]) -> Mapping[int, Row]:
        asked = BoardRequest.of(self.board.query, self.board.disclosure)
        board, _entries = ranked_board(asked)
        by_key = {row.evaluation.pk: row for row in board.rows}
        keys = self.ranking.columns.pk
        return {p: by_key[keys[p]] for p in places if keys[p] in by_key}


def _fits(board: Board, row: Row) -> bool:
    """Whether the search and the filters leave the row on the board."""
    return row.has_name(board.search) and all(
        condition.keeps(row.facts) for condition in board.filters
    )
