"""Systems of one board against each other: the engine's comparisons, named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.extension.boards import (
    Board,
    Row,
    UnknownChoice,
    slices_in_summary,
)
from leaderboard.extension.caches import LruBySize
from leaderboard.extension.charts import MOST_SYSTEMS
from leaderboard.extension.scores import (
    ABSENT,
    Axis,
    Bar,
    Ends,
    Score,
    decimals_of,
    ends,
    with_sign,
)
from leaderboard.extension.statistics import BoardSample, chance
from scoring.counts import Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers, Sample
from scoring.statistics.comparison import Comparison, counts_of
from scoring.statistics.differences import first_against_others
from scoring.statistics.groups import by_group
from scoring.statistics.intervals import FEW_UNITS

ITSELF = "–"
MOST_OTHERS = 100  # systems to choose from beside those chosen, as on a page
# Drawing and swapping take longer than all else on the page.
_comparisons: LruBySize[list[Comparison]] = LruBySize(256)
_of_slices: LruBySize["SliceNumbers"] = LruBySize(2048)


@dataclass(frozen=True)
class Pair:
    """Two rows of a board in the measure it ranks by, as shown: shares times 100.

    `exact` is the engine's answer, adjusted over the pairs of the whole board; `level`
    is the task's, as for the board's lines.
    """

    first: Row
    second: Row
    exact: Comparison
    factor: int
    level: float

    def against(self, reference: Row) -> "Pair":
        """This pair with the reference as its first system."""
        if reference == self.first:
            return self
        return replace(
            self, first=self.second, second=self.first, exact=self.exact.reversed
        )

    @property
    def ends(self) -> Ends:
        """Difference and interval as numbers of the page."""
        exact = self.exact
        numbers = (exact.difference, exact.low, exact.high)
        value, low, high = (
            None if number is None else number * self.factor for number in numbers
        )
        return value, low, high

    @property
    def significant(self) -> bool:
        adjusted = self.exact.adjusted
        return adjusted is not None and adjusted < round(1 - self.level, 9)

    @property
    def one_run(self) -> str:
        """The system of a single run, where the other has several; empty elsewhere."""
        several = [row.runs > 1 for row in (self.first, self.second)]
        if all(several) or not any(several):
            return ""
        return (self.second if several[0] else self.first).system

    @property
    def difference(self) -> str:
        return self._with_sign(self.exact.difference)

    @property
    def interval(self) -> str:
        """The interval of the difference; empty where there is none."""
        return self._between(self.exact.low, self.exact.high)

    @property
    def new_test_set(self) -> str:
        """The interval of the difference on a new test set; empty without one."""
        return self._between(self.exact.new_low, self.exact.new_high)

    def _between(self, low: float | None, high: float | None) -> str:
        if low is None:
            return ""
        return ends(self._with_sign(low), self._with_sign(high))

    def _with_sign(self, number: float | None) -> str:
        if number is None:
            return ABSENT
        decimals, _of_ends = decimals_of(self.first.sorted_by.measure)
        return with_sign(number * self.factor, decimals)

    @property
    def in_words(self) -> str:
        """The verdict of the board, at 1 - level (5 %)."""
        if self.exact.adjusted is None or self.exact.difference is None:
            return _("not comparable")
        if not self.significant:
            return self._verdict_without_winner
        higher = self.exact.difference > 0
        better = higher == self.first.sorted_by.measure.higher_is_better
        winner = self.first.system if better else self.second.system
        if self.exact.few_units_decide:
            return _("%(system)s is better; a few units decide") % {"system": winner}
        return _("%(system)s is better") % {"system": winner}

    @property
    def _verdict_without_winner(self) -> str:
        """The verdict where none is better: with a margin, equivalent or not known."""
        if self.exact.margin is None:
            return _("not significantly different")
        values = {"margin": f"{self.exact.margin * self.factor:.4g}"}
        if self.exact.equivalent:
            return _("equivalent within %(margin)s points") % values
        return _("not known: %(margin)s points apart are possible") % values


@dataclass(frozen=True)
class ForestPlot:
    """Differences of one system, the reference, from each of the others on one axis."""

    reference: Row
    pairs: Sequence[Pair]
    axis: Axis | None

    @classmethod
    def of(cls, pairs: Sequence[Pair], reference: str) -> "ForestPlot | None":
        """The plot around the reference, by default the best of the compared systems.
        Raises UnknownChoice for a reference that is not compared."""
        if not pairs:
            return None
        first = pairs[0].first
        by_key = {row.submission: row for p in pairs for row in (p.first, p.second)}
        if reference and reference not in by_key:
            raise UnknownChoice
        row = by_key[reference] if reference else first
        turned = [
            pair.against(row) for pair in pairs if row in (pair.first, pair.second)
        ]
        ends = [pair.ends for pair in turned if pair.ends[0] is not None]
        axis = Axis.around([*ends, (0.0, 0.0, 0.0)]) if ends else None
        return cls(row, turned, axis)

    @property
    def lines(self) -> list[tuple[Pair, Bar | None]]:
        return [
            (pair, self.axis.bar(pair.ends) if self.axis else None)
            for pair in self.pairs
        ]

    @property
    def zero(self) -> str:
        return self.axis.at(0.0) if self.axis else ""

    @property
    def scale(self) -> tuple[str, ...]:
        """The ends of the axis, with signs."""
        if self.axis is None:
            return ()
        return tuple(
            f"{end:+g}".replace("-", "−") if end else "0"
            for end in (self.axis.low, self.axis.high)
        )


def too_many(submissions: Sequence[str]) -> str:
    """The reason why so many are not compared at once; empty where they are not too
    many."""
    if len(submissions) <= MOST_SYSTEMS:
        return ""
    values = {"most": MOST_SYSTEMS, "chosen": len(submissions)}
    return (
        _("At most %(most)s systems are compared at once; %(chosen)s were chosen.")
        % values
    )


def margin_of(board: Board) -> float | None:
    """The task's margin of equivalence, in units of the measure; of the headline."""
    task = board.phase.task
    if task.margin is None or board.measure.name != task.headline:
        return None
    return float(task.margin) / (100 if board.measure.percent else 1)


