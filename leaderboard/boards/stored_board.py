"""Boards as they are stored: computed once for each version, read by all that ask."""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from django.core.cache import caches
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone

from leaderboard.boards.board import Board
from leaderboard.boards.board_rows import (
    BoardFacts,
    BoardRows,
    BoardSummary,
    History,
    Improvement,
    StoredRanking,
    TeamImprovement,
)
from leaderboard.boards.board_writer import write_board
from leaderboard.boards.entries import (
    LAST_WEEK,
    BoardEntries,
    BoardRequest,
    board_without_rows,
    ranked_board,
    row_context,
)
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.rows import Row, stored_rows
from leaderboard.results.board_sample import MANY_SYSTEMS
from leaderboard.results.printed_numbers import NumberTable
from leaderboard.results.scores import ScoreTable
from leaderboard.results.stored_statistics import (
    known_or_made,
    touch,
    touching,
)
from leaderboard.submissions.models import StoredBoard, Submission
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure

log = logging.getLogger(__name__)

RESTS = 20  # times as long as it took; then a busy board is computed again
LONGEST_REST = 60  # seconds
LARGE = 200  # entries; a smaller board is computed sooner than anybody notices
OF_BOARD = (
    *("version", "size", "summary", "asked"),
    *("phase__board_version", "phase__oldest_board_version"),
)


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
        named = board.rows_named(board.search)
        fitting = tuple(row for row in named if _fits(board, row))
        board = replace(board, rows=fitting)
    return replace(board, in_all=in_all)


def stored_board(
    asked: BoardRequest, recent: bool = False, at_hand: bool = False
) -> Board:
    """The board with its rows as they are stored, after this call at the latest.

    `at_hand` raises NotComputed in place of computing a large one. What cannot be
    stored is given as it was computed.
    """
    lookup = _BoardLookup(asked, recent, at_hand)
    ranking = known_or_made(
        lookup.subject,
        lookup.current,
        lookup.compute,
        lookup.earlier,
        lookup.may_compute,
    )
    if isinstance(ranking, Board):
        return ranking
    board = board_without_rows(asked, ranking.facts.many, ranking.facts.slices)
    if not ranking.size:
        return board
    rows = BoardRows(ranking, StoredRowReader(board, ranking).rows)
    return replace(board, rows=rows, stored=ranking)


class _BoardLookup:
    """Finds one board among those stored, says whether it may be shown, and computes
    another. `earlier` may be shown while that is done."""

    def __init__(self, asked: BoardRequest, recent: bool, at_hand: bool) -> None:
        self.asked, self.recent, self.at_hand = asked, recent, at_hand
        self.subject = asked.subject()
        self.earlier: list[StoredRanking | Board] = []
        self.week_over = False
        self.replaced: StoredBoard | None = None  # by the one that is made

    def current(self) -> StoredRanking | None:
        self.earlier.clear()  # what was found by the last look may be untrue by now
        current = StoredBoard.objects.filter(key=self.subject.key, replaced_at=None)
        stored = current.select_related("phase").only(*OF_BOARD).first()
        self.replaced = stored
        if stored is None:
            return None
        facts, version = BoardFacts.of_json(stored.summary), stored.version
        ranking = StoredRanking(stored.pk, version, stored.size, facts)
        if version < stored.phase.oldest_board_version or not self._valid(facts):
            return None
        if version == stored.phase.board_version or self._rests(facts, stored.asked):
            touch(*ranking.facts.statistics)
            return ranking
        if self.recent:
            self.earlier.append(ranking)
        return None

    def _valid(self, facts: BoardFacts) -> bool:
        until = facts.until
        self.week_over = until is not None and timezone.now().timestamp() >= until
        # A reader may have been the first, and has stored it without tests.
        return not self.week_over and not (self.asked.by_worker and facts.many)

    def _rests(self, facts: BoardFacts, for_reader: bool) -> bool:
        """Whether newer results have to wait: workers test a large board, and readers
        keep what they have until then."""
        if not self.recent:
            return False
        by_workers = facts.many and not for_reader
        return by_workers or caches["boards"].get(self._resting) is not None

    @property
    def _resting(self) -> str:
        return f"{self.subject.key}-rests"

    def may_compute(self) -> bool:
        # Workers are not told of a board that only a week passing makes invalid.
        return not self.at_hand or self.week_over or _is_small(self.asked.phase)

    def compute(self) -> StoredRanking | Board:
        of_phase = Phase.objects.filter(pk=self.asked.phase.pk)
        # Read first: what happens from here on makes it another version.
        version = of_phase.values_list("board_version", flat=True).get()
        began = time.monotonic()
        with touching() as keys:
            board, entries = ranked_board(self.asked)
            facts = _facts_of(board, entries)
        if len(entries.entries) >= LARGE:
            rest = RESTS * (time.monotonic() - began)
            caches["boards"].set(self._resting, 1, min(ceil(rest), LONGEST_REST))
        try:
            facts = replace(facts, statistics=sorted(keys))
            return self._written(version, board, entries, facts)
        except DatabaseError as error:
            log.warning("a board was not stored: %s", error)
            return board

    def _written(
        self, version: int, board: Board, entries: BoardEntries, facts: BoardFacts
    ) -> StoredRanking:
        numbers = entries.scores.numbers.table
        place = {entry.pk: i for i, entry in enumerate(entries.entries)}
        order = [place[row.evaluation.pk] for row in board.rows]
        return write_board(
            self.subject,
            version,
            board.rows,
            numbers[order],
            facts,
            History(_improvements(entries), _team_improvements(entries)),
            frozenset(row.pk for row in board.family),
            self.replaced,
        )


