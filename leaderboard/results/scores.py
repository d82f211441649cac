"""Scores as a disclosure lets them be seen: of which units, and of whom."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import compress, starmap
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

import numpy as np
from django.db.models import Q, QuerySet
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from leaderboard.results.board_sample import (
    BoardSample,
    measured_numbers,
)
from leaderboard.results.printed_numbers import SIZE
from leaderboard.results.stored_counts import Scored, sent_test_sets
from leaderboard.results.stored_statistics import Content, stored_or_computed
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import Phase, Task, TestSet
from leaderboard.tasks.policy import Disclosure
from leaderboard.web.templatetags.formats import decimal_figures, ends, figures
from scoring.counts import Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import Numbers
from scoring.statistics.intervals import few

# Decimals of a value and of the ends of its interval
PERCENT, PLAIN = (2, 1), (3, 3)

Ends = tuple[float | None, float | None, float | None]  # value, low, high

ABSENT = "n/a"
FEW = "†"  # behind an interval that few units bear on; told at the foot
FEW_DECIDE = "‡"  # behind a rank range that a few units decide; told there, too
NOTES = {
    FEW: _(
        "† Fewer than 10 units bear on this score, or so few make up most of it: its "
        "interval means little."
    ),
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
# Scores are read from stored numbers, see `board_sample.measured_numbers`.
HEAVY = ("results", "problems")


def printed(number: float | None, decimals: int | None) -> str:
    """A number with so many decimals; None: those that are left of a rounded one."""
    if number is None:
        return ABSENT
    # Adding 0.0 turns minus zero into zero.
    if decimals is None:
        return figures(f"{round(number, 6) + 0.0:g}")
    return decimal_figures(round(number, decimals) + 0.0, decimals)


def decimals_of(measure: Measure) -> tuple[int, int]:
    """Decimals of a value of the measure and of the ends of its interval."""
    return printed_decimals(measure.percent, measure.decimals)


def printed_decimals(percent: bool, most: int | None) -> tuple[int, int]:
    """Decimals of a value and of the ends of its interval, by those of its measure."""
    usual = PERCENT if percent else PLAIN
    return usual if most is None else (most, most)


def with_sign(number: float, decimals: int) -> str:
    """A difference: "+0.42", "−1.30", "0.00" for what rounds to nothing."""
    rounded = round(number, decimals)
    sign = "+" if rounded > 0 else "\u2212" if rounded < 0 else ""
    return f"{sign}{decimal_figures(abs(rounded), decimals)}"


def chance(number: float | None) -> str:
    """Three decimals, and never a plain 0 or 1 for what is only nearly so."""
    if number is None:
        return ABSENT
    if 0 < number < 0.001:
        return figures("< 0.001")
    return figures("> 0.999" if 0.999 < number < 1 else f"{number:.3f}")


def runs_in_words(runs: int, between: str, others_several: bool = False) -> str:
    """Words as "mean of 5 runs (sd 0.42)"; of one run empty, or "one run" where others
    have several."""
    if runs < 2:
        return str(_("one run")) if others_several else ""
    if not between:
        return str(_("mean of %(n)s runs") % {"n": runs})
    return str(_("mean of %(n)s runs (sd %(sd)s)") % {"n": runs, "sd": between})


def footnotes(intervals: Iterable[str]) -> list[str]:
    """The meaning of the marks in these intervals and ranges, each once."""
    printed = "".join(intervals)
    return [str(note) for mark, note in NOTES.items() if mark in printed]


def bracket(
    value: float | None,
    low: float | None,
    high: float | None,
    decimals: int | None,
    few: bool | None = False,
) -> str:
    """An interval as "[81.2, 84.0]", "[n/a]" beside a score without one, else empty."""
    if value is None:
        return ""
    if low is None or high is None:
        return f"[{ABSENT}]"
    mark = FEW if few else ""
    return f"{ends(printed(low, decimals), printed(high, decimals))}{mark}"


class Score(NamedTuple):
    """One measure of one system as its reader may see it.

    `value, low, high` are as shown, shares times 100; None is n/a.
    """

    measure: Measure
    numbers: Numbers

    @classmethod
    def of_task(
        cls, task: Task, numbers: Mapping[str, Mapping[str, object]]
    ) -> "list[Score]":
        """Scores in the measures of a task, from the engine's numbers by name."""
        return [
            cls(measure, Numbers.of(numbers[measure.name]))
            for measure in task.measures
            if measure.name in numbers
        ]

    @property
    def exact(self) -> dict[str, Any]:
        """The engine's numbers."""
        value, low, high, _stddev, units, between, _effective = self.numbers
        numbers = {
            "value": value,
            "low": low,
            "high": high,
            "informative_units": None if units is None else int(units),
            "few_units": self.few,
        }
        if between is not None:
            numbers["between_runs"] = between
        return numbers

    @property
    def value(self) -> float | None:
        return self._in_units_of_board(self.numbers.value)

    @property
    def low(self) -> float | None:
        return self._in_units_of_board(self.numbers.low)

    @property
    def high(self) -> float | None:
        return self._in_units_of_board(self.numbers.high)

    @property
    def ends(self) -> Ends:
        """Value, low and high as they are shown."""
        return shown_ends(self.measure.percent, *self.numbers[:3])

    def _in_units_of_board(self, number: float | None) -> float | None:
        return number if number is None or not self.measure.percent else number * 100

    @property
    def few(self) -> bool | None:
        """Whether so few units bear on it that the interval means little."""
        return few_units(self.numbers)

    @property
    def between_runs(self) -> str:
        """The standard deviation between runs; empty of one run."""
        deviation = self._in_units_of_board(self.numbers.between_runs)
        return "" if deviation is None else printed(deviation, self.decimals[0])

    @property
    def printed(self) -> str:
        """The value as people read it: always the same decimals, "n/a" without one."""
        return printed(self.value, self.decimals[0])

    @property
    def interval(self) -> str:
        """The interval as "[81.2, 84.0]", "[n/a]" beside a score without one."""
        return bracket(*self.ends, self.decimals[1], self.few)

    @property
    def decimals(self) -> tuple[int, int]:
        """Decimals of the value and of the ends of its interval, as shown."""
        return decimals_of(self.measure)


