"""Entries of a board, and the ranks that they have on it, read and computed anew."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property
from math import nan
from typing import TypeVar

import numpy as np
from django.db.models import Count
from django.utils import timezone

from leaderboard.boards.board import Board, board_without_rows
from leaderboard.boards.board_rows import (
    BoardFacts,
    BoardRows,
    History,
    Improvement,
    RowSource,
    TeamImprovement,
    of_teams,
)
from leaderboard.boards.query import BoardQuery, BoardRequest
from leaderboard.boards.rows import (
    BoardParticipant,
    RankChange,
    Row,
    RowContext,
    ScoredEntry,
    complete_evaluations,
    counted_submissions,
    entries_sent,
    participants_of,
    row_context,
    scored,
)
from leaderboard.results.board_sample import (
    MANY_SYSTEMS,
    MOST_SYSTEMS_TESTED,
    BoardSample,
    Split,
    Tests,
    alike_within,
    tests_of,
)
from leaderboard.results.scores import (
    ScoreTable,
    competitor,
    entered_submissions,
    released_evaluations,
    scores_for,
)
from leaderboard.results.stored_counts import Scored
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import CountingRule, Disclosure
from leaderboard.web.known import once
from scoring.statistics.ranks import SystemRank, rank_of, ranks_without_tests

LAST_WEEK = timedelta(days=7)
MOST_LOOKED_AT = 5  # rows, for whether units answer alike
Item = TypeVar("Item")


@dataclass(frozen=True)
class BoardEntries:
    """The entries that a reader is shown, in order of receipt, and rows without ranks.

    What asks about few of them has no use for the tests of thousands, and a board of
    teams none for the rows of all that they sent. `empty` and `board` have no rows.
    """

    empty: Board
    entries: Sequence[ScoredEntry]
    scores: ScoreTable
    context: RowContext

    @property
    def better(self) -> bool:
        """Whether more is better."""
        return self.empty.measure.higher_is_better

    @cached_property
    def board(self) -> Board:
        """The board without rows, which knows the entries that have a rank on it."""
        return replace(self.empty, source=ComputedRows(self))

    @cached_property
    def values(self) -> Sequence[float | None]:
        """The values that entries are ranked by."""
        return self.scores.values(self.empty.measure.name)

    def row(self, place: int) -> Row:
        return Row(self.entries[place], self.scores[place], self.context)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """A row of each entry."""
        return [self.row(place) for place in range(len(self.entries))]

    @cached_property
    def places(self) -> Sequence[int]:
        """Places of the entries that count for teams, and of baselines; best first."""
        disclosure = self.empty.disclosure
        # What a team has published last is its best by the headline.
        counts = disclosure.counts if disclosure.everything else CountingRule.LAST
        return self.one_per_team(range(len(self.entries)), counts)

    @cached_property
    def one_each(self) -> Sequence[Row]:
        """The rows of these entries."""
        return [self.row(place) for place in self.places]

    @cached_property
    def family(self) -> tuple[Scored, ...]:
        """The entries among them that have a rank."""
        return self._with_rank(self.places)

    @cached_property
    def ranked_entries(self) -> tuple[Scored, ...]:
        """The entries that have a rank on this board: their pairs are tested."""
        return (
            self._with_rank(self.shown_places)
            if self.empty.query.everything
            else self.family
        )

    def _with_rank(self, places: Sequence[int]) -> tuple[Scored, ...]:
        return tuple(self.entries[p] for p in places if self.may_rank(p))

    def may_rank(self, place: int) -> bool:
        return self.entries[place].competes and self.values[place] is not None

    def one_per_team(self, places: Iterable[int], counts: str) -> list[int]:
        """The entry of each team that counts, best first, of `places` in order of
        receipt; baselines all stay.

        What does not compete stands for its team only where nothing else does.
        """
        entries, ordered = self.entries, list(places)
        if counts == CountingRule.BEST:
            ordered = self._best_first(ordered)
        elif counts == CountingRule.LAST:
            ordered.sort(key=lambda place: entries[place].last, reverse=True)
        else:
            ordered.sort(
                key=lambda place: (entries[place].picked, entries[place].last),
                reverse=True,
            )
        by_team: dict[object, int] = {}
        others = []
        for place in ordered:
            if entries[place].competes:
                by_team.setdefault(entries[place].stands_for, place)
            else:
                others.append(place)
        for place in others:
            by_team.setdefault(entries[place].stands_for, place)
        return self._best_first(sorted(by_team.values()))

    def _best_first(self, places: Sequence[int]) -> list[int]:
        return best_first(places, [self.values[p] for p in places], self.better)

    def ranked(self, ordered: Sequence[Row], by_worker: bool = False) -> Board:
        """The board of these rows, best first, with ranks and how sure these are."""
        values = [row.value if row.may_rank else None for row in ordered]
        ranked = [row for row in ordered if row.may_rank]
        standings, tested = _standings(self.board, ranked, by_worker)
        each = iter(standings)
        rows = [
            row if rank is None else replace(row, rank=rank, standing=next(each))
            for row, rank in zip(ordered, rank_of(values, self.better), strict=True)
        ]
        source = ComputedRows(self, BoardRows(rows), tested)
        return replace(self.board, rows=source.rows, source=source)

    @cached_property
    def shown_places(self) -> Sequence[int]:
        """Places of what the reader may see, every entry or one of each team; best
        first."""
        if not self.board.disclosure.everything:
            return self.places
        return self._best_first(range(len(self.entries)))

    @cached_property
    def shown(self) -> Sequence[Row]:
        """The rows of these entries."""
        return [self.row(place) for place in self.shown_places]

    @cached_property
    def ranks(self) -> Mapping[str, int | None]:
        """The rank of each submission that stands for its team."""
        values = [self.values[p] if self.may_rank(p) else None for p in self.places]
        pairs = zip(self.places, rank_of(values, self.better), strict=True)
        return {str(self.entries[p].submission_id): rank for p, rank in pairs}


@dataclass(frozen=True)
class ComputedRows(RowSource):
    """The entries that the rows of a board were just made from."""

    entries: BoardEntries
    rows: BoardRows = field(default_factory=BoardRows)
    tested: Tests | None = None

    @property
    def family(self) -> tuple[Scored, ...]:
        return self.entries.family

    @property
    def ranked_systems(self) -> tuple[Scored, ...]:
        return self.entries.ranked_entries

    @cached_property
    def facts(self) -> BoardFacts:
        board = replace(self.entries.board, rows=self.rows, source=self)
        tests = board.tests if board.disclosure.board and self.family else None
        first = [row.evaluation for row in self.rows[:MOST_LOOKED_AT]]
        measure = board.measure
        return BoardFacts(
            board.slices,
            len(self.entries.entries) > MANY_SYSTEMS,
            tests.resolution if tests else None,
            tests.compared_by if tests else "",
            "" if measure.of_file else alike_within(board.sample_of(first), measure),
            self._until,
        )

    @property
    def _until(self) -> float | None:
        """The moment when the next entry is a week old, so that changes of ranks are
        others; None where none will be."""
        if self.entries.board.disclosure.as_of is not None:
            return None
        newer = timezone.now() - LAST_WEEK
        times = (entry.received_at for entry in self.entries.entries)
        ahead = [(at + LAST_WEEK).timestamp() for at in times if at > newer]
        return min(ahead, default=None)

    @cached_property
    def history(self) -> History:
        best: list[Improvement] = []
        of_teams: dict[int, float] = {}
        teams = []
        sign = 1 if self.entries.better else -1
        for place, value in self._as_they_came():
            entry = self.entries.entries[place]
            at, team = entry.received_at.timestamp(), entry.participation_id
            if not best or sign * value > sign * best[-1].value:
                decimals = self.entries.row(place).sorted_by.decimals[0]
                best.append(Improvement(at, value, decimals))
            if team not in of_teams or sign * value > sign * of_teams[team]:
                of_teams[team] = value
                teams.append(TeamImprovement(team, at, value))
        return History(best, teams)

    def _as_they_came(self) -> Iterator[tuple[int, float]]:
        """Places and values of the entries shown that may have a rank, in order of
        receipt."""
        entries = self.entries
        for place in sorted(
            entries.shown_places, key=lambda i: entries.entries[i].last
        ):
            value = entries.values[place]
            if value is not None and entries.may_rank(place):
                yield place, value


def board_entries(
    query: BoardQuery, disclosure: Disclosure | None = None
) -> BoardEntries:
    """The entries of the board that a query asks for; raises UnknownChoice as it."""
    return entries_of(BoardRequest.of(query, disclosure))


def entries_of(asked: BoardRequest) -> BoardEntries:
    phase, disclosure, revision_id = (
        asked.query.phase,
        asked.disclosure,
        asked.revision_id,
    )
    past: Sequence[ScoredEntry] = []
    if disclosure.board:
        wanted = phase, revision_id, not disclosure.everything
        past = once(("scored", *wanted), lambda: scored(*wanted))  # by any measure
    # Read later, so that everybody is there who has sent something.
    teams = participants_of(phase) if past else {}
    entries = _visible(asked, past, teams)
    many = len(entries) > MANY_SYSTEMS
    slices = _slices_to_choose(asked, () if many else entries)
    empty = board_without_rows(asked, BoardFacts(slices, many))
    scores = scores_for(empty.sample_of(entries), empty.measures)
    number = {}
    if entries:
        separate = empty.chosen_test_sets if phase.separate_test_sets else ()
        sent = entries_sent(phase, disclosure.as_of, separate)
        each = sent.values_list("participation")
        number = dict(each.annotate(n=Count("pk", distinct=True)))
    context = row_context(empty, _complete(empty, entries), teams, number)
    return BoardEntries(empty, entries, scores, context)


def entries_of_team(board: Board, team: int) -> list[Row]:
    """A row without rank of each entry of a team that a board's reader is shown, in
    order of receipt; where readers are not shown every entry those on the board."""
    phase, disclosure = board.phase, board.disclosure
    standing = board.rows.where(of_teams([team]))
    if not standing or not disclosure.everything:
        return standing
    sent = scored(phase, board.revision_id, team=team)
    entries = _until(
        entered_submissions(sent, phase, board.chosen_test_sets), disclosure.as_of
    )
    scores = scores_for(board.sample_of(entries), board.measures)
    context = replace(standing[0].context, complete=_complete(board, entries))
    pairs = zip(entries, scores, strict=True)
    return [Row(entry, numbers, context) for entry, numbers in pairs]


def _complete(board: Board, entries: Sequence[ScoredEntry]) -> Collection[int]:
    """The evaluations among these with a file for each test set of the board."""
    if board.test_set is None and not board.phase.separate_test_sets:
        return complete_evaluations(entries, board.test_sets, board.some_test_sets)
    return {entry.pk for entry in entries}


def _until(
    entries: Sequence[ScoredEntry], moment: datetime | None
) -> Sequence[ScoredEntry]:
    """The entries that had been received by then, or all."""
    if moment is None:
        return entries
    return [entry for entry in entries if entry.received_at <= moment]


def _visible(
    asked: BoardRequest,
    past: Sequence[ScoredEntry],
    teams: Mapping[int, BoardParticipant],
) -> Sequence[ScoredEntry]:
    """Entries that may be on the board, in order of receipt."""
    phase, ranking, disclosure = asked.query.phase, asked.ranking, asked.disclosure
    revision = asked.revision_id
    entries = entered_submissions(past, phase, ranking.chosen_test_sets)
    if past and not disclosure.everything:
        # A mean of several rankings tells of each, so each must have published it.
        for test_sets in phase.rankings():
            if set(test_sets) & set(ranking.chosen_test_sets):
                allowed = _released_evaluations(
                    phase, test_sets, revision, disclosure, past, teams
                )
                entries = [entry for entry in entries if entry.pk in allowed]
        counted = counted_submissions(phase)
        entries = [entry for entry in entries if entry.submission_id in counted]
    return _until(entries, disclosure.as_of)


def _released_evaluations(
    phase: Phase,
    test_sets: tuple[TestSet, ...],
    revision: int,
    disclosure: Disclosure,
    past: Sequence[ScoredEntry],
    teams: Mapping[int, BoardParticipant],
) -> Collection[int]:
    """The evaluations whose scores on one ranking's test sets were published."""
    ours = entered_submissions(past, phase, test_sets)
    sample = BoardSample.of(phase, ours, disclosure.parts[0], revision, test_sets)
    competitors = [
        competitor(e.submission_id, e.baseline, teams[e.participation_id]) for e in ours
    ]
    return released_evaluations(sample, disclosure, competitors)


