"""A board as one reader sees it: the choices made, its ranked rows, and their rule."""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from datetime import datetime, timedelta
from functools import cached_property, partial
from math import ceil, nan
from typing import TypeVar

import numpy as np
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.boards.board_rows import (
    BoardRows,
    Raise,
    RowColumns,
    StoredRanking,
    packed_numbers,
)
from leaderboard.boards.query import (
    BoardQuery,
    CustomBoard,
    Filter,
    Ranking,
    UnknownChoice,
    chosen,
    chosen_columns,
    chosen_filters,
    chosen_measures,
    level_name,
    levels_of,
    moment_of,
    revision_at,
)
from leaderboard.boards.rows import (
    BoardParticipant,
    RankChange,
    Row,
    RowContext,
    ScoredEntry,
    complete_evaluations,
    counted_submissions,
    descriptions,
    entries_per_team,
    participants_of,
    scored,
)
from leaderboard.boards.standings import overlap_standings
from leaderboard.submissions.board_sample import (
    MOST_SYSTEMS_TESTED,
    BoardSample,
    Slice,
    Split,
    Tests,
    alike_within,
    tests_of,
)
from leaderboard.submissions.models import Submission
from leaderboard.submissions.printed_numbers import NumberTable
from leaderboard.submissions.scores import (
    NO_UNITS,
    Scores,
    ScoreTable,
    climber,
    entered,
    printed,
    published,
    released,
    rounding_of,
)
from leaderboard.submissions.stored_counts import Scored, sent_test_sets
from leaderboard.submissions.stored_statistics import (
    Content,
    Subject,
    piece_of,
    stored_now,
)
from leaderboard.tasks import policy
from leaderboard.tasks.models import GoldRevision, Phase, Question, TestSet
from leaderboard.tasks.policy import CountingRule, Disclosure, Part
from leaderboard.web.templatetags.formatting import share, unit_word
from scoring.measures import Measure
from scoring.statistics.bootstrap import failures_of
from scoring.statistics.comparison import counts_of
from scoring.statistics.groups import LEAST
from scoring.statistics.ranks import SystemRank, rank_of, untested
from scoring.statistics.runs import runs_unknown
from scoring.statistics.unseen import UNSEEN

