"""A board as one reader sees it: the choices made, ranked rows, and the rule."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from math import ceil

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from leaderboard.boards.filters import Filter, chosen_columns, chosen_filters, keeps_all
from leaderboard.boards.query import (
    BoardQuery,
    CustomBoard,
    Recounted,
    UnknownChoice,
    at_level,
    chosen_board,
    chosen_level,
    chosen_measure,
    chosen_measures,
    chosen_part,
    chosen_slice,
    chosen_test_set,
    levels_of,
    moment_of,
    named_boards,
    offered_slices,
    under,
)
from leaderboard.boards.rows import (
    NOT_RANKED,
    BoardParticipant,
    Row,
    RowCandidate,
    RowContext,
    ScoredEntry,
    complete_evaluations,
    counted_submissions,
    descriptions,
    entries_per_team,
    found_of,
    participants_of,
    scored,
)
from leaderboard.boards.standings import overlap_standings
from leaderboard.submissions import board_sample
from leaderboard.submissions.board_sample import (
    BoardSample,
    Slice,
    Split,
    Tests,
    alike_within,
    tests_of,
)
from leaderboard.submissions.counts_cache import Scored
from leaderboard.submissions.scores import climber, published, released
from leaderboard.submissions.status import headline_first
from leaderboard.tasks import facts as sheets
from leaderboard.tasks import policy
from leaderboard.tasks.facts import Question
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import Counts, Disclosure, Part
from leaderboard.web.templatetags.units import unit_word
from scoring.measures import Measure
from scoring.statistics.ranks import Standing, rank_of

Teams = Mapping[int, BoardParticipant]


MOST_LOOKED_AT = 5  # rows, for whether units answer alike


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns.

    `shown` says what the reader may see; without a board there are no rows. `named`
    is the one of the task's `boards` that was chosen, `offered` are all measures that
    columns can be chosen from. Of the rows that there are (`in_all`) those are left
    that fit the `filters` by fact sheet and the `search`. `at`: as it stood then. The
    level of its intervals is the phase's task's, `recounted` where a reader chose
    another one than was stored. `family` are the systems whose pairs are tested
    together: the ranked ones with one entry for each team, whatever is shown of them.
    """

    phase: Phase
    shown: Disclosure
    measures: tuple[Measure, ...]
    measure: Measure
    test_sets: tuple[TestSet, ...]
    test_set: TestSet | None
    everything: bool
    part: Part = Part.ALL
    slice: Slice | None = None
    slices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    named: CustomBoard | None = None
    boards: tuple[CustomBoard, ...] = ()
    offered: tuple[Measure, ...] = ()
    questions: tuple[Question, ...] = ()
    columns: tuple[Question, ...] = ()
    filters: tuple[Filter, ...] = ()
    search: str = ""
    at: datetime | None = None
    recounted: bool = False
    in_all: int = 0
    some_test_sets: bool = False
    rows: tuple[Row, ...] = ()
    family: tuple[Scored, ...] = ()

    @cached_property
    def tests(self) -> Tests:
        """Of the pairs of the family, in the measure that ranks."""
        return tests_of(self.field_of(self.family), self.measure)

    @property
    def resolution(self) -> float | None:
        """The smallest difference that is resolved here; not where scores are rounded.

        Of rounded scores it would tell what the rounding hides.
        """
        told = self.shown.board and self.shown.exact and self.family
        return self.tests.resolution if told else None

    @property
    def resolves(self) -> str:
        """The same in a sentence; empty where it is not known."""
        found = self.resolution
        return "" if found is None else resolved(found, self.measure.percent)

    @property
    def chosen_test_sets(self) -> tuple[TestSet, ...]:
        return self.test_sets if self.test_set is None else (self.test_set,)

    @property
    def several_test_sets(self) -> bool:
        return len(self.test_sets) > 1

    @property
    def split(self) -> Split | None:
        return Split.of(self.phase, self.part)

    @property
    def parts(self) -> tuple[Part, ...]:
        """Parts of the units to choose from, none where there is no choice."""
        return self.shown.parts if len(self.shown.parts) > 1 else ()

    @property
    def level(self) -> float:
        """Of intervals and rank ranges, as in 0.95."""
        return float(self.phase.task.level)

    @property
    def levels(self) -> tuple[float, ...]:
        """Levels to choose from, none where there is no choice."""
        return levels_of(self.phase.task, self.shown)

    @property
    def narrowed(self) -> bool:
        """Whether a filter or a search leaves rows out."""
        return bool(self.filters or self.search)

    def field_of(
        self,
        evaluations: Sequence[Scored],
        test_sets: Sequence[TestSet] | None = None,
    ) -> BoardSample:
        """Systems on the units that this board shows, by default all that it does."""
        chosen = self.chosen_test_sets if test_sets is None else tuple(test_sets)
        systems = tuple(evaluations)
        some = self.some_test_sets and len(chosen) > 1
        kind = Recounted if self.recounted else BoardSample
        return kind(self.phase, chosen, systems, self.slice, self.split, some)

    @property
    def rule(self) -> str:
        """How ranks come about, printed above the table."""
        told = {
            "measure": self.measure.title,
            "which": self._which(),
            "share": f"{self.level * 100:g}%",
        }
        if self.measure.higher_is_better:
            first = _("Ranked by %(measure)s, highest first, %(which)s.") % told
        else:
            first = _("Ranked by %(measure)s, lowest first, %(which)s.") % told
        equal = _(
            "Equal scores share a rank; baselines are not ranked; n/a comes last."
        )
        return (
            f"{first}{self._over()} {equal}{self._organizers()} {self._doubt() % told}"
        )

    @property
    def unit_note(self) -> str:
        """What is resampled, and whether such units are independent."""
        unit = self.phase.task.unit or self.phase.task.scorer.units[0]
        said = _("Resampled unit: %(unit)s.") % {"unit": unit_word(unit)}
        if not (self.rows and self.shown.exact):
            return said
        first = [row.evaluation for row in self.rows[:MOST_LOOKED_AT]]
        group = alike_within(self.field_of(first), self.measure)
        if not group:
            return said
        return f"{said} " + _(
            "Units inside one %(group)s are treated as independent, though they answer "
            "alike: intervals are too narrow."
        ) % {"group": unit_word(group)}

    def _organizers(self) -> str:
        """That teams of organizers are not ranked, where there is one."""
        if not any(row.organizers and not row.competes for row in self.rows):
            return ""
        return " " + _("Teams in which organizers of the task are have no rank.")

    def _over(self) -> str:
        """Which test sets, where the phase has others too."""
        if not self.some_test_sets or self.test_set is not None:
            return ""
        titles = ", ".join(test_set.title for test_set in self.test_sets)
        return " " + _("Scored on %(test_sets)s.") % {"test_sets": titles}

    def _which(self) -> str:
        if self.everything:
            return _("every entry")
        if not self.shown.everything:
            return _("the best published entry of each team")
        return {
            Counts.BEST: _("the best entry of each team"),
            Counts.LAST: _("the last entry of each team"),
            Counts.CHOSEN: _("the entry that each team chose, else its last"),
        }[Counts(self.shown.counts)]

    def _doubt(self) -> str:
        if not self.shown.exact:
            return _(
                "Scores are rounded, and their %(share)s intervals outward. Two "
                "systems differ significantly where their intervals, widened for the "
                "number of systems, do not overlap: a range such as 2-4 holds the "
                "ranks that this leaves possible."
            )
        return _(
            "A range such as 2-4 holds the ranks that the tests leave possible, with "
            "%(share)s confidence for all systems at once. A line stands where every "
            "system above is significantly better than every one below (all pairs "
            "tested, Holm)."
        )