def _slices_to_choose(
    asked: BoardRequest, entries: Sequence[ScoredEntry]
) -> Mapping[str, Sequence[str]]:
    """Slices to choose from: they come from the gold, and the fullest entry has all."""
    phase, ranking, disclosure = asked.query.phase, asked.ranking, asked.disclosure
    if not disclosure.details:
        return {}
    separate = phase.separate_test_sets
    test_sets = ranking.chosen_test_sets if separate else ranking.of_phase
    fullest = [max(entries, key=lambda e: e.complete)] if entries else []
    split = Split.of(phase, asked.part)
    return BoardSample(phase, test_sets, tuple(fullest), split=split).slices(disclosure)


def _standings(
    board: Board, ranked: Sequence[Row], by_worker: bool
) -> tuple[Sequence[SystemRank], Tests | None]:
    """The standings of these rows: how sure their ranks are. With the tests that they
    come from."""
    higher_is_better = board.measure.higher_is_better
    whole = [row.complete for row in ranked]
    systems = tuple(row.evaluation for row in ranked)
    tests = None
    if len(ranked) <= MOST_SYSTEMS_TESTED:
        tests = tests_of(board.sample_of(systems), board.measure, by_worker)
    if tests is None or tests.waits:
        values = np.array([nan if row.value is None else row.value for row in ranked])
        return ranks_without_tests(values, np.array(whole), higher_is_better), None
    return tests.standings, tests


