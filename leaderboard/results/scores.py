"""Scores as a disclosure lets them be seen: of which units, how round, and of whom."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import compress, starmap
from math import sqrt
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils.translation import gettext_lazy as _

from leaderboard.results.board_sample import (
    BoardSample,
    measured,
    spread_of,
    subject_of,
)
from leaderboard.results.printed_numbers import NumberTable
from leaderboard.results.stored_counts import Scored, sent_test_sets
from leaderboard.results.stored_statistics import Content, stored
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import GoldFile, Phase, TestSet
from leaderboard.tasks.policy import Disclosure, Part, Publication
from leaderboard.web.templatetags.formatting import ends, figures
from scoring.counts import Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers
from scoring.statistics.intervals import FEW_UNITS

# Decimals of a value and of the ends of its interval where nothing is rounded
PERCENT, PLAIN = (2, 1), (3, 3)
# Sizes of grids, times a power of ten
ROUND = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
# What is less than this share of a step apart is the same place on the grid.
SLACK = 1e-9

Ends = tuple[float | None, float | None, float | None]  # value, low, high

ABSENT = "n/a"
FEW = "†"  # behind an interval that few units bear on; told at the foot
FEW_DECIDE = "‡"  # behind a rank range that a few units decide; told there, too
NOTES = {
    FEW: _("† Fewer than 10 units bear on this score: its interval means little."),
    f"[{ABSENT}]": _(
        "[n/a]: no interval, since in some test set fewer than two units bear on this "
        "score, or nothing was sent for it."
    ),
    FEW_DECIDE: _(
        "‡ A few units decide: a significant difference of this system from another is "
        "carried by fewer than 20 units, or would be undone by three failed ones."
    ),
}
NO_UNITS = _(
    "This task's program gives no values per unit, so there are no intervals, and no "
    "two systems can be tested."
)
# Two scores that differ by less are the same score, reached on two ways.
TIE = 1e-12
POINT = 0.01  # a score point is a hundredth of a share
FINEST = 0.1 * POINT  # a grid that nobody chose is not finer
STEPS = 1.0  # of the ladder, in standard errors, where nobody chose
# Scores are read from stored numbers, see `board_sample.measured`.
HEAVY = ("results", "problems")


def printed(number: float | None, decimals: int | None) -> str:
    """With so many decimals; None: with those that a number rounded before has left."""
    if number is None:
        return ABSENT
    # Adding 0.0 turns minus zero into zero.
    if decimals is None:
        return figures(f"{round(number, 6) + 0.0:g}")
    return figures(f"{round(number, decimals) + 0.0:.{decimals}f}")


def signed(number: float, decimals: int) -> str:
    """A difference: "+0.42", "−1.30", "0.00" for what rounds to nothing."""
    rounded = round(number, decimals)
    sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else ""
    return f"{sign}{figures(f'{abs(rounded):.{decimals}f}')}"


def chance(number: float | None) -> str:
    """Three decimals, and never a plain 0 or 1 for what is only nearly so."""
    if number is None:
        return ABSENT
    if 0 < number < 0.001:
        return figures("< 0.001")
    return figures("> 0.999" if 0.999 < number < 1 else f"{number:.3f}")


def runs_in_words(runs: int, between: str, others_several: bool = False) -> str:
    """As "mean of 5 runs (sd 0.42)"; of one run empty, or "one run" where others have
    several."""
    if runs < 2:
        return str(_("one run")) if others_several else ""
    if not between:
        return str(_("mean of %(n)s runs") % {"n": runs})
    return str(_("mean of %(n)s runs (sd %(sd)s)") % {"n": runs, "sd": between})


def footnotes(intervals: Iterable[str]) -> list[str]:
    """The meaning of the marks in these intervals and ranges, each once."""
    printed = "".join(intervals)
    return [str(note) for mark, note in NOTES.items() if mark in printed]


def bracketed(
    value: float | None,
    low: float | None,
    high: float | None,
    decimals: int | None,
    few: bool | None = False,
) -> str:
    """As "[81.2, 84.0]", "[n/a]" beside a score without one, else empty."""
    if value is None:
        return ""
    if low is None or high is None:
        return f"[{ABSENT}]"
    mark = FEW if few else ""
    return f"{ends(printed(low, decimals), printed(high, decimals))}{mark}"


@dataclass(frozen=True)
class Grid:
    """Multiples of `size`, in the units of the measure (shares, not points)."""

    size: float

    @classmethod
    def at_least(cls, size: float) -> "Grid":
        """The next larger round size, at most a third more: multiples print short."""
        ten = 10.0 ** math.floor(math.log10(size))
        head = next(head for head in ROUND if head * ten >= size * (1 - SLACK))
        return cls(float(f"{head * ten:.2g}"))

    @property
    def decimals(self) -> int:
        """Decimals that its multiples need."""
        exponent = Decimal(repr(self.size)).normalize().as_tuple().exponent
        return max(0, -int(exponent))

    def nearest(self, number: float) -> float:
        return self._times(round(round(number / self.size, 9)))

    def below(self, number: float) -> float:
        return self._times(math.floor(number / self.size + SLACK))

    def above(self, number: float) -> float:
        return self._times(math.ceil(number / self.size - SLACK))

    def _times(self, steps: int) -> float:
        return round(steps * self.size, self.decimals) + 0.0

    def rounded(self, numbers: Numbers, percent: bool) -> Numbers:
        """The value to the nearest place, the interval outward.

        A share is not rounded beyond 1; an error rate may have been there before.
        """
        exact, low, high = numbers[:3]
        if exact is None:
            return numbers._replace(low=None, high=None)
        value = self.nearest(exact)
        if percent and exact <= 1:
            value = min(value, self.below(1.0))
        if low is None or high is None:
            return numbers._replace(value=value, low=None, high=None)
        most = 1.0 if percent and high <= 1 else math.inf
        low = min(self.below(low), value)
        high = min(max(self.above(high), value), most)
        return numbers._replace(value=value, low=low, high=high)


class Score(NamedTuple):
    """One measure of one system as its reader may see it.

    `value, low, high` are as shown, shares times 100; None is n/a. `grid` is what the
    numbers were rounded to, if they were.
    """

    measure: Measure
    numbers: Numbers
    grid: Grid | None = None

    @classmethod
    def of(
        cls, measure: Measure, numbers: Numbers, grid: Grid | None = None
    ) -> "Score":
        if grid is not None:
            numbers = grid.rounded(numbers, measure.percent)
        return cls(measure, numbers, grid)

    @property
    def exact(self) -> dict[str, Any]:
        """The engine's numbers as far as they may be told.

        Of rounded numbers that is whether few units bear on the measure, but not how
        many, which would say what the gold is like.
        """
        value, low, high, _stddev, units, between = self.numbers
        numbers = {
            "value": value,
            "low": low,
            "high": high,
            "informative_units": None if units is None or self.grid else int(units),
            "few_units": self.few,
        }
        if between is not None and self.grid is None:
            numbers["between_runs"] = between
        return numbers

    @property
    def value(self) -> float | None:
        return self._shown(self.numbers.value)

    @property
    def low(self) -> float | None:
        return self._shown(self.numbers.low)

    @property
    def high(self) -> float | None:
        return self._shown(self.numbers.high)

    @property
    def ends(self) -> Ends:
        """Value, low and high as they are shown."""
        return shown_ends(self.measure, *self.numbers[:3])

    def _shown(self, number: float | None) -> float | None:
        return number if number is None or not self.measure.percent else number * 100

    @property
    def few(self) -> bool | None:
        """Whether so few units bear on it that the interval means little."""
        units = self.numbers.informative_units
        return None if units is None else units < FEW_UNITS

    @property
    def between_runs(self) -> str:
        """The standard deviation between runs; empty of one run and where rounded."""
        deviation = self._shown(self.numbers.between_runs)
        if deviation is None or self.grid is not None:
            return ""
        return printed(deviation, self.decimals[0])

    @property
    def printed(self) -> str:
        """The value as people read it: always the same decimals, "n/a" without one."""
        return printed(self.value, self.decimals[0])

    @property
    def interval(self) -> str:
        """As "[81.2, 84.0]", "[n/a]" beside a score without one."""
        return bracketed(*self.ends, self.decimals[1], self.few)

    @property
    def decimals(self) -> tuple[int, int]:
        """Decimals of the value and of the ends of its interval, as shown."""
        if self.grid is None:
            usual = PERCENT if self.measure.percent else PLAIN
            most = self.measure.decimals
            return usual if most is None else (most, most)
        digits = max(0, self.grid.decimals - (2 if self.measure.percent else 0))
        return digits, digits


def shown_ends(
    measure: Measure, value: float | None, low: float | None, high: float | None
) -> Ends:
    """The numbers as they are shown: shares times 100."""
    if not measure.percent:
        return value, low, high
    return (
        None if value is None else value * 100,
        None if low is None else low * 100,
        None if high is None else high * 100,
    )


@dataclass(frozen=True)
class Candidate:
    """A score as it came. `step` is the least gain that counts as one, 0 for any.

    `resampled` (resamples,) is over draws shared by all; None where the standard
    error of the gain is not asked for.
    """

    value: float | None
    step: float = 0.0
    resampled: Floats | None = None


class Ladder:
    """The best of one team so far; candidates come in order of receipt."""

    def __init__(self, higher_is_better: bool) -> None:
        self.sign = 1.0 if higher_is_better else -1.0
        self.best: Candidate | None = None

    def offer(self, candidate: Candidate) -> bool:
        """Whether the candidate is published, and from now on the one to beat.

        The first always is, n/a or not; a number beats n/a.
        """
        published = self.best is None or self._beats(candidate, self.best)
        if published:
            self.best = candidate
        return published

    def _beats(self, new: Candidate, old: Candidate) -> bool:
        if new.value is None or old.value is None:
            return old.value is None and new.value is not None
        gain = self.sign * (new.value - old.value)
        step = max(new.step, old.step, _paired_error(new, old))
        return gain > step + TIE


def _paired_error(new: Candidate, old: Candidate) -> float:
    """Standard error of the difference over the shared resamples."""
    if new.resampled is None or old.resampled is None:
        return 0.0
    error = float(spread_of(new.resampled - old.resampled))
    return 0.0 if math.isnan(error) else error


def climbed(
    candidates: Sequence[Candidate], teams: Iterable[object], higher_is_better: bool
) -> list[bool]:
    """For each candidate, in order of receipt, whether its team's ladder took it."""
    ladders: dict[object, Ladder] = {}
    return [
        ladders.setdefault(team, Ladder(higher_is_better)).offer(candidate)
        for candidate, team in zip(candidates, teams, strict=True)
    ]