def _facts_of(board: Board, entries: BoardEntries) -> BoardFacts:
    return BoardFacts(
        BoardSummary.of(board.rows),
        board.slices,
        len(entries.entries) > MANY_SYSTEMS,
        board.resolution,
        board.compared_by,
        board.alike_within,
        _until(board, entries),
    )


def _until(board: Board, entries: BoardEntries) -> float | None:
    """When the next entry is a week old, so that changes of ranks are others; None
    where none will be."""
    if board.disclosure.as_of is not None:
        return None
    newer = timezone.now() - LAST_WEEK
    times = (entry.received_at for entry in entries.entries)
    ahead = [(at + LAST_WEEK).timestamp() for at in times if at > newer]
    return min(ahead, default=None)


def _improvements(entries: BoardEntries) -> list[Improvement]:
    """The scores that were better than all before them, of what is shown."""
    improvements: list[Improvement] = []
    sign = 1 if entries.better else -1
    for place, value in _ranked_in_order(entries):
        if not improvements or sign * value > sign * improvements[-1].value:
            at, score = entries.entries[place].received_at, entries.row(place).sorted_by
            improvements.append(Improvement(at.timestamp(), value, score.decimals[0]))
    return improvements


def _team_improvements(entries: BoardEntries) -> list[TeamImprovement]:
    """The scores that were better than all before them of their team."""
    best: dict[int, float] = {}
    found_of_teams = []
    sign = 1 if entries.better else -1
    for place, value in _ranked_in_order(entries):
        entry = entries.entries[place]
        team = entry.participation_id
        if team not in best or sign * value > sign * best[team]:
            best[team] = value
            at = entry.received_at.timestamp()
            found_of_teams.append(TeamImprovement(team, at, value))
    return found_of_teams


def _ranked_in_order(entries: BoardEntries) -> Iterator[tuple[int, float]]:
    """Places and values of the entries shown that may have a rank, as they came."""
    as_they_came = sorted(
        entries.shown_places, key=lambda place: entries.entries[place].last
    )
    for place in as_they_came:
        value = entries.values[place]
        if value is not None and entries.may_rank(place):
            yield place, value


@dataclass(frozen=True)
class StoredRowReader:
    """Reads rows of a stored board."""

    board: Board
    ranking: StoredRanking

    def rows(self, wanted: Q) -> dict[int, Row]:
        """The rows of which that is true, by place; none of entries that were deleted
        or withdrawn meanwhile."""
        shown, phase = self.board.disclosure, self.board.phase
        revision = self.board.revision_id
        rows = self.ranking.rows.filter(wanted)
        stored = stored_rows(rows, phase, revision, not shown.everything)
        few = len(stored) < self.ranking.size
        entries = [row.entry for row in stored]
        complete = {row.entry.pk for row in stored if row.sent_all}
        teams = {row.participant.pk: row.participant for row in stored}
        context = row_context(self.board, entries, complete, teams, few)
        names = [measure.name for measure in self.board.measures]
        joined = b"".join(row.numbers for row in stored)
        numbers = np.frombuffer(joined).reshape(len(stored), -1 if stored else 0)
        scores = ScoreTable(self.board.measures, NumberTable(names, numbers))
        return {
            row.place: Row(
                row.entry, scores[i], context, row.rank, row.standing, row.change
            )
            for i, row in enumerate(stored)
        }


def _fits(board: Board, row: Row) -> bool:
    """Whether the filters by fact sheet leave the row on the board."""
    return all(condition.keeps(row.facts) for condition in board.filters)
