"""The rows of a board: what table, charts and API print alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.contrib.auth.models import AnonymousUser
from django.utils.translation import gettext as _

from leaderboard.boards import choices, making, ordering, queries
from leaderboard.boards.choices import UnknownChoice, View
from leaderboard.boards.facts import (
    Filter,
    chosen_columns,
    chosen_filters,
    keeps_all,
)
from leaderboard.boards.making import Beside
from leaderboard.boards.named import Named, chosen_board, named_boards
from leaderboard.boards.ordering import NOT_RANKED, Row
from leaderboard.boards.overlaps import overlap_standings
from leaderboard.submissions import publishing, ranking
from leaderboard.submissions.models import Evaluation
from leaderboard.submissions.publishing import history, newest
from leaderboard.submissions.ranking import Field, Slice
from leaderboard.submissions.splitting import Split
from leaderboard.submissions.status import headline_first
from leaderboard.tasks import facts as sheets
from leaderboard.tasks import policy
from leaderboard.tasks.facts import Question
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.policy import Counts, Disclosure, Part
from scoring.measures import Measure
from scoring.standings import Standing

__all__ = ["NOT_RANKED", "Board", "Row", "UnknownChoice", "View", "board"]


@dataclass(frozen=True)
class Board:
    """A phase's ranking as one reader sees it. `measures` are the columns.

    `shown` says what the reader may see; without a board there are no rows. `named`
    is the one of the task's `boards` that was chosen. Of the rows that there are
    (`in_all`) those are left that fit the `filters` by fact sheet.
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
    named: Named | None = None
    boards: tuple[Named, ...] = ()
    questions: tuple[Question, ...] = ()
    columns: tuple[Question, ...] = ()
    filters: tuple[Filter, ...] = ()
    in_all: int = 0
    some_test_sets: bool = False
    rows: tuple[Row, ...] = ()

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

    def field_of(
        self,
        evaluations: Sequence[Evaluation],
        test_sets: Sequence[TestSet] | None = None,
    ) -> Field:
        """Systems on the units that this board shows, by default all that it does."""
        chosen = self.chosen_test_sets if test_sets is None else tuple(test_sets)
        systems = tuple(evaluations)
        some = self.some_test_sets and len(chosen) > 1
        return Field(self.phase, chosen, systems, self.slice, self.split, some)

    @property
    def rule(self) -> str:
        """How ranks come about, printed above the table."""
        told = {
            "measure": self.measure.title,
            "which": self._which(),
            "share": f"{self.phase.task.level:.0%}",
        }
        if self.measure.higher_is_better:
            first = _("Ranked by %(measure)s, highest first, %(which)s.") % told
        else:
            first = _("Ranked by %(measure)s, lowest first, %(which)s.") % told
        equal = _(
            "Equal scores share a rank; baselines are not ranked; n/a comes last."
        )
        return f"{first}{self._over()} {equal} {self._doubt() % told}"

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
                "Scores are rounded, and their %(share)s intervals outward. Systems "
                "whose intervals overlap are not told apart: a range such as 2-4 holds "
                "the ranks that the intervals allow."
            )
        return _(
            "A range such as 2-4 holds the rank in %(share)s of the resamples. A line "
            "parts systems where each one above differs from each one below (paired "
            "bootstrap, Holm)."
        )


def board(phase: Phase, view: View, shown: Disclosure | None = None) -> Board:
    """The board of a phase under the gold revision it shows, as far as it is shown.

    By default as the public sees it now. Raises UnknownChoice for a measure, test
    set, slice or part it does not have, and for entries that are not shown.
    """
    shown = shown or policy.disclosure(AnonymousUser(), phase)
    if view.everything and not shown.everything:
        raise UnknownChoice("entries")
    evaluations = _standing(phase, shown)
    frame = _frame(phase, view, shown, evaluations)
    scores = publishing.published(frame.field_of(evaluations), frame.measures, shown)
    beside = _beside(frame, evaluations)
    found = [
        making.made(evaluation, of_row, beside)
        for evaluation, of_row in zip(evaluations, scores, strict=True)
    ]
    better = frame.measure.higher_is_better
    if not view.everything:
        found = ordering.one_per_team(found, _counts(shown), better)
    rows = ordering.ranked(found, better, lambda rows: _standings(frame, rows))
    return _filtered(frame, rows)