def resolved(difference: float, percent: bool) -> str:
    """The smallest difference that is resolved, rounded up, as a sentence."""
    if percent:
        told = {"points": f"{ceil(difference * 1e4 - 1e-6) / 100:.2f}"}
        return _("Differences below %(points)s points are not resolved here.") % told
    told = {"difference": f"{ceil(difference * 1e3 - 1e-6) / 1000:.3f}"}
    return _("Differences below %(difference)s are not resolved here.") % told


def board(phase: Phase, view: BoardQuery, shown: Disclosure | None = None) -> Board:
    """The board of a phase under the gold revision it shows, as far as it is shown.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice, part or level it does not have, for what is no date, and for entries
    that are not shown.
    """
    shown = shown or policy.disclosure(AnonymousUser(), phase)
    if view.everything and not shown.everything:
        raise UnknownChoice("entries")
    phase, shown = _as_of(phase, view, shown)
    past = scored(phase, not shown.everything) if shown.board else []
    # Read later, so that everybody is there who has sent something.
    teams = participants_of(phase) if past else {}
    sent = _standing(phase, shown, past, teams)
    frame = _frame(phase, view, shown, sent)
    scores = published(frame.field_of(sent), frame.measures, shown)
    found = found_of(sent, scores, frame.measure)
    better = frame.measure.higher_is_better
    ranked = one_per_team(found, _counts(shown), better)
    frame = replace(frame, family=_family(ranked, better))
    beside = _beside(frame, sent, teams)
    rows = ranked_rows(
        found if view.everything else ranked,
        beside,
        lambda found: _standings(frame, found, beside.complete),
    )
    return _filtered(frame, rows)