One = TypeVar("One", bound=Scored)
Rounding = Callable[[Numbers], Grid]


def history(phase: Phase, teams: Collection[int] = ()) -> list[Evaluation]:
    """Everything scored of a phase, in order of receipt, withdrawn or not.

    What a team has seen stays seen: a score that it withdrew is still one to beat.
    `teams` (of `team_of`) are those asked for, by default all. One query.
    """
    scored = _scored(phase)
    if teams:
        own = Q(submission__participation__in=teams)
        merged = Q(submission__participation__merged_into__in=teams)
        scored = scored.filter(own | merged)
    related = scored.select_related("submission__participation__team").defer(*HEAVY)
    return newest(related)


class PastEntry(NamedTuple):
    """An evaluation of `history` as plain values: objects of thousands take seconds."""

    pk: int
    submission_id: UUID
    gold_revision_id: int
    engine: str
    baseline: bool
    received_at: datetime
    participation_id: int
    merged_into_id: int | None

    @property
    def team(self) -> int:
        """As that of `team_of`."""
        return self.merged_into_id or self.participation_id

    @property
    def climber(self) -> object:
        """The key under which it competes, as that of `climber`."""
        return str(self.submission_id) if self.baseline else self.team


def plain_history(phase: Phase) -> list[PastEntry]:
    """`history` of all teams as plain values. One query."""
    columns = (
        "pk",
        "submission_id",
        *PastEntry._fields[2:4],
        "submission__baseline",
        "submission__received_at",
        "submission__participation_id",
        "submission__participation__merged_into_id",
    )
    return newest(starmap(PastEntry, _scored(phase).values_list(*columns)))