def few_units(numbers: Numbers) -> bool | None:
    """Whether so few units bear on a score that its interval means little."""
    units, effective = numbers.informative_units, numbers.effective_units
    return None if units is None else few(units, effective)


def shown_ends(
    percent: bool, value: float | None, low: float | None, high: float | None
) -> Ends:
    """The numbers as they are shown: shares times 100."""
    if not percent:
        return value, low, high
    return (
        None if value is None else value * 100,
        None if low is None else low * 100,
        None if high is None else high * 100,
    )


def improvements(
    values: Iterable[float | None], teams: Iterable[object], higher_is_better: bool
) -> list[bool]:
    """Flags of scores, in order of receipt: the best of its team so far.

    The first always is, n/a or not; a number beats n/a.
    """
    best: dict[object, float | None] = {}
    better: list[bool] = []
    for value, team in zip(values, teams, strict=True):
        better.append(team not in best or _beats(value, best[team], higher_is_better))
        if better[-1]:
            best[team] = value
    return better


def _beats(new: float | None, old: float | None, higher_is_better: bool) -> bool:
    if new is None or old is None:
        return old is None and new is not None
    return (new - old if higher_is_better else old - new) > TIE


One = TypeVar("One", bound=Scored)


def history(phase: Phase, teams: Collection[int] = ()) -> list[Evaluation]:
    """Everything scored of a phase, in order of receipt, withdrawn or not.

    What a team has seen stays seen: a score that it withdrew is still one to beat.
    `teams` (of `team_of`) are those asked for, by default all. One query.
    """
    scored = _evaluations_of_phase(phase)
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
        """The same team as that of `team_of`."""
        return self.merged_into_id or self.participation_id

    @property
    def competitor(self) -> object:
        """The key under which it competes, as that of `competitor`."""
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
    return newest(
        starmap(PastEntry, _evaluations_of_phase(phase).values_list(*columns))
    )


def _evaluations_of_phase(phase: Phase) -> QuerySet[Evaluation]:
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
        latest = last.setdefault(evaluation.submission_id.int, evaluation)
        if evaluation.pk > latest.pk:
            last[evaluation.submission_id.int] = evaluation
    return list(last.values())