def _family(
    found: Sequence[RowCandidate], higher_is_better: bool
) -> tuple[ScoredEntry, ...]:
    """Systems with a rank, the best first."""
    ordered = in_order(found, higher_is_better)
    return tuple(one.sent for one in ordered if one.may_rank)


def _as_of(
    phase: Phase, view: BoardQuery, shown: Disclosure
) -> tuple[Phase, Disclosure]:
    """Both at the moment that was asked for: never later than the reader may see."""
    moment = moment_of(view.at, phase.zone)
    if moment is None:
        return phase, shown
    until = moment if shown.as_of is None else min(moment, shown.as_of)
    return under(phase, moment), replace(shown, as_of=until)


def _filtered(frame: Board, rows: tuple[Row, ...]) -> Board:
    """Filters choose what is shown; ranks stay those of the whole board."""
    found = rows
    if frame.narrowed:
        found = tuple(kept(rows, lambda row: _keeps(frame, row)))
    return replace(frame, rows=found, in_all=len(rows))


def _keeps(frame: Board, row: Row) -> bool:
    name = f"{row.team}\n{row.system}".casefold()
    return frame.search.casefold() in name and keeps_all(frame.filters, row.facts)


def _counts(shown: Disclosure) -> str:
    """What a team has published last is its best by the headline."""
    return shown.counts if shown.everything else Counts.LAST


def _standing(
    phase: Phase, shown: Disclosure, past: Sequence[ScoredEntry], teams: Teams
) -> Sequence[ScoredEntry]:
    """What may be on the board, in order of receipt."""
    whole = shown.everything or not past
    found = past if whole else _released(phase, shown, past, teams)
    if shown.as_of is None:
        return found
    return [sent for sent in found if sent.received_at <= shown.as_of]


def _released(
    phase: Phase, shown: Disclosure, past: Sequence[ScoredEntry], teams: Teams
) -> list[ScoredEntry]:
    split = Split.of(phase, shown.parts[0])
    field = BoardSample(phase, tuple(phase.test_sets.all()), tuple(past), split=split)
    climbers = [
        climber(sent.submission_id, sent.baseline, teams[sent.participation_id])
        for sent in past
    ]
    allowed = released(field, shown, climbers)
    counted = counted_submissions(phase)
    return [e for e in past if e.pk in allowed and e.submission_id in counted]


def _frame(
    phase: Phase,
    view: BoardQuery,
    shown: Disclosure,
    evaluations: Sequence[ScoredEntry],
) -> Board:
    """The board with its choices made, still without rows."""
    level = chosen_level(phase, shown, view.level)
    frame = _scored_on(phase if level is None else at_level(phase, level), view)
    part = chosen_part(shown, view.part)
    slices = offered_slices(phase, evaluations, Split.of(phase, part), shown)
    questions = sheets.public(phase.task)
    ranks = chosen_measure(frame.offered, view.measure)
    return replace(
        frame,
        shown=shown,
        measure=ranks,
        measures=chosen_measures(frame.offered, view.measures, ranks),
        test_set=chosen_test_set(frame.test_sets, view.test_set),
        everything=view.everything,
        part=part,
        slice=chosen_slice(slices, view.slice),
        slices=slices,
        questions=questions,
        columns=chosen_columns(questions, view.columns),
        filters=chosen_filters(questions, view.facts),
        search=view.search,
        at=moment_of(view.at, phase.zone),
        recounted=level is not None,
    )


