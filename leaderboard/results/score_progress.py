"""Gains of a team: over its submission before, over the best, and between any two."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

import numpy as np

from leaderboard.results.board_sample import BoardSample
from leaderboard.results.scores import (
    PastEntry,
    Score,
    decimals_of,
    entered_submissions,
    history,
    plain_history,
    printed,
    released_evaluations,
    scores_for,
    team_of,
    with_sign,
)
from leaderboard.results.status import SubmissionStatus, evaluation_of
from leaderboard.results.stored_counts import Scored
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Participation, Phase, TestSet
from leaderboard.tasks.policy import Disclosure
from leaderboard.teams.refusal import Refusal
from leaderboard.web.templatetags.formats import ends
from scoring import Counts
from scoring.counts import Floats
from scoring.measures import Measure
from scoring.statistics.comparison import Comparison
from scoring.statistics.runs import value_of

MOST_SLICES, MOST_UNITS = 40, 10
SAME = 1e-12  # sums of fractions may differ by their rounding


@dataclass(frozen=True)
class ScoreChange:
    """Between two scores as they are shown; `better` is None where they are equal."""

    text: str
    better: bool | None

    @classmethod
    def between(cls, old: Score | None, new: Score | None) -> "ScoreChange | None":
        """The change of a score; None unless both are defined."""
        if old is None or new is None or old.value is None or new.value is None:
            return None
        decimals = new.decimals[0]
        gain = round(new.value - old.value, decimals) + 0.0
        text = printed(gain, decimals)
        if not gain:
            return cls(text, None)
        better = (gain > 0) == new.measure.higher_is_better
        return cls(f"+{text}" if gain > 0 else text, better)


@dataclass(frozen=True)
class Headline:
    """The headline of one submission beside the team's one before and the best."""

    score: Score
    previous: ScoreChange | None
    best: ScoreChange | None

    @property
    def leads(self) -> bool:
        """Whether nothing on the board is better."""
        return self.best is not None and self.best.better is not False


def standings(
    phase: Phase, entry: Participation, disclosure: Disclosure
) -> Mapping[UUID, Headline]:
    """Headlines by submission of the team, where the disclosure lets it see scores.

    The best is that of the board as the same reader sees it: baselines and what was
    withdrawn do not count. The same few queries however many there are.
    """
    if not disclosure.own:
        return {}
    own = history(phase, {team_of(entry)})
    everybody = plain_history(phase) if disclosure.board else []
    headlines: dict[UUID, Headline] = {}
    for test_sets in phase.rankings():
        ranked = _on_ranking(phase, test_sets, own, everybody, disclosure)
        for key, headline in ranked:
            # Of several test sets entered one by one the first is the headline.
            headlines.setdefault(key, headline)
    return headlines


def _on_ranking(
    phase: Phase,
    test_sets: tuple[TestSet, ...],
    own: Sequence[Evaluation],
    everybody: Sequence[PastEntry],
    disclosure: Disclosure,
) -> Iterator[tuple[UUID, Headline]]:
    """The team's own submissions on the ranking, in order of receipt."""
    best = _best(phase, test_sets, everybody, disclosure)
    before: Score | None = None
    for submission, score in _headlines(phase, test_sets, own, disclosure):
        yield (
            submission.pk,
            Headline(
                score,
                ScoreChange.between(before, score),
                ScoreChange.between(best, score),
            ),
        )
        out = submission.withdrawn_at or submission.disqualified_at
        if not (out or submission.baseline):
            before = score


def _headlines(
    phase: Phase,
    test_sets: tuple[TestSet, ...],
    past: Sequence[Evaluation],
    disclosure: Disclosure,
) -> list[tuple[Submission, Score]]:
    """Headlines in order of receipt, of what is published."""
    past = entered_submissions(past, phase, test_sets)
    if not past:
        return []
    sample = BoardSample.of(phase, past, disclosure.parts[0], test_sets=test_sets)
    allowed = released_evaluations(sample, disclosure)
    public = tuple(evaluation for evaluation in past if evaluation.pk in allowed)
    if not public:
        return []
    headline = phase.task.headline_measure
    rows = scores_for(replace(sample, evaluations=public), [headline])
    return [
        (evaluation.submission, row[headline.name])
        for evaluation, row in zip(public, rows, strict=True)
    ]