LAST_WEEK = timedelta(days=7)
Item = TypeVar("Item")
MOST_LOOKED_AT = 5  # rows, for whether units answer alike


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns.

    `disclosure` says what the reader may see; without a board there are no rows.
    `revision` is the gold revision where it is not the phase's own. `named` is the one
    of the task's `boards` that was chosen, `offered` are all measures that columns can
    be chosen from. Of the rows that there are (`in_all`) those are left that fit the
    `filters` by fact sheet and the `search`. `levels` and `slices` are those to choose
    from, none on a board of very many systems. `averages`: its mean over test sets can
    be asked for. `at`: as it stood then. `tested` are the tests of the `family` where
    the ranks come from them, and `stored` is the ranking that rows are made from.
    """

    query: BoardQuery
    disclosure: Disclosure
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    level: float
    revision: GoldRevision | None = None
    at: datetime | None = None
    test_set: TestSet | None = None
    part: Part = Part.ALL
    slice: Slice | None = None
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: CustomBoard | None = None
    boards: tuple[CustomBoard, ...] = ()
    offered: tuple[Measure, ...] = ()
    levels: tuple[float, ...] = ()
    some_test_sets: bool = False
    averages: bool = True
    questions: tuple[Question, ...] = ()
    columns: tuple[Question, ...] = ()
    filters: tuple[Filter, ...] = ()
    rows: Sequence[Row] = ()
    in_all: int = 0
    known_family: tuple[Scored, ...] = ()
    tested: Tests | None = None
    stored: StoredRanking | None = None

    @property
    def phase(self) -> Phase:
        return self.query.phase

    @property
    def gold_revision(self) -> GoldRevision:
        return self.revision or self.phase.gold_revision

    @property
    def everything(self) -> bool:
        """Every entry has a row, not one of each team."""
        return self.query.everything

    @property
    def search(self) -> str:
        return self.query.search

    @cached_property
    def family(self) -> tuple[Scored, ...]:
        """The systems whose pairs are tested together: the ranked ones with one entry
        for each team, whatever is shown of them."""
        if self.stored is not None:
            return self.stored.family(self.gold_revision.pk)
        return self.known_family

    @cached_property
    def columns_of_rows(self) -> RowColumns:
        """What ranks say of all rows, without that they are made."""
        whole = isinstance(self.rows, BoardRows)
        return self.rows.columns if whole else RowColumns.of(self.rows)

    @cached_property
    def tests(self) -> Tests:
        """The tests of all pairs of the family, in the measure that ranks."""
        return self.tested or tests_of(self.sample_of(self.family), self.measure)

    @cached_property
    def resolution(self) -> float | None:
        """The true difference between two typical systems that a board of so many finds
        in four of five cases; not where scores are rounded.

        Of rounded scores it would tell what the rounding hides.
        """
        if self.stored is not None and not self.everything:
            return self.stored.resolution
        known = self.disclosure.board and self.disclosure.exact and self.family
        return self.tests.resolution if known else None

    @property
    def power_note(self) -> str:
        """The same in a sentence; empty where it is not known."""
        smallest = self.resolution
        if smallest is None:
            return ""
        if self.measure.percent:
            values = {"points": printed(ceil(smallest * 1e4 - 1e-6) / 100, 2)}
            return (
                _(
                    "A true difference of %(points)s points would be found in four of "
                    "five cases."
                )
                % values
            )
        values = {"difference": printed(ceil(smallest * 1e3 - 1e-6) / 1000, 3)}
        return (
            _(
                "A true difference of %(difference)s would be found in four of five "
                "cases."
            )
            % values
        )

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)

    @property
    def several_test_sets(self) -> bool:
        return len(self.test_sets) > 1

    @property
    def several_of_phase(self) -> bool:
        """Whether the phase has several, of which the board may show one alone."""
        return self.several_test_sets or self.some_test_sets

    @property
    def spans_test_sets(self) -> bool:
        """Whether there are enough to say how one system does over them."""
        enough = self.averages and len(self.test_sets) >= LEAST
        return self.disclosure.details and enough

    @property
    def split(self) -> Split | None:
        return Split.of(self.phase, self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the units to choose from, none where there is no choice."""
        return self.disclosure.parts if len(self.disclosure.parts) > 1 else ()

    @property
    def narrowed(self) -> bool:
        """Whether a filter or a search leaves rows out."""
        return bool(self.filters or self.search)

    def sample_of(
        self,
        evaluations: Sequence[Scored],
        test_sets: Sequence[TestSet] | None = None,
    ) -> BoardSample:
        """Systems on the units that this board shows, by default all that it does."""
        chosen = self.chosen_test_sets if test_sets is None else tuple(test_sets)
        return BoardSample(
            self.phase,
            chosen,
            tuple(evaluations),
            self.slice,
            self.split,
            some_test_sets=self.some_test_sets and len(chosen) > 1,
            level=self.level,
            revision=self.revision and self.revision.pk,
        )

    def scores_by_test_set(self, row: Row) -> dict[TestSet, Scores]:
        """The scores of a row on each of the test sets that was sent."""
        sent = sent_test_sets([row.evaluation])[row.evaluation.pk]
        scores = {}
        for test_set in self.test_sets:
            if test_set.pk in sent:
                sample = self.sample_of([row.evaluation], [test_set])
                (scores[test_set],) = published(sample, self.measures, self.disclosure)
        return scores

    @cached_property
    def rule(self) -> str:
        """The rule by which ranks come about, printed above the table."""
        values = {
            "measure": self.measure.title,
            "which": self._which(),
            "share": share(self.level),
        }
        if self.measure.higher_is_better:
            first = _("Ranked by %(measure)s, highest first, %(which)s.") % values
        else:
            first = _("Ranked by %(measure)s, lowest first, %(which)s.") % values
        equal = _(
            "Equal scores share a rank; baselines are not ranked; n/a comes last."
        )
        doubt = self._doubt() % values
        beside = self._incomplete()
        return f"{first}{self._over()} {equal}{self._organizers()} {doubt}{beside}"

    @property
    def lead(self) -> str:
        """A sentence on the first system and how sure its lead is; empty where rows
        are left out, or several share the first rank."""
        ranks = self.columns_of_rows.rank
        if self.narrowed or self.everything or ranks.count(1) != 1:
            return ""
        first = self.rows[ranks.index(1)]
        if not first.in_words:
            return ""
        values = {"team": first.team, "in_words": first.in_words}
        return _("%(team)s leads: %(in_words)s.") % values

    @property
    def unit_note(self) -> str:
        """A note on the resampled unit, and what intervals do not contain: that units
        behave alike, what they may not have shown, and how runs differ."""
        if self.measure.of_file:
            return ""
        unit = self.phase.task.unit or self.phase.task.scorer.units[0]
        sentences = [_("Resampled unit: %(unit)s.") % {"unit": unit_word(unit)}]
        if self.rows and self.disclosure.exact:
            first = [row.evaluation for row in self.rows[:MOST_LOOKED_AT]]
            sample = self.sample_of(first)
            if group := alike_within(sample, self.measure):
                alike = _(
                    "Units inside one %(group)s are treated as independent, though "
                    "they seem to behave alike: intervals may be too narrow."
                )
                sentences.append(alike % {"group": unit_word(group)})
        if self.rows:
            sentences += self._failures()
        if self.rows and runs_unknown(self.columns_of_rows.runs):
            sentences.append(
                _(
                    "Every system here has one run: intervals and tests do not contain "
                    "how much runs of one system differ."
                )
            )
        return " ".join(sentences)

    def _failures(self) -> list[str]:
        """A sentence on failures that units may not have shown, where so many would
        take the first score out of its interval; how far is not told of rounded ones.
        """
        if self.measure.sizes is None:
            return []
        score = self.rows[0].sorted_by
        if not self.disclosure.exact:
            sentence = _(
                "Rare failures may not have shown: they are in no interval of "
                "%(measure)s."
            )
            return [sentence % {"measure": score.measure.title}]
        numbers = score.numbers
        sample = self.sample_of([self.rows[0].evaluation])
        more = failures_of(counts_of(sample.strata[0]), self.measure)
        if numbers.value is None or numbers.high is None:
            return []
        if numbers.value + more <= numbers.high:
            return []
        moved = printed(more * (100 if self.measure.percent else 1), score.decimals[0])
        sentence = _(
            "Rare failures may not have shown: %(n)s of them, each in a unit as large "
            "as the largest here, would move %(measure)s by %(moved)s, out of its "
            "interval."
        )
        return [
            sentence % {"n": UNSEEN, "measure": score.measure.title, "moved": moved}
        ]

    def _organizers(self) -> str:
        """That teams of organizers are not ranked, where there is one."""
        if not any(self.columns_of_rows.unranked):
            return ""
        return " " + _("Teams in which organizers of the task are have no rank.")

    def _incomplete(self) -> str:
        """That some ranked systems are not tested, where there are such."""
        if not self.columns_of_rows.some_incomplete:
            return ""
        return " " + _(
            "Incomplete systems are not tested: ranges leave open where they stand, "
            "and lines say nothing of them."
        )

    @property
    def weights(self) -> str:
        """Test sets with their weights in the mean, where these are not equal."""
        return TestSet.weights_in_words(self.test_sets)

    def _over(self) -> str:
        """Which test sets, where the phase has others too."""
        if self.phase.separate_test_sets and self.several_of_phase:
            titles = ", ".join(test_set.title for test_set in self.chosen_test_sets)
            return " " + _("Only systems entered for %(test_sets)s stand here.") % {
                "test_sets": titles
            }
        weighed = self.weights
        if weighed and self.test_set is None:
            return " " + _("Scores are the weighted mean of %(test_sets)s.") % {
                "test_sets": weighed
            }
        if not self.some_test_sets or self.test_set is not None:
            return ""
        titles = ", ".join(test_set.title for test_set in self.test_sets)
        return " " + _("Scored on %(test_sets)s.") % {"test_sets": titles}

    def _which(self) -> str:
        if self.everything:
            return _("every entry")
        if not self.disclosure.everything:
            return _("the best published entry of each team")
        return {
            CountingRule.BEST: _("the best entry of each team"),
            CountingRule.LAST: _("the last entry of each team"),
            CountingRule.CHOSEN: _("the entry that each team chose, else its last"),
        }[CountingRule(self.disclosure.counts)]

    def _doubt(self) -> str:
        if self.measure.of_file:
            return str(NO_UNITS)
        if not self.disclosure.exact:
            return _(
                "Scores are rounded, and their %(share)s intervals outward. Two "
                "systems differ significantly where their intervals, widened for the "
                "number of systems, do not overlap; a range such as 2-4 beside a rank "
                "follows from the same rule."
            )
        if self.columns_of_rows.untested:
            return _(
                "So many systems are not tested against each other: ranks have no "
                "ranges, and no lines separate groups."
            )
        if self.phase.lasting_differences:
            return _(
                "A range such as 2-4 beside a rank is its %(share)s confidence range, "
                "for all systems at once and however often one looks. Lines separate "
                "groups: every system above a line is significantly better than every "
                "one below it (all pairs tested, the error rate spent over arrivals: "
                "no difference once shown is taken back by later systems)."
            )
        return _(
            "A range such as 2-4 beside a rank is its %(share)s confidence range, for "
            "all systems at once. Lines separate groups: every system above a line is "
            "significantly better than every one below it (all pairs tested, "
            "Holm-corrected)."
        )