def _scored_on(phase: Phase, view: BoardQuery) -> Board:
    """What the main board, or the one that was named, shows: measures, test sets."""
    of_phase = tuple(phase.test_sets.all())
    boards = named_boards(phase, of_phase)
    named = chosen_board(boards, view.board)
    measures = named.measures if named else tuple(headline_first(phase))
    test_sets = named.test_sets if named else of_phase
    return Board(
        phase=phase,
        shown=Disclosure(),
        measures=measures,
        measure=measures[0],
        test_sets=test_sets,
        test_set=None,
        everything=False,
        named=named,
        boards=boards,
        offered=measures,
        some_test_sets=len(test_sets) < len(of_phase),
    )


def _beside(frame: Board, sent: Sequence[ScoredEntry], teams: Teams) -> RowContext:
    phase, some = frame.phase, frame.some_test_sets
    measures, shown = frame.measures, frame.shown
    found = RowContext(frame.measure, measures, phase.closes, frame.questions, shown)
    if not sent:
        return found
    complete = complete_evaluations(sent, frame.test_sets, some)
    if frame.test_set is not None:
        complete = {one.pk for one in sent}
    return replace(
        found,
        teams=teams,
        entries=entries_per_team(phase, frame.shown.as_of),
        descriptions=descriptions(phase) if frame.shown.everything else {},
        complete=complete,
    )


def _standings(
    frame: Board, found: Sequence[RowCandidate], whole: Collection[int]
) -> Sequence[Standing]:
    """How sure the ranks of these are."""
    if not frame.shown.exact:
        scores = [one.scores[frame.measure.name] for one in found]
        complete = [one.sent.pk in whole for one in found]
        better, level = frame.measure.higher_is_better, frame.level
        return overlap_standings(scores, better, level, complete)
    field = frame.field_of([one.sent for one in found])
    return board_sample.tests_of(field, frame.measure).standings


def in_order(
    found: Iterable[RowCandidate], higher_is_better: bool
) -> list[RowCandidate]:
    """Best first, n/a last; of equal ones the earlier before the later."""
    rows = list(found)
    places = rank_of([one.value for one in rows], higher_is_better)

    def place(pair: tuple[RowCandidate, int | None]) -> tuple[int, datetime]:
        one, rank = pair
        return rank or len(rows) + 1, one.sent.received_at

    return [one for one, _ in sorted(zip(rows, places, strict=True), key=place)]


def one_per_team(
    found: Iterable[RowCandidate], counts: str, higher_is_better: bool
) -> list[RowCandidate]:
    """What counts of each team; baselines all stay.

    What does not compete stands for its team only where nothing else does.
    """
    ordered = {
        Counts.BEST: lambda: in_order(found, higher_is_better),
        Counts.LAST: lambda: sorted(found, key=lambda one: one.sent.last, reverse=True),
        Counts.CHOSEN: lambda: sorted(
            found, key=lambda one: (one.sent.picked, one.sent.last), reverse=True
        ),
    }
    kept: dict[object, RowCandidate] = {}
    for one in sorted(ordered[Counts(counts)](), key=lambda one: not one.sent.competes):
        kept.setdefault(one.sent.stands_for, one)
    return list(kept.values())


def ranked_rows(
    found: Iterable[RowCandidate],
    beside: RowContext,
    standings: Callable[[Sequence[RowCandidate]], Sequence[Standing]],
) -> tuple[Row, ...]:
    """Rows in order with their ranks; `standings` says of ranked ones how sure."""
    higher_is_better = beside.measure.higher_is_better
    ordered = in_order(found, higher_is_better)
    may_rank = [one for one in ordered if one.may_rank]
    values = [one.value if one.may_rank else None for one in ordered]
    sure = iter(standings(may_rank))
    rows, cluster = [], 1
    for one, rank in zip(ordered, rank_of(values, higher_is_better), strict=True):
        standing = NOT_RANKED if rank is None else next(sure)
        lined = standing.cluster is not None and standing.cluster > cluster
        cluster = standing.cluster or cluster
        rows.append(Row(*one, beside, rank, standing, lined))
    return tuple(rows)


def kept(rows: Iterable[Row], keeps: Callable[[Row], bool]) -> Iterable[Row]:
    """Some of the rows with the ranks they have; lines anew between those left."""
    last: int | None = None
    for row in filter(keeps, rows):
        own = row.standing.cluster
        lined = own is not None and last is not None and own > last
        last = own or last
        yield replace(row, line_above=lined)