def _best(
    phase: Phase,
    test_sets: tuple[TestSet, ...],
    everybody: Sequence[PastEntry],
    disclosure: Disclosure,
) -> Score | None:
    past = entered_submissions(everybody, phase, test_sets)
    if not past:
        return None
    sample = BoardSample.of(phase, past, disclosure.parts[0], test_sets=test_sets)
    competitors = [entry.competitor for entry in past]
    allowed = released_evaluations(sample, disclosure, competitors)
    public = tuple(entry for entry in past if entry.pk in allowed)
    headline = phase.task.headline_measure
    rows = scores_for(replace(sample, evaluations=public), [headline])
    unranked = _submissions_without_rank(phase)
    known = [
        (value, row)
        for entry, row in zip(public, rows, strict=True)
        if (value := row.value(headline.name)) is not None
        and (disclosure.as_of is None or entry.received_at <= disclosure.as_of)
        and entry.submission_id not in unranked
    ]
    if not known:
        return None
    choose = max if headline.higher_is_better else min
    _value, best = choose(known, key=lambda pair: pair[0])
    return best[headline.name]


def _submissions_without_rank(phase: Phase) -> set[UUID]:
    """Submissions that cannot have a rank, of which there are few."""
    sent = Submission.objects.filter(phase=phase)
    unranked = sent.exclude(pk__in=sent.ranked().order_by().values("pk"))
    return set(unranked.order_by().values_list("pk", flat=True))


@dataclass(frozen=True)
class MeasureGain:
    """One measure of both; `exact` is the engine's paired test, later minus earlier."""

    earlier: Score
    later: Score
    change: ScoreChange | None
    level: float
    exact: Comparison | None = None

    @property
    def interval(self) -> str:
        """The interval of the difference; empty where there is none."""
        if self.exact is None or self.exact.low is None or self.exact.high is None:
            return ""
        measure = self.earlier.measure
        factor, (_, digits) = 100 if measure.percent else 1, decimals_of(measure)
        low, high = self.exact.low * factor, self.exact.high * factor
        return ends(with_sign(low, digits), with_sign(high, digits))

    @property
    def verdict(self) -> str:
        """better, worse, level, or nothing where there is no test.

        Colours and words of the page follow this alone.
        """
        if self.exact is None or self.exact.adjusted is None or self.change is None:
            return ""
        if self.exact.adjusted >= round(1 - self.level, 9):
            return "level"
        return {True: "better", False: "worse", None: "level"}[self.change.better]


@dataclass(frozen=True)
class PartGain:
    """A slice or a unit in the headline: from, to, and by how much."""

    name: str
    earlier: float
    later: float
    gain: float
    better: bool
    decimals: int
    units: int = 1

    @property
    def printed(self) -> tuple[str, str, str]:
        """From, to, by how much, with the decimals of a board."""
        start, end = (printed(n, self.decimals) for n in (self.earlier, self.later))
        return start, end, with_sign(self.gain, self.decimals)


@dataclass(frozen=True)
class TestSetGains:
    """One test set; `units` only where single ones may be seen."""

    test_set: TestSet
    slices: Sequence[tuple[str, Sequence[PartGain]]]
    units: "UnitGains | None" = None


@dataclass(frozen=True)
class UnitGains:
    """Units that got better, worse or stayed, the largest gains first."""

    better: int
    worse: int
    same: int
    gains: Sequence[PartGain]
    losses: Sequence[PartGain]


@dataclass(frozen=True)
class Gains:
    """`test_sets` and the tests are there only where details are shown."""

    earlier: SubmissionStatus
    later: SubmissionStatus
    shown: Disclosure
    measures: Sequence[MeasureGain]
    test_sets: Sequence[TestSetGains] = field(default_factory=tuple)
    # The test set of the measures, where it is one among others.
    measured_on: str = ""


# The comparison of a measure as the board has it
Corrected = Callable[[Measure, Comparison], Comparison]


def gains(
    first: SubmissionStatus,
    second: SubmissionStatus,
    corrected: Corrected,
    family: Callable[[], tuple[Scored, ...]] | None = None,
) -> Gains:
    """Compare two submissions as their reader may see them, the earlier one first, by
    units or groups of them as the `family` of their board says.

    Raises Refusal.
    """
    earlier, later = sorted((first, second), key=lambda s: s.submission.received_at)
    phase, disclosure = earlier.submission.phase, earlier.shown
    apart = earlier.submission.pk != later.submission.pk
    if not apart or phase != later.submission.phase:
        raise Refusal
    if earlier.headline is None or later.headline is None:
        raise Refusal
    level = phase.task.level
    pair, test_set = (earlier.scores, later.scores), common_test_set(earlier, later)
    if phase.separate_test_sets:
        if test_set is None:
            raise Refusal
        pair = _scores_on(earlier, test_set), _scores_on(later, test_set)
    lines = [
        MeasureGain(old, new, ScoreChange.between(old, new), level)
        for old, new in zip(*pair, strict=True)
    ]
    title = test_set.title if test_set is not None else ""
    plain = Gains(earlier, later, disclosure, lines, measured_on=title)
    if not disclosure.details:
        return plain
    evaluations = [evaluation_of(status.submission) for status in (later, earlier)]
    both = BoardSample.of(
        phase,
        filter(None, evaluations),
        disclosure.parts[0],
        test_sets=None if test_set is None else (test_set,),
        family=family,
    )
    if not both.comparable:
        return plain
    tested = []
    for line in lines:
        measure = line.later.measure
        (comparison,) = both.comparisons(measure)
        tested.append(replace(line, exact=corrected(measure, comparison)))
    whole = replace(both, test_sets=tuple(phase.test_sets.all()))
    return replace(
        plain, measures=tested, test_sets=list(_per_test_set(whole, disclosure))
    )