def entered_submissions(
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


class Scores(Mapping[str, Score]):
    """Scores of one system by measure, each made when it is asked for.

    `numbers` has those of every measure one after another, in the order of Numbers, nan
    for n/a; `columns` says where those of each measure begin. A page prints a hundred
    of a thousand rows, and sorts all of them by one measure.
    """

    __slots__ = ("columns", "numbers")

    def __init__(self, columns: "ScoreColumns", numbers: "memoryview[float]") -> None:
        self.columns, self.numbers = columns, numbers

    def __getitem__(self, name: str) -> Score:
        start, measure = self.columns[name]
        numbers = self.numbers[start : start + SIZE]
        return Score(measure, Numbers(*[None if n != n else n for n in numbers]))

    def value(self, name: str) -> float | None:
        """The value alone, as it is shown."""
        return self.ends(name)[0]

    def ends(self, name: str) -> Ends:
        """Value, low and high alone, as they are shown."""
        start, measure = self.columns[name]
        ends = [None if n != n else n for n in self.numbers[start : start + 3]]
        return shown_ends(measure.percent, *ends)

    def texts(self, name: str) -> tuple[str, str]:
        """The value and its interval as people read them."""
        start, measure = self.columns[name]
        numbers = self.numbers[start : start + SIZE].tobytes()
        return _texts(get_language(), numbers, measure.percent, measure.decimals)

    def packed(self) -> bytes:
        """All numbers as a board stores them."""
        return self.numbers.tobytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)


ScoreColumns = Mapping[str, tuple[int, Measure]]


def score_texts(
    numbers: Iterable[float], percent: bool, decimals: int | None
) -> tuple[str, str]:
    """The value and its interval as people read them, of numbers in the order of
    Numbers, nan for n/a, by a measure of that kind."""
    score = Numbers(*[None if number != number else number for number in numbers])
    value, low, high = shown_ends(percent, *score[:3])
    of_value, of_ends = printed_decimals(percent, decimals)
    interval = bracket(value, low, high, of_ends, few_units(score))
    return printed(value, of_value), interval


@lru_cache(maxsize=1_000)
def _texts(
    _language: str | None, packed: bytes, percent: bool, decimals: int | None
) -> tuple[str, str]:
    return score_texts(memoryview(packed).cast("d"), percent, decimals)


def score_columns(measures: Sequence[Measure]) -> ScoreColumns:
    """Each measure with the place of its first number in a row of `Scores`."""
    return {m.name: (SIZE * place, m) for place, m in enumerate(measures)}


class ScoreTable(Sequence[Scores]):
    """Scores of each system, from an array (systems, numbers of each measure)."""

    def __init__(self, measures: Sequence[Measure], table: Floats) -> None:
        self.columns, self._systems = score_columns(measures), len(table)
        # Single numbers are read in a third of the time that an array takes for them.
        contiguous: Any = np.ascontiguousarray(table, np.float64).ravel()
        self._flat: memoryview[float] = memoryview(contiguous)
        self._width = SIZE * len(measures)

    def __getitem__(self, system: Any) -> Any:
        if not 0 <= system < len(self):
            raise IndexError(system)
        start = system * self._width
        return Scores(self.columns, self._flat[start : start + self._width])

    def __len__(self) -> int:
        return self._systems

    def values(self, name: str) -> list[float | None]:
        """The values of one measure, as they are shown."""
        start, measure = self.columns[name]
        factor = 100 if measure.percent else 1
        values = self._flat[start :: self._width].tolist() if self._systems else []
        return [None if value != value else value * factor for value in values]


def scores_for(sample: BoardSample, measures: Sequence[Measure]) -> ScoreTable:
    """The scores of each system of the sample."""
    return ScoreTable(measures, measured_numbers(sample, measures))


def released_evaluations(
    sample: BoardSample, disclosure: Disclosure, competitors: Sequence[object] = ()
) -> frozenset[int]:
    """Evaluations whose scores were published when they came; `everything` is all.

    The sample holds the history of whole teams in order of receipt, over the test
    sets of one ranking. Baselines are always published. `competitors` say who sent
    each, where the evaluations are not those of `history`.
    """
    pks = tuple(evaluation.pk for evaluation in sample.evaluations)
    if disclosure.everything or not pks:
        return frozenset(pks)
    teams = tuple(competitors) or tuple(map(_competitor, sample.evaluations))
    measure = sample.phase.task.headline_measure

    def compute() -> tuple[Content, Content]:
        numbers = measured_numbers(sample, [measure])[:, 0].tolist()
        values = [None if value != value else value for value in numbers]
        return {"accepted": improvements(values, teams, measure.higher_is_better)}, {}

    besides = (teams, sample.gold_revision_id)
    subject = sample.subject("released", [measure], besides)
    return frozenset(compress(pks, stored_or_computed(subject, compute)["accepted"]))


def _competitor(evaluation: Any) -> object:
    submission = evaluation.submission
    return competitor(submission.pk, submission.baseline, submission.participation)


def competitor(submission: UUID, baseline: bool, entry: Any) -> object:
    """The key under which a submission competes; a baseline competes with nobody."""
    return str(submission) if baseline else team_of(entry)