def board(query: BoardQuery, disclosure: Disclosure | None = None) -> Board:
    """The board that a query asks for, as far as it is shown.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice, part or level that there is not, for what is no date, and for entries
    that are not shown.
    """
    asked = BoardRequest.of(query, disclosure)
    # Of an earlier moment there are as many as anybody likes to ask for.
    stored = asked.disclosure.board and asked.moment is None
    board = stored_board(asked) if stored else ranked_board(asked)[0]
    in_all = len(board.rows)
    if board.narrowed:
        fitting = tuple(row for row in board.rows if _fits(board, row))
        board = replace(board, rows=fitting)
    return replace(board, in_all=in_all)


@dataclass(frozen=True)
class BoardRequest:
    """What is asked for, resolved as far as that needs no entries. `moment` is an
    earlier one than now, `revision` None for the phase's own."""

    query: BoardQuery
    disclosure: Disclosure
    ranking: Ranking
    revision: GoldRevision | None
    moment: datetime | None

    @classmethod
    def of(cls, query: BoardQuery, disclosure: Disclosure | None) -> "BoardRequest":
        """Raises UnknownChoice for a board, test set or date that there is not, and for
        entries that are not shown."""
        disclosure = disclosure or policy.disclosure(AnonymousUser(), query.phase)
        if query.everything and not disclosure.everything:
            raise UnknownChoice
        phase, revision = query.phase, query.revision
        moment = moment_of(query.at, phase.zone)
        if moment is not None:
            # Never later than the reader may see.
            known = disclosure.as_of
            until = moment if known is None else min(moment, known)
            disclosure = replace(disclosure, as_of=until)
            revision = revision or revision_at(phase, moment)
        return cls(query, disclosure, Ranking.of(query), revision, moment)

    @property
    def phase(self) -> Phase:
        return self.query.phase

    @property
    def revision_id(self) -> int:
        return self.revision.pk if self.revision else self.phase.gold_revision_id

    @property
    def part(self) -> Part:
        """Raises UnknownChoice for one that is not shown."""
        parts = self.disclosure.parts or (Part.ALL,)
        return chosen({p.value: p for p in parts}, self.query.part, parts[0])

    def subject(self) -> Subject:
        """All that ranks depend on beside the version of the phase's boards."""
        phase, query, shown = self.phase, self.query, self.disclosure
        # Lines and names are of a reader; neither moves a rank.
        seen = replace(shown, lines=(), names=False, organizer=False)
        test_sets, revision = self.ranking.test_sets, self.revision_id
        split = Split.of(phase, self.part)
        sample = BoardSample(phase, test_sets, (), split=split, revision=revision)
        choices = (
            query.measure,
            query.test_set,
            query.everything,
            query.slice,
            query.part,
            query.board,
            query.measures,
            query.level,
        )
        units = (
            sample.key_of_units,
            revision,
            choices,
            astuple(seen),
            [(one.name, one.measures, one.test_sets) for one in self.ranking.boards],
        )
        measures = phase.task.headline_first
        return Subject(phase, "rows", (), units, measures)