def pairs(board: Board, submissions: Sequence[str]) -> list[Pair]:
    """Every pair of the named rows, in the order of the board.

    Raises UnknownChoice for a submission that the board does not show, or for more
    than MOST_SYSTEMS, for systems counted on different units, and where comparisons
    are not shown.
    """
    if not board.disclosure.details:
        raise UnknownChoice
    if len(submissions) > MOST_SYSTEMS:
        raise UnknownChoice(too_many(submissions))
    chosen = board.rows_of(submissions)
    rows = {row.submission: row for row in chosen}
    if set(submissions) - rows.keys():
        sentence = _("This board shows no system of that submission or name.")
        raise UnknownChoice(sentence)
    if len(chosen) < 2:
        return []
    sample = board.sample_of([row.evaluation for row in chosen])
    if not sample.comparable:
        sentence = _("These systems were scored on different units.")
        raise UnknownChoice(sentence)
    factor = 100 if board.measure.percent else 1
    margin = margin_of(board)
    return [
        Pair(
            rows[comparison.first],
            rows[comparison.second],
            board.tests.corrected(
                (comparison if board.disclosure.units else comparison.without_units).at(
                    margin
                )
            ),
            factor,
            board.level,
        )
        for comparison in sample.answer_once(
            _comparisons,
            [board.measure],
            lambda: sample.comparisons(board.measure),
        )
    ]