def _filtered(frame: Board, rows: tuple[Row, ...]) -> Board:
    """Filters choose what is shown; ranks stay those of the whole board."""
    found = rows
    if frame.filters:
        keeps = ordering.kept(rows, lambda row: keeps_all(frame.filters, row.facts))
        found = tuple(keeps)
    return replace(frame, rows=found, in_all=len(rows))


def _counts(shown: Disclosure) -> str:
    """What a team has published last is its best by the headline."""
    return shown.counts if shown.everything else Counts.LAST


def _standing(phase: Phase, shown: Disclosure) -> list[Evaluation]:
    """What may be on the board, in order of receipt."""
    if not shown.board:
        return []
    if shown.everything:
        found = newest(queries.scored(phase))
    else:
        found = _released(phase, shown)
    return [
        evaluation
        for evaluation in found
        if shown.as_of is None or evaluation.submission.received_at <= shown.as_of
    ]


def _released(phase: Phase, shown: Disclosure) -> list[Evaluation]:
    past = tuple(history(phase))
    split = Split.of(phase, shown.parts[0])
    field = Field(phase, tuple(phase.test_sets.all()), past, split=split)
    allowed = publishing.released(field, shown)
    counted = queries.counted(phase)
    return [e for e in past if e.pk in allowed and e.submission_id in counted]


def _frame(
    phase: Phase, view: View, shown: Disclosure, evaluations: list[Evaluation]
) -> Board:
    """The board with its choices made, still without rows."""
    of_phase = tuple(phase.test_sets.all())
    boards = named_boards(phase, of_phase)
    named = chosen_board(boards, view.board)
    measures = named.measures if named else tuple(headline_first(phase))
    test_sets = named.test_sets if named else of_phase
    questions = sheets.public(phase.task)
    part = choices.chosen_part(shown, view.part)
    slices: Mapping[str, Sequence[str]] = {}
    if shown.details:
        slices = choices.slices(phase, evaluations, Split.of(phase, part))
    return Board(
        phase=phase,
        shown=shown,
        measures=measures,
        measure=choices.chosen_measure(measures, view.measure),
        test_sets=test_sets,
        test_set=choices.chosen_test_set(test_sets, view.test_set),
        everything=view.everything,
        part=part,
        slice=choices.chosen_slice(slices, view.slice),
        slices=slices,
        named=named,
        boards=boards,
        questions=questions,
        columns=chosen_columns(questions, view.columns),
        filters=chosen_filters(questions, view.facts),
        some_test_sets=len(test_sets) < len(of_phase),
    )


def _beside(frame: Board, evaluations: Sequence[Evaluation]) -> Beside:
    phase, some = frame.phase, frame.some_test_sets
    found = Beside(frame.measure, frame.measures, phase.closes, frame.questions)
    if not evaluations:
        return found
    complete = making.complete(evaluations, frame.test_sets, some)
    if frame.test_set is not None:
        complete = {evaluation.pk for evaluation in evaluations}
    return replace(
        found,
        entries=queries.entries_per_team(phase, frame.shown.as_of),
        descriptions=queries.descriptions(phase) if frame.shown.everything else {},
        complete=complete,
    )


def _standings(frame: Board, rows: Sequence[Row]) -> list[Standing]:
    """How sure the ranks of these rows are."""
    if not frame.shown.exact:
        scores = [row.sorted_by for row in rows]
        return overlap_standings(scores, frame.measure.higher_is_better)
    evaluations = [row.evaluation for row in rows]
    return ranking.standings_of(frame.field_of(evaluations), frame.measure)