def ranked_board(asked: BoardRequest) -> "tuple[Board, BoardEntries]":
    """The board with all its rows, from the entries."""
    entries = entries_of(asked)
    everything = asked.query.everything
    board = entries.ranked(
        in_order(entries.rows, entries.better) if everything else entries.one_each
    )
    if board.disclosure.everything and not everything:
        board = replace(board, rows=_with_changes(board, board.rows, entries))
    return board, entries


def stored_board(asked: BoardRequest) -> Board:
    """The board with its rows as they are stored, after this call at the latest."""

    def compute() -> tuple[Content, bytes]:
        board, entries = ranked_board(asked)
        return _content(board, entries)

    subject = asked.subject()
    content = stored_now(subject, compute, _still_true)
    ranking = StoredRanking(content, partial(piece_of, subject.key, content["stamp"]))
    board = _chosen(asked, content["many"], content["slices"])
    if not len(ranking.columns):
        return board
    rows = BoardRows(ranking.columns, StoredRowLoader(board, ranking).rows)
    return replace(board, rows=rows, stored=ranking)


def _content(board: Board, entries: "BoardEntries") -> tuple[Content, bytes]:
    """What is stored of a board, and the numbers of its rows."""
    numbers = entries.scores.numbers.table
    place = {entry.pk: i for i, entry in enumerate(entries.entries)}
    order = [place[row.evaluation.pk] for row in board.rows]
    blocks, packed = packed_numbers(numbers[order])
    columns = RowColumns.of(board.rows, board.family)
    content = {one.name: getattr(columns, one.name) for one in fields(columns)}
    known = {
        "raises": _raises(entries),
        "climbs": _climbs(entries),
        "many": len(entries.entries) > MOST_SYSTEMS_TESTED,
        "slices": board.slices,
        # That of a board with every entry is of other tests than its ranks.
        "resolution": None if board.everything else board.resolution,
        "measures": len(board.measures),
        "blocks": blocks,
        "until": _until(board, entries),
    }
    return content | known, packed