def best_first(
    items: Sequence[Item], values: Sequence[float | None], higher_is_better: bool
) -> list[Item]:
    """Items by their values, best first, n/a last; equal ones as they come."""
    ranks = rank_of(values, higher_is_better)
    last = len(items) + 1
    pairs = sorted(zip(ranks, items, strict=True), key=lambda pair: pair[0] or last)
    return [item for _rank, item in pairs]


def _with_changes(
    board: Board, rows: Sequence[Row], board_entries: BoardEntries
) -> Sequence[Row]:
    """The rows with the changes of their ranks since last week.

    From the same scores that are shown now, of what had been sent a week before: no
    other entry, gold or part of the units has a say. A change is told only of teams
    that sent what ranks them since. Where nobody was ranked then, nobody is new either.
    """
    until = (board.disclosure.as_of or timezone.now()) - LAST_WEEK
    entries = board_entries.entries
    # In order of receipt: what came later need not be looked at.
    early = bisect_right(entries, until, key=lambda entry: entry.received_at)
    sent = (place for place in range(early) if board_entries.may_rank(place))
    then = board_entries.one_per_team(sent, board.disclosure.counts)
    ranks = rank_of(
        [board_entries.values[place] for place in then], board_entries.better
    )
    places = {
        entries[place].participation_id: rank
        for place, rank in zip(then, ranks, strict=True)
    }
    if not places:
        return rows
    return tuple(
        _with_change(row, places) if row.received_at > until else row for row in rows
    )


def _with_change(row: Row, places: Mapping[int, int | None]) -> Row:
    before = places.get(row.evaluation.participation_id)
    if row.rank is None or before == row.rank:
        return row
    return replace(
        row, change=RankChange(None if before is None else before - row.rank)
    )


def ranked_board(asked: BoardRequest) -> tuple[Board, BoardEntries]:
    """The board with all its rows, from the entries."""
    entries = entries_of(asked)
    everything = asked.query.everything
    shown = entries.shown if everything else entries.one_each
    board = entries.ranked(shown, asked.by_worker)
    if board.disclosure.everything and not everything:
        rows = BoardRows(_with_changes(board, board.rows, entries))
        board = replace(board, rows=rows)
    return board, entries