@dataclass(frozen=True)
class SystemChoice:
    """Systems of a board to choose from: `rows` of those chosen, then the first others
    whose team or system has `find` in its name, and how many more there are."""

    rows: Sequence[Row]
    more: int
    find: str

    @classmethod
    def of(cls, board: Board, chosen: Sequence[str], find: str) -> "SystemChoice":
        find = find.strip()
        ticked = board.rows_of(chosen)
        if find:
            fitting = board.rows.named(find, board.disclosure)
        else:  # the first of perhaps very many
            fitting = board.rows[: MOST_OTHERS + len(ticked)]
        others = [row for row in fitting if row.submission not in chosen]
        in_all = len(others) if find else len(board.rows) - len(ticked)
        first = others[:MOST_OTHERS]
        return cls([*ticked, *first], in_all - len(first), find)

    @property
    def long(self) -> bool:
        """Whether one needs to look for names."""
        return bool(self.more or self.find)


class SystemDifference(NamedTuple):
    """The reference minus another system; `clear` where the two differ significantly,
    tested by itself. `ends` are numbers of the page."""

    text: str
    interval: str
    clear: bool
    ends: Ends = (None, None, None)


class SliceNumbers(NamedTuple):
    """Values of systems on a slice; ends of the difference and p-value of the first
    and each other."""

    values: Floats
    units: int
    lows: Floats
    highs: Floats
    p_values: Floats

    @classmethod
    def of(
        cls, sample: BoardSample, measure: Measure, resamples: Sample
    ) -> "SliceNumbers":
        """`resamples` are of what is compared: units, or groups of them."""
        counts = [counts_of(row) for row in sample.strata]
        units, group = resamples.units, sample.compared_by(measure)
        if group:
            units = sum(len(part.units) for part in counts[0] if part)
            counts = by_group(counts, measure, group)
        columns = first_against_others(counts, measure, resamples, sample.confidence)
        return cls(resamples.values, units, *columns)


class SliceLine(NamedTuple):
    """One slice, or one measure, with as many units; `first` is the score of the
    reference there."""

    group: str
    label: str
    units: int
    first: Score
    differences: Sequence[SystemDifference]
    axis: Axis | None = None

    @property
    def cells(self) -> list[tuple[SystemDifference, Bar | None]]:
        """Each difference with its bar."""
        return [
            (difference, self.axis.bar(difference.ends) if self.axis else None)
            for difference in self.differences
        ]

    @property
    def zero(self) -> str:
        return self.axis.at(0.0) if self.axis else ""

    @property
    def few(self) -> bool:
        return self.units < FEW_UNITS


@dataclass(frozen=True)
class SideBySide:
    """Systems chosen on a board, beside each other; `chosen` are submissions."""

    board: Board
    chosen: Sequence[str]
    pairs: Sequence[Pair]
    reference: str = ""

    @cached_property
    def reference_first(self) -> list[Row]:
        """The reference first, then the others in the order of the board."""
        return sorted(self.rows, key=lambda row: row.submission != self.reference)

    @cached_property
    def rows(self) -> list[Row]:
        """Rows of the compared systems, in the order of the board."""
        return self.board.rows_of(self.chosen)

    @property
    def measures(self) -> list[tuple[Measure, list[Score]]]:
        return [
            (measure, [row.scores[i] for row in self.rows])
            for i, measure in enumerate(self.board.measures)
        ]

    @property
    def facts(self) -> list[tuple[str, list[str]]]:
        """Public answers to questions of the fact sheet that one of the systems
        answered."""
        lines = [
            (
                question.heading,
                [str(row.facts.get(question.name, "")) for row in self.rows],
            )
            for question in self.board.questions
        ]
        return [(title, answers) for title, answers in lines if any(answers)]

    @property
    def matrix(self) -> list[tuple[Row, list[str]]]:
        """Lines that say how often their system is better than those of the columns."""
        shares: dict[tuple[str, str], float | None] = {}
        for pair in self.pairs:
            share = pair.exact.probability
            first, second = pair.first.submission, pair.second.submission
            shares[first, second] = share
            shares[second, first] = None if share is None else 1 - share
        names = [row.submission for row in self.rows]
        return [
            (
                row,
                [
                    ITSELF
                    if name == row.submission
                    else chance(shares.get((row.submission, name)))
                    for name in names
                ],
            )
            for row in self.rows
        ]