def _until(board: Board, entries: "BoardEntries") -> float | None:
    """When the next entry is a week old, so that changes of ranks are others; None
    where none will be."""
    if board.disclosure.as_of is not None:
        return None
    newer = timezone.now() - LAST_WEEK
    times = (entry.received_at for entry in entries.entries)
    ahead = [(at + LAST_WEEK).timestamp() for at in times if at > newer]
    return min(ahead, default=None)


def _raises(found: "BoardEntries") -> list[Raise]:
    """The scores that were better than all before them, of what is shown."""
    raises: list[Raise] = []
    sign = 1 if found.better else -1
    for place, value in _ranked_in_order(found):
        if not raises or sign * value > sign * raises[-1].value:
            at, score = found.entries[place].received_at, found.row(place).sorted_by
            raises.append(Raise(at.timestamp(), value, score.decimals[0]))
    return raises


def _climbs(found: "BoardEntries") -> list[tuple[int, float, float]]:
    """Team, time and value of the scores that were better than all before them of
    their team."""
    best: dict[int, float] = {}
    climbs = []
    sign = 1 if found.better else -1
    for place, value in _ranked_in_order(found):
        entry = found.entries[place]
        team = entry.participation_id
        if team not in best or sign * value > sign * best[team]:
            best[team] = value
            climbs.append((team, entry.received_at.timestamp(), value))
    return climbs


def _ranked_in_order(found: "BoardEntries") -> Iterator[tuple[int, float]]:
    """Places and values of the entries shown that may have a rank, as they came."""
    everything = found.board.disclosure.everything
    places = range(len(found.entries)) if everything else found.places
    for place in sorted(places, key=lambda place: found.entries[place].last):
        value = found.values[place]
        if value is not None and found.may_rank(place):
            yield place, value