def _scored(phase: Phase) -> QuerySet[Evaluation]:
    """Evaluations of a phase under the gold that it shows, in order of receipt."""
    return Evaluation.objects.filter(
        submission__phase=phase,
        submission__late=False,
        gold_revision=phase.gold_revision_id,
        state=EvaluationState.SCORED,
    ).order_by("submission__received_at", "pk")


def newest(evaluations: Iterable[One]) -> list[One]:
    """One evaluation per submission, the last made, in the order given."""
    last: dict[int, One] = {}
    for evaluation in evaluations:
        known = last.setdefault(evaluation.submission_id.int, evaluation)
        if evaluation.pk > known.pk:
            last[evaluation.submission_id.int] = evaluation
    return list(last.values())


def entered(
    evaluations: Sequence[One], phase: Phase, test_sets: Sequence[TestSet]
) -> Sequence[One]:
    """The submissions that take part in the ranking on these test sets.

    Where test sets are entered one by one these have a file for each, else all do.
    """
    if not phase.separate_test_sets:
        return evaluations
    return sent_for(evaluations, test_sets)


def sent_for(evaluations: Sequence[One], test_sets: Sequence[TestSet]) -> list[One]:
    """The submissions with a file for each of the test sets. At most one query."""
    wanted = {test_set.pk for test_set in test_sets}
    sent = sent_test_sets(evaluations)
    return [e for e in evaluations if wanted <= sent[e.pk]]