def slice_lines(side: SideBySide) -> list[SliceLine]:
    """Each slice of the board with differences, intervals and tests of its own.

    They are at the board's level, each by itself: with many slices some are clear by
    chance.
    """
    if side.board.slice is not None or len(side.rows) < 2:
        return []
    measure = side.board.measure
    lines = [
        line._replace(group=part.group, label=part.label)
        for part in slices_in_summary(side.board)
        for line in _lines(
            replace(side.board, slice=part), side.reference_first, [measure]
        )
    ]
    return _on_one_axis([line for line in lines if line.first.value is not None])


def measure_lines(side: SideBySide) -> list[SliceLine]:
    """Each measure of the board but the one that ranks, which has its own drawing, and
    those that none has a value in; an axis for each, as they differ in what they
    count."""
    if len(side.rows) < 2:
        return []
    others = [
        measure
        for measure, scores in side.measures
        if measure != side.board.measure and any(s.value is not None for s in scores)
    ]
    lines = _lines(side.board, side.reference_first, others)
    return [alone for line in lines for alone in _on_one_axis([line])]


def _on_one_axis(lines: Sequence[SliceLine]) -> list[SliceLine]:
    """Lines of few units vary most and would squeeze the others: their bars end at the
    axis."""
    many = [line for line in lines if not line.few]
    ends = [
        difference.ends for line in many or lines for difference in line.differences
    ]
    intervals = [pair for pair in ends if pair[0] is not None]
    axis = Axis.around([*intervals, (0.0, 0.0, 0.0)]) if intervals else None
    return [line._replace(axis=axis) for line in lines]


def _lines(
    board: Board, rows: Sequence[Row], measures: Sequence[Measure]
) -> list[SliceLine]:
    """The first of the rows against the others in each measure; units are drawn once
    for all measures."""
    sample = board.sample_of([row.evaluation for row in rows])
    groups = {measure: sample.compared_by(measure) for measure in measures}

    @cache
    def resamples_of_group(group: str) -> Mapping[str, Sample]:
        alike = [measure for measure in measures if groups[measure] == group]
        named = zip(alike, sample.resamples(alike, group), strict=True)
        return {measure.name: resamples for measure, resamples in named}

    def numbers(measure: Measure) -> SliceNumbers:
        return sample.answer_once(
            _of_slices,
            [measure],
            lambda: SliceNumbers.of(
                sample, measure, resamples_of_group(groups[measure])[measure.name]
            ),
        )

    return [
        _line(board, len(rows) - 1, measure, numbers(measure)) for measure in measures
    ]


def _line(
    board: Board, others: int, measure: Measure, numbers: SliceNumbers
) -> SliceLine:
    value = float(numbers.values[0])
    first = Score(measure, Numbers(None if value != value else value))
    differences = []
    for i in range(others):
        size = numbers.values[0] - numbers.values[i + 1]
        p_value = numbers.p_values[i]
        # Of one unit all resamples are alike, and of a missing answer nothing is known.
        has_p_value = numbers.units > 1 and p_value == p_value
        low, high = numbers.lows[i], numbers.highs[i]
        # A test set with fewer than two units in the slice leaves no interval.
        ends = (low, high) if has_p_value and low == low else None
        clear = has_p_value and p_value < round(1 - board.level, 9)
        differences.append(_difference(size, ends, clear, measure))
    return SliceLine("", measure.title, numbers.units, first, differences)


def _difference(
    size: float, between: tuple[float, float] | None, clear: bool, measure: Measure
) -> SystemDifference:
    if size != size:
        return SystemDifference(_("n/a"), "", False)
    factor, (decimals, _of_ends) = 100 if measure.percent else 1, decimals_of(measure)
    text = with_sign(size * factor, decimals)
    bounds = [end * factor for end in between or ()]
    interval = ends(*(with_sign(end, decimals) for end in bounds)) if bounds else ""
    low, high = bounds or (None, None)
    bar = (float(size * factor), low, high)
    return SystemDifference(text, interval, clear, bar)