def _still_true(content: Content) -> bool:
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
        context = _context(self.board, found, complete, teams, few)
        rounding = rounding_of(self.board.sample_of(()), shown)
        names = [measure.name for measure in self.board.measures]
        scores = ScoreTable(self.board.measures, NumberTable(names, numbers), rounding)
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


@dataclass(frozen=True)
class BoardEntries:
    """The entries that a reader is shown, in order of receipt, and rows without ranks.

    What asks about few of them has no use for the tests of thousands, and a board of
    teams none for the rows of all that they sent. `board` has no rows.
    """

    board: Board
    entries: Sequence[ScoredEntry]
    scores: ScoreTable
    context: RowContext

    @property
    def better(self) -> bool:
        """Whether more is better."""
        return self.board.measure.higher_is_better

    @cached_property
    def values(self) -> Sequence[float | None]:
        """The values that entries are ranked by."""
        return self.scores.values(self.board.measure.name)

    def row(self, place: int) -> Row:
        return Row(self.entries[place], self.scores[place], self.context)

    @cached_property
    def rows(self) -> Sequence[Row]:
        """A row of each entry."""
        return [self.row(place) for place in range(len(self.entries))]

    @cached_property
    def places(self) -> Sequence[int]:
        """Places of the entries that count for teams, and of baselines; best first."""
        shown = self.board.disclosure
        # What a team has published last is its best by the headline.
        counts = shown.counts if shown.everything else CountingRule.LAST
        return self.one_per_team(range(len(self.entries)), counts)

    @cached_property
    def one_each(self) -> Sequence[Row]:
        """The rows of these entries."""
        return [self.row(place) for place in self.places]

    @cached_property
    def family(self) -> tuple[Scored, ...]:
        """Those of them that have a rank: their pairs are tested."""
        return tuple(self.entries[p] for p in self.places if self.may_rank(p))

    def may_rank(self, place: int) -> bool:
        return self.entries[place].competes and self.values[place] is not None

    def one_per_team(self, places: Iterable[int], counts: str) -> list[int]:
        """Of entries in order of receipt the one that counts of each team, best first;
        baselines all stay.

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
        for place in sorted(ordered, key=lambda place: not entries[place].competes):
            by_team.setdefault(entries[place].stands_for, place)
        return self._best_first(sorted(by_team.values()))

    def _best_first(self, places: Sequence[int]) -> list[int]:
        return best_first(places, [self.values[p] for p in places], self.better)

    def ranked(self, ordered: Sequence[Row]) -> Board:
        """The board of these rows, best first, with ranks and how sure these are."""
        values = [row.value if row.may_rank else None for row in ordered]
        ranked = [row for row in ordered if row.may_rank]
        standings, tested = _standings(self.board, ranked)
        each = iter(standings)
        rows = tuple(
            row if rank is None else replace(row, rank=rank, standing=next(each))
            for row, rank in zip(ordered, rank_of(values, self.better), strict=True)
        )
        return replace(self.board, rows=rows, tested=tested)

    @cached_property
    def shown(self) -> Sequence[Row]:
        """All that the reader may see: every entry, or one of each team."""
        return self.rows if self.board.disclosure.everything else self.one_each

    def row_of(self, submission: Submission) -> Row | None:
        """The row of a submission; None where its reader is not shown it."""
        key = submission.pk
        shown = (r for r in self.shown if r.evaluation.submission_id == key)
        return next(shown, None)

    @cached_property
    def ranks(self) -> Mapping[str, int | None]:
        """The rank of each submission that stands for its team."""
        values = [row.value if row.may_rank else None for row in self.one_each]
        pairs = zip(self.one_each, rank_of(values, self.better), strict=True)
        return {row.submission: rank for row, rank in pairs}


def board_entries(
    query: BoardQuery, disclosure: Disclosure | None = None
) -> BoardEntries:
    """The entries of the board that a query asks for; raises UnknownChoice as it."""
    return entries_of(BoardRequest.of(query, disclosure))


def entries_of(asked: BoardRequest) -> BoardEntries:
    phase, disclosure, revision_id = asked.phase, asked.disclosure, asked.revision_id
    past = (
        scored(phase, revision_id, not disclosure.everything)
        if disclosure.board
        else []
    )
    # Read later, so that everybody is there who has sent something.
    teams = participants_of(phase) if past else {}
    entries = _visible(asked, past, teams)
    many = len(entries) > MOST_SYSTEMS_TESTED
    empty = _chosen(asked, many, _slices_to_choose(asked, () if many else entries))
    scores = published(empty.sample_of(entries), empty.measures, disclosure)
    complete: Collection[int] = {entry.pk for entry in entries}
    if empty.test_set is None and not phase.separate_test_sets:
        complete = complete_evaluations(entries, empty.test_sets, empty.some_test_sets)
    context = _context(empty, entries, complete, teams)
    found = BoardEntries(empty, entries, scores, context)
    return replace(found, board=replace(empty, known_family=found.family))


def _visible(
    asked: BoardRequest,
    past: Sequence[ScoredEntry],
    teams: Mapping[int, BoardParticipant],
) -> Sequence[ScoredEntry]:
    """Entries that may be on the board, in order of receipt."""
    phase, ranking, disclosure = asked.phase, asked.ranking, asked.disclosure
    revision = asked.revision_id
    entries = entered(past, phase, ranking.chosen_test_sets)
    if past and not disclosure.everything:
        # A mean of several rankings tells of each, so each must have published it.
        for test_sets in phase.rankings():
            if set(test_sets) & set(ranking.chosen_test_sets):
                allowed = _released(phase, test_sets, revision, disclosure, past, teams)
                entries = [entry for entry in entries if entry.pk in allowed]
        counted = counted_submissions(phase)
        entries = [entry for entry in entries if entry.submission_id in counted]
    if disclosure.as_of is None:
        return entries
    return [entry for entry in entries if entry.received_at <= disclosure.as_of]


def _released(
    phase: Phase,
    test_sets: tuple[TestSet, ...],
    revision: int,
    disclosure: Disclosure,
    past: Sequence[ScoredEntry],
    teams: Mapping[int, BoardParticipant],
) -> Collection[int]:
    """The evaluations whose scores on one ranking's test sets were published."""
    ours = entered(past, phase, test_sets)
    sample = BoardSample.of(phase, ours, disclosure.parts[0], revision, test_sets)
    climbers = [
        climber(e.submission_id, e.baseline, teams[e.participation_id]) for e in ours
    ]
    return released(sample, disclosure, climbers)