def team_of(entry: Any) -> int:
    """Merged teams are one."""
    return int(entry.merged_into_id or entry.pk)


class ScoreTable(Sequence["Scores"]):
    """Scores of each system as they may be seen, made when they are asked for.

    A page prints a hundred of a thousand rows, and sorts all of them by one measure.
    """

    def __init__(
        self,
        measures: Sequence[Measure],
        numbers: NumberTable,
        rounding: Rounding | None,
    ) -> None:
        self.measures = {measure.name: measure for measure in measures}
        self.numbers, self.rounding = numbers, rounding

    def __getitem__(self, system: Any) -> Any:
        if not 0 <= system < len(self):
            raise IndexError(system)
        return Scores(self, system)

    def __len__(self) -> int:
        return len(self.numbers)

    def values(self, name: str) -> list[float | None]:
        """The values of one measure, as they are shown."""
        if self.rounding:
            return [scores[name].value for scores in self]
        return self.numbers.values(name, 100 if self.measures[name].percent else 1)


class Scores(Mapping[str, Score]):
    """Scores of one system of a table by measure, each made when it is asked for."""

    __slots__ = ("system", "table")

    def __init__(self, table: ScoreTable, system: int) -> None:
        self.table, self.system = table, system

    def __getitem__(self, name: str) -> Score:
        numbers = self.table.numbers.numbers(self.system, name)
        grid = self.table.rounding(numbers) if self.table.rounding else None
        return Score.of(self.table.measures[name], numbers, grid)

    def value(self, name: str) -> float | None:
        """The value alone, as it is shown."""
        return self.ends(name)[0]

    def ends(self, name: str) -> Ends:
        """Value, low and high alone, as they are shown."""
        if self.table.rounding:
            return self[name].ends
        value, low, high = self.table.numbers.ends(self.system, name)
        return shown_ends(self.table.measures[name], value, low, high)

    def __iter__(self) -> Iterator[str]:
        return iter(self.table.measures)

    def __len__(self) -> int:
        return len(self.table.measures)


def published(
    sample: BoardSample, measures: Sequence[Measure], disclosure: Disclosure
) -> ScoreTable:
    """The scores of each system of the sample, rounded as the disclosure says."""
    numbers = measured(sample, measures)
    return ScoreTable(measures, numbers, rounding_of(sample, disclosure))


def rounding_of(sample: BoardSample, disclosure: Disclosure) -> Rounding | None:
    """The grid of a score by its numbers; None for exact scores. The same for all
    systems on the units of the sample."""
    if disclosure.publication == Publication.GRID:
        grid = grid_of(sample, disclosure.step)
        return lambda numbers: grid
    if disclosure.publication == Publication.LADDER:
        largest = largest_error(sample)
        steps = STEPS if disclosure.step is None else disclosure.step
        return lambda numbers: eta(numbers.stddev, steps, largest)
    return None


def eta(error: float | None, steps: float, largest: float) -> Grid:
    """The step of the ladder for a score with that standard error.

    It is never below `largest`, the largest standard error of a share: that of a score
    near 0 or 1 is small, and a handful of right answers would clear the bar.
    """
    least = max(steps, 1.0) * largest
    return Grid.at_least(max(steps * (error or 0.0), least, 0.01 * POINT))


def grid_of(sample: BoardSample, step: float | None) -> Grid:
    """The grid of a phase: its step, else half the largest standard error of a share.

    That is half of 0.5 / sqrt(units), at least 0.1 points; over several test sets the
    error of their mean. It depends on the number of units alone, so that everybody
    can tell it beforehand and no submission moves it. One query without a step.
    """
    if step is not None:
        return Grid(round(step * POINT, 9))
    return Grid.at_least(max(FINEST, largest_error(sample) / 2))