def common_test_set(
    earlier: SubmissionStatus, later: SubmissionStatus
) -> TestSet | None:
    """The first test set that both were entered for, where each ranks by itself."""
    names = {test_set.name for test_set in earlier.entered} & {
        o.name for o in later.entered
    }
    of_phase = earlier.submission.phase.test_sets.all()
    return next((t for t in of_phase if t.name in names), None)


def _scores_on(status: SubmissionStatus, test_set: TestSet) -> Sequence[Score]:
    return next(
        scored.scores for scored in status.test_sets if scored.name == test_set.name
    )


def _per_test_set(both: BoardSample, disclosure: Disclosure) -> Iterator[TestSetGains]:
    """Gains on each test set that both sent."""
    measure = both.phase.task.headline_measure
    single = disclosure.units and measure.by_unit
    for test_set, (later, earlier) in zip(both.test_sets, both.counts, strict=True):
        if later is not None and earlier is not None:
            pair = earlier, later
            groups = replace(both, test_sets=(test_set,)).slices(disclosure)
            yield TestSetGains(
                test_set,
                slices=list(_slices(pair, groups, measure)),
                units=_units(pair, measure) if single else None,
            )


def _units(pair: tuple[Counts, Counts], measure: Measure) -> UnitGains:
    before, after = (_by_unit(counts, measure) for counts in pair)
    gain = _gain(before, after, measure)
    order = np.argsort(-gain, kind="stable")
    made = [
        _part(pair[0].units[i], (before[i], after[i]), measure)
        for i in (*order[:MOST_UNITS], *order[::-1][:MOST_UNITS])
    ]
    half = len(made) // 2
    better, worse = int((gain > 0).sum()), int((gain < 0).sum())
    return UnitGains(
        better=better,
        worse=worse,
        same=len(gain) - better - worse,
        gains=[part for part in made[:half] if part.gain and part.better],
        losses=[part for part in made[half:] if part.gain and not part.better],
    )


def _by_unit(counts: Counts, measure: Measure) -> Floats:
    """The measure in each unit, of several runs their mean."""
    each = [measure.of(run.table, run.columns) for run in counts.each_run()]
    return np.asarray(np.mean(each, axis=0))


def _gain(before: Floats, after: Floats, measure: Measure) -> Floats:
    """Above 0 for better; 0 where a unit has no score in either."""
    difference = np.nan_to_num(after - before)
    difference[np.abs(difference) < SAME] = 0.0
    return difference if measure.higher_is_better else -difference


def _slices(
    pair: tuple[Counts, Counts], groups: Mapping[str, Sequence[str]], measure: Measure
) -> Iterator[tuple[str, list[PartGain]]]:
    """Per grouping of the gold the labels that changed most, largest first."""
    for group, labels in groups.items():
        mine = np.array(pair[0].groups[group])
        parts = []
        for label in labels:
            chosen = mine == label
            values = [value_of(side.where(chosen), measure) for side in pair]
            if not np.isnan(values).any():
                units = int(chosen.sum())
                parts.append(_part(label, (values[0], values[1]), measure, units))
        parts.sort(key=lambda part: -abs(part.gain))
        yield group, parts[:MOST_SLICES]


def _part(
    name: str, values: tuple[float, float], measure: Measure, units: int = 1
) -> PartGain:
    factor, (decimals, _of_ends) = 100 if measure.percent else 1, decimals_of(measure)
    before, after = (float(value) * factor for value in values)
    # What has no score in one of them has no gain.
    gain = after - before if abs(after - before) >= SAME else 0.0
    better = (gain > 0) == measure.higher_is_better
    return PartGain(name, before, after, gain, better, decimals, units)