def _chosen(
    asked: BoardRequest, many: bool, slices: Mapping[str, Sequence[str]]
) -> Board:
    """The board with its choices checked and made, still without rows. With `many`
    entries there are no levels to choose, which take minutes for ten thousand."""
    query, ranking, disclosure = asked.query, asked.ranking, asked.disclosure
    phase = query.phase
    levels = () if many else levels_of(phase.task, disclosure)
    named, test_sets = ranking.named, ranking.test_sets
    offered = named.measures if named else tuple(phase.task.headline_first)
    part = asked.part
    questions = phase.task.public_questions()
    measure = chosen({m.name: m for m in offered}, query.measure, offered[0])
    slice_names = {
        str(part): part
        for group, labels in slices.items()
        for part in (Slice(group, label) for label in labels)
    }
    return Board(
        query,
        disclosure,
        chosen_measures(offered, query.measures, measure),
        measure,
        test_sets,
        chosen({level_name(one): one for one in levels}, query.level, phase.task.level),
        asked.revision,
        asked.moment,
        test_set=ranking.test_set,
        part=part,
        slice=chosen(slice_names, query.slice, None),
        slices=slices,
        named=named,
        boards=ranking.boards,
        offered=offered,
        levels=levels,
        some_test_sets=len(test_sets) < len(ranking.of_phase),
        averages=ranking.averages,
        questions=questions,
        columns=chosen_columns(questions, query.columns),
        filters=chosen_filters(questions, query.facts),
    )