def largest_error(sample: BoardSample) -> float:
    """Standard error of a mean over test sets of shares that are all one half."""
    files = GoldFile.objects.filter(
        revision=sample.gold_revision_id, test_set__in=sample.test_sets
    )
    split = sample.split
    found = list(files.values_list("units", "test_set__weight"))
    sizes = [split.size(n) if split else n for n, _weight in found]
    return share_error(sizes, [weight for _units, weight in found])


def share_error(units: Sequence[int], weights: Sequence[float] = ()) -> float:
    """The same from units and weight of each test set: 0.5 / sqrt(n) of one."""
    weights = weights or [1.0] * len(units)
    each = zip(units, weights, strict=True)
    variance = sum(0.25 * weight**2 / max(n, 1) for n, weight in each)
    return sqrt(variance) / (sum(weights) or 1)


@dataclass(frozen=True)
class Resolution:
    """The cost of a publication for honest teams: smaller differences are hidden.

    `measured` says that `points` come from the systems scored so far, else they are
    the most that there can be for a share.
    """

    points: float
    measured: bool


def resolution(phase: Phase, publication: str | None = None) -> Resolution:
    """The resolution of the headline in score points; 0 for exact publication.

    Of the ladder the median step of what is scored, or the largest there can be.
    """
    kind = publication or phase.publication
    if kind == Publication.EXACT:
        return Resolution(0.0, False)
    rankings = [
        BoardSample.of(phase, (), Part.PUBLIC, None, t) for t in phase.rankings()
    ]
    # Of several the one that hides most.
    sample = max(rankings, key=largest_error) if len(rankings) > 1 else rankings[0]
    if kind == Publication.GRID:
        return Resolution(grid_of(sample, phase.step).size / POINT, False)
    headline = phase.task.headline_measure
    past = tuple(entered(history(phase), phase, sample.test_sets))
    rows = measured(replace(sample, evaluations=past), [headline])
    errors = sorted(filter(None, (one.stddev for one in rows.of(headline.name))))
    largest = largest_error(sample)
    error = errors[len(errors) // 2] if errors else largest
    steps = STEPS if phase.step is None else phase.step
    return Resolution(eta(error, steps, largest).size / POINT, bool(errors))


def released(
    sample: BoardSample, disclosure: Disclosure, climbers: Sequence[object] = ()
) -> frozenset[int]:
    """Evaluations whose scores were published when they came; `everything` is all.

    The sample holds the history of whole teams in order of receipt, over the test
    sets of one ranking. Baselines are always published. `climbers` say who sent each,
    where the evaluations are not those of `history`.
    """
    pks = tuple(evaluation.pk for evaluation in sample.evaluations)
    if disclosure.everything or not pks:
        return frozenset(pks)
    teams = tuple(climbers) or tuple(map(_climber, sample.evaluations))
    measure = sample.phase.task.headline_measure

    def compute() -> tuple[Content, Content]:
        candidates = _candidates(sample, disclosure, measure)
        accepted = climbed(candidates, teams, measure.higher_is_better)
        return {"accepted": accepted}, {}

    besides = (
        teams,
        disclosure.publication,
        disclosure.step,
        sample.gold_revision_id,
    )
    subject = subject_of(sample, "released", [measure], besides)
    return frozenset(compress(pks, stored(subject, compute)["accepted"]))


def _climber(evaluation: Any) -> object:
    submission = evaluation.submission
    return climber(submission.pk, submission.baseline, submission.participation)


def climber(submission: UUID, baseline: bool, entry: Any) -> object:
    """The key under which a submission competes; a baseline competes with nobody."""
    return str(submission) if baseline else team_of(entry)


def _candidates(
    sample: BoardSample, disclosure: Disclosure, measure: Measure
) -> list[Candidate]:
    """Headline scores as the ladder takes them; rounded ones must differ as rounded."""
    rounding = rounding_of(sample, disclosure)
    rows = measured(sample, [measure]).of(measure.name)
    if rounding is None:
        return [Candidate(numbers.value) for numbers in rows]
    grids = [rounding(numbers) for numbers in rows]
    if disclosure.publication != Publication.LADDER:
        pairs = zip(rows, grids, strict=True)
        return [Candidate(grid.rounded(n, measure.percent).value) for n, grid in pairs]
    (resamples,) = sample.resamples([measure])
    steps = (grid.size for grid in grids)
    values = (numbers.value for numbers in rows)
    return list(map(Candidate, values, steps, resamples.resampled))