def _slices_to_choose(
    asked: BoardRequest, entries: Sequence[ScoredEntry]
) -> Mapping[str, Sequence[str]]:
    """Slices to choose from: they come from the gold, and the fullest entry has all."""
    phase, ranking, disclosure = asked.phase, asked.ranking, asked.disclosure
    if not disclosure.details:
        return {}
    separate = phase.separate_test_sets
    test_sets = ranking.chosen_test_sets if separate else ranking.of_phase
    fullest = [max(entries, key=lambda e: e.complete)] if entries else []
    split = Split.of(phase, asked.part)
    return BoardSample(phase, test_sets, tuple(fullest), split=split).slices(disclosure)


def later_ends(phase: Phase) -> dict[int, datetime]:
    """Ends of the teams that were given longer; no query where none was."""
    if phase.extended_until is None:
        return {}
    return dict(phase.extensions.values_list("participation", "until"))


def _context(
    board: Board,
    entries: Sequence[ScoredEntry],
    complete: Collection[int],
    teams: Mapping[int, BoardParticipant],
    few: bool = False,
) -> RowContext:
    """What rows of these entries share; of a `few` of many no more is read."""
    phase, disclosure = board.phase, board.disclosure
    of_teams = {entry.participation_id for entry in entries} if few else None
    systems = [entry.submission_id for entry in entries] if few else None
    ranked_on = board.chosen_test_sets if phase.separate_test_sets else ()
    as_of, tells = disclosure.as_of, disclosure.everything
    return RowContext(
        board.measures,
        board.measure.name,
        phase.closes,
        later_ends(phase),
        board.questions,
        disclosure,
        teams,
        entries_per_team(phase, as_of, ranked_on, of_teams) if entries else {},
        descriptions(phase, systems) if entries and tells else {},
        complete,
    )


def _standings(
    board: Board, ranked: Sequence[Row]
) -> tuple[Sequence[SystemRank], Tests | None]:
    """The standings of these rows: how sure their ranks are. With the tests that they
    come from where those are of the family."""
    higher_is_better = board.measure.higher_is_better
    whole = [row.complete for row in ranked]
    if not board.disclosure.exact and not board.measure.of_file:
        scores = [row.sorted_by for row in ranked]
        return overlap_standings(scores, higher_is_better, board.level, whole), None
    if len(ranked) > MOST_SYSTEMS_TESTED:
        values = np.array([nan if row.value is None else row.value for row in ranked])
        return untested(values, np.array(whole), higher_is_better), None
    systems = tuple(row.evaluation for row in ranked)
    tests = tests_of(board.sample_of(systems), board.measure)
    return tests.standings, tests if systems == board.family else None


def in_order(rows: Sequence[Row], higher_is_better: bool) -> list[Row]:
    """Best first, n/a last; of equal ones the earlier before the later."""
    listed = sorted(rows, key=lambda row: row.received_at)
    return best_first(listed, [row.value for row in listed], higher_is_better)


def best_first(
    items: Sequence[Item], values: Sequence[float | None], higher_is_better: bool
) -> list[Item]:
    """Items by their values, best first, n/a last; equal ones as they come."""
    ranks = rank_of(values, higher_is_better)
    last = len(items) + 1
    pairs = sorted(zip(ranks, items, strict=True), key=lambda pair: pair[0] or last)
    return [item for _rank, item in pairs]


def _with_changes(
    board: Board, rows: Sequence[Row], found: BoardEntries
) -> Sequence[Row]:
    """The rows with the changes of their ranks since last week.

    From the same scores that are shown now, of what had been sent a week before: no
    other entry, gold or part of the units has a say. A change is told only of teams
    that sent what ranks them since. Where nobody was ranked then, nobody is new either.
    """
    until = (board.disclosure.as_of or timezone.now()) - LAST_WEEK
    entries = found.entries
    # In order of receipt: what came later need not be looked at.
    early = bisect_right(entries, until, key=lambda entry: entry.received_at)
    sent = (place for place in range(early) if found.may_rank(place))
    then = found.one_per_team(sent, board.disclosure.counts)
    ranks = rank_of([found.values[place] for place in then], found.better)
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


def _fits(board: Board, row: Row) -> bool:
    """Whether the search and the filters leave the row on the board."""
    return row.has_name(board.search) and all(
        condition.keeps(row.facts) for condition in board.filters
    )
