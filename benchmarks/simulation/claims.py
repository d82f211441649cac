"""Each claim of the engine on simulated populations, by the engine's own functions."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from benchmarks.simulation.measure_populations import (
    OF_DIFFERENCES,
    OF_FRACTIONS,
    OF_MEASURES,
    Differences,
    Speech,
)
from benchmarks.simulation.populations import (
    BOARDS,
    EQUAL,
    LINES,
    PAIRS,
    PLANNED,
    SCORES,
    Population,
    Scores,
    even,
    of_words,
)
from benchmarks.simulation.random_factors import (
    OF_JUDGES,
    OF_ONE_RUN,
    OF_PROMPTS,
    OF_RUNS,
    PLANNED_TOO,
    VARYING_SCORES,
)
from scoring.scorers import get
from scoring.statistics.bootstrap import (
    Plan,
    mean_estimates,
    mean_sample_of,
    remarks_on_failures,
)
from scoring.statistics.comparison import compare
from scoring.statistics.differences import difference_intervals
from scoring.statistics.exchange import all_pairs
from scoring.statistics.power import separation
from scoring.statistics.ranks import standings
from scoring.statistics.runs import runs_unknown

SEED = 2026
PLAN = Plan()
EDGE = 1e-9  # of rounding
PILOTS = 400
APART, FAR_APART = (f"equal systems told apart at {p}" for p in (0.05, 0.001))
Named = TypeVar("Named", Population, Scores, Differences)
MEASURE_OF_SPEECH = get("transcripts").measure("wer")
ENOUGH = 100  # units that inform: there the test shall not be timid either


@dataclass(frozen=True)
class Finding:
    """One line of the table: a share of `trials` with the bounds it shall keep."""

    claim: str
    population: str
    share: float
    trials: int
    least: float = 0.0
    most: float = 1.0
    beyond: bool = False  # what no interval of these units could see
    told: bool = False  # beside each result: that it does not contain this

    @property
    def error(self) -> float:
        """Standard error of the simulation, of a share at the nearest bound."""
        if not self.trials:
            return math.nan
        bound = min((self.least, self.most), key=lambda b: abs(b - self.share))
        return math.sqrt(bound * (1 - bound) / self.trials)

    @property
    def spread(self) -> float:
        """Standard error of the share, no less than that of one case in all."""
        if not self.trials:
            return math.nan
        share = min(max(self.share, 1 / self.trials), 1 - 1 / self.trials)
        return math.sqrt(share * (1 - share) / self.trials)

    @property
    def passed(self) -> bool:
        """Within its bounds, by up to three standard errors of the simulation."""
        slack = 3 * self.error
        return self.least - slack <= self.share <= self.most + slack

    @property
    def safe(self) -> bool:
        """Whether a claim that is not kept errs on the side of caution.

        Only targets for intervals have both bounds near 1: an interval that holds the
        truth too often is wider than it has to be, but claims nothing false.
        """
        return self.least > 0.9 and self.share > self.most

    @property
    def promised(self) -> bool:
        """Whether there is a bound at all."""
        return self.least > 0 or self.most < 1

    @property
    def target(self) -> str:
        ends = [f"at least {self.least:g}"] if self.least else []
        ends += [f"at most {self.most:g}"] if self.most < 1 else []
        return ", ".join(ends)


def stream(name: str) -> np.random.Generator:
    """The same numbers for a population whatever else is simulated."""
    return np.random.default_rng([SEED, *name.encode()])


def false_positives(population: Population, trials: int) -> Iterator[Finding]:
    """Two systems of equal skill, and how often they are told apart."""
    rng, small, tiny = stream(population.name), 0, 0
    for _ in range(trials):
        systems = population.draw(rng, [EQUAL, EQUAL])
        p_value = all_pairs(systems, population.measure).p_value[0]
        small, tiny = small + (p_value < 0.05), tiny + (p_value < 0.001)
    least = 0.035 if population.informing >= ENOUGH else 0.0
    name = population.name
    yield Finding(APART, name, small / trials, trials, least, 0.06)
    yield Finding(FAR_APART, name, tiny / trials, trials, 0.0, 0.002)


def wrong_pairs(population: Population, systems: int, trials: int) -> Finding:
    """Boards of equals on which any two differ significantly, Holm."""
    rng, wrong = stream(population.name), 0
    for _ in range(trials):
        pairs = all_pairs(population.draw(rng, [EQUAL] * systems), population.measure)
        wrong += bool((pairs.adjusted < 0.05).any())
    claim = f"any two of {systems} equal systems differ"
    return Finding(claim, population.name, wrong / trials, trials, most=0.06)


def wrong_lines(population: Population, pairs: int, trials: int) -> Finding:
    """Pairs of equals far from each other, where one rejection is a line."""
    rng, wrong = stream(population.name), 0
    skills = [0.9 - 0.15 * i for i in range(pairs) for _ in range(2)]
    for _ in range(trials):
        systems = population.draw(rng, skills)
        ranks = standings(all_pairs(systems, population.measure), True)
        lines = [standing.cluster for standing in ranks]
        wrong += any(a != b for a, b in zip(lines[::2], lines[1::2], strict=True))
    claim = f"a line between equals, {pairs} pair{'s' if pairs > 1 else ''}"
    return Finding(claim, population.name, wrong / trials, trials, most=0.06)


def covered_ranks(units: int, systems: int, spacing: float, trials: int) -> Finding:
    """Boards on which all true ranks lie in their ranges."""
    population = of_words("sentences", even, units)
    skills = [EQUAL - spacing * i for i in range(systems)]
    rng, covered = stream(population.name), 0
    for _ in range(trials):
        pairs = all_pairs(population.draw(rng, skills), population.measure)
        ranges = [
            (standing.low or 0, standing.high or 0)
            for standing in standings(pairs, True)
        ]
        covered += all(low <= i <= high for i, (low, high) in enumerate(ranges, 1))
    told = f"{population.name}, {systems} systems {spacing:g} apart"
    claim = "all true ranks in their ranges"
    return Finding(claim, told, covered / trials, trials, least=0.95)


def promised_power(
    population: Population, systems: int, trials: int
) -> Iterator[Finding]:
    """How often a difference of the size that a board says it resolves is found: of the
    size that most pilots say, which is in the ranges of so many of them."""
    rng, sizes, middle = stream(population.name), [], 0.6
    planned = PILOTS if trials else trials
    for _ in range(planned):
        pilots = population.draw(rng, [middle, middle])
        named = {str(i): pilot[0] for i, pilot in enumerate(pilots)}
        sizes.append(separation(named, population.measure, PLAN, systems=systems))
    gap = float(np.median([size.smallest for size in sizes])) if sizes else math.nan
    held = sum(size.low <= gap <= size.high for size in sizes)
    alpha, count = 0.05 / math.comb(systems, 2), 0
    for _ in range(trials):
        pair = population.draw(rng, [middle + gap / 2, middle - gap / 2])
        count += all_pairs(pair, population.measure).p_value[0] < alpha
    name = population.name
    claim = f"a true difference of the size that is named is found, board of {systems}"
    yield Finding(claim, name, count / trials, trials, 0.75, 0.85)
    claim = f"ranges of it hold what most pilots name, board of {systems}"
    yield Finding(claim, name, held / planned, planned, 0.9)


def other_failures(units: int, trials: int) -> Iterator[Finding]:
    """Systems of one true WER, one failing seldom and badly: told apart, and marked.

    They do not behave alike, so that nothing is promised of how often.
    """
    seldom, often = Speech(0.1, 0.01), Speech(Speech(0.1, 0.01).truth)
    name = f"WER, runaways in 1% of the segments against small errors, {units} units"
    measure, rng, apart, marked = MEASURE_OF_SPEECH, stream(name), 0, 0
    for _ in range(trials):
        sizes = even(rng, units)
        pair = [[system.on(rng, sizes)] for system in (seldom, often)]
        test = all_pairs(pair, measure)
        differ = bool(test.p_value[0] < 0.05)
        apart, marked = apart + differ, marked + (differ and test.few_decide[0])
    yield Finding(
        "systems of one true score that fail differently, told apart at 0.05",
        name,
        apart / trials,
        trials,
    )
    if apart or not trials:
        claim = "such pairs that have the mark *a few units decide*"
        told = apart or trials
        yield Finding(claim, name, marked / told, told, 0.9)


def agreement(population: Population, trials: int) -> Finding:
    """Equals on which the test and approximate randomization agree at 0.05."""
    rng, same = stream(population.name), 0
    for _ in range(trials):
        (one,), (other,) = population.draw(rng, [EQUAL, EQUAL - 0.02])
        comparison = compare(("a", "b"), (one, other), population.measure, PLAN)
        assert comparison.p_value is not None and comparison.randomization is not None
        same += (comparison.p_value < 0.05) == (comparison.randomization < 0.05)
    claim = "same verdict as approximate randomization at 0.05"
    return Finding(claim, population.name, same / trials, trials, least=0.95)


def covered_scores(scores: Scores, trials: int) -> Iterator[Finding]:
    """Intervals of 95 % that hold the true value; n/a counts as not. Where a measure of
    errors has no upper limit, those also that have a remark on failures."""
    rng, covered, measure = stream(scores.name), 0, scores.measure
    undefined = told = 0
    for _ in range(trials):
        sets = [
            (counts, Plan(seed=SEED + i)) for i, counts in enumerate(scores.draw(rng))
        ]
        estimate = mean_estimates(sets, [measure])[measure.name]
        undefined += estimate.value is None
        if estimate.low is not None and estimate.high is not None:
            holds = estimate.low - EDGE <= scores.truth <= estimate.high + EDGE
            covered += holds
            known_as = {measure.name: estimate}
            remarks = [
                remark
                for counts, _plan in sets
                for remark in remarks_on_failures(counts, [measure], known_as)
            ]
            told += holds or bool(remarks)
    claim, defined = "intervals of 95 % hold the true score", trials - undefined
    bounds = (scores.least, scores.most)
    share, of_told = covered / defined, told / defined
    about = scores.beyond, scores.beyond and of_told >= scores.least
    yield Finding(claim, scores.name, share, defined, *bounds, *about)
    if scores.beyond and measure.sizes is not None:
        claim = f"{claim}, or a remark says that failures may not have shown"
        yield Finding(claim, scores.name, of_told, defined, scores.least)


def narrow_enough(scores: Scores, trials: int) -> Finding:
    """Means of fractions whose interval is at most 1.2 times that of the resamples."""
    rng, narrow, measure = stream(scores.name), 0, scores.measure
    for _ in range(trials):
        (counts,) = scores.draw(rng)
        estimate = mean_estimates([(counts, PLAN)], [measure])[measure.name]
        assert estimate.low is not None and estimate.high is not None
        assert (
            estimate.percentile_low is not None and estimate.percentile_high is not None
        )
        plain = estimate.percentile_high - estimate.percentile_low
        narrow += estimate.high - estimate.low <= 1.2 * plain
    claim = "intervals at most 1.2 times as wide as that of the resamples"
    return Finding(claim, scores.name, narrow / trials, trials, least=0.95)


def covered_differences(apart: Differences, trials: int) -> Finding:
    """Intervals of 95 % that hold the true difference of two systems."""
    rng, covered = stream(apart.name), 0
    for _ in range(trials):
        rows = apart.draw(rng)
        strata = [[(counts, PLAN) for counts in row] for row in rows]
        sample = mean_sample_of(strata, apart.measure)
        ends = difference_intervals(rows, apart.measure, sample, PLAN.level)
        low, high = (float(end[0]) for end in ends)
        covered += low - EDGE <= apart.truth <= high + EDGE
    claim = "intervals of 95 % hold the true difference"
    bounds = (apart.least, apart.most)
    return Finding(claim, apart.name, covered / trials, trials, *bounds)


def pairs_and_boards(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of the tests; `scale` times the usual number of trials, of populations
    whose names hold `only`."""
    for population in _named(PAIRS, only):
        yield from false_positives(population, _trials(4000, scale))
    for population in _named(BOARDS, only):
        for systems in (5, 50):
            yield wrong_pairs(population, systems, _trials(400, scale))
    for population in _named(LINES, only):
        for pairs in (1, 2, 5):
            yield wrong_lines(population, pairs, _trials(1000, scale))


def ranks_and_power(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of rank ranges and of plans."""
    of_sentences = only in "sentences, systems apart"
    for units, systems, spacing in (
        (200, 10, 0.002),
        (200, 10, 0.005),
        (200, 10, 0.01),
        (30, 10, 0.01),
        (1000, 50, 0.002),
    ):
        if of_sentences:
            yield covered_ranks(units, systems, spacing, _trials(200, scale))
    for population in _named(PLANNED, only):
        for systems in (2, 10, 50):
            yield from promised_power(population, systems, _trials(1000, scale))
    for units in (30, 100, 300):
        if only in "WER, runaways":
            yield from other_failures(units, _trials(1000, scale))
    if of_sentences:
        yield agreement(of_words("sentences", even, 100), _trials(100, scale))


def intervals(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of the intervals of scores and of differences."""
    for scores in _named(SCORES, only):
        yield from covered_scores(scores, _trials(1000, scale))
    for scores in _named(OF_MEASURES, only):
        yield from covered_scores(scores, _trials(600, scale))
    for scores in _named(OF_FRACTIONS, only):
        yield narrow_enough(scores, _trials(200, scale))
    for apart in _named(OF_DIFFERENCES, only):
        yield covered_differences(apart, _trials(600, scale))


def runs_and_judges(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims where runs, prompts or judges vary. How much those of one run do, nothing
    tells: boards say so."""
    several = (*OF_RUNS, *OF_PROMPTS, *OF_JUDGES)
    for population in _named((OF_ONE_RUN, *several), only):
        pair = population.draw(stream(population.name), [EQUAL, EQUAL])
        sizes = [counts.size for system in pair for counts in system]
        for finding in false_positives(population, _trials(2000, scale)):
            told = population is OF_ONE_RUN and runs_unknown(sizes)
            yield replace(finding, beyond=population is OF_ONE_RUN, told=told)
    for population in _named(several, only):
        yield wrong_pairs(population, 15, _trials(200, scale))
    for population in _named(PLANNED_TOO, only):
        yield from promised_power(population, 2, _trials(1000, scale))
    for scores in _named(VARYING_SCORES, only):
        yield from covered_scores(scores, _trials(1000, scale))


def _named(populations: Iterable[Named], only: str) -> list[Named]:
    """Claims whose names hold the text; all for an empty one."""
    return [population for population in populations if only in population.name]


class _NoTrials(int):
    """No trials at all: nothing is drawn, and of nothing every share is nan."""

    def __rtruediv__(self, _found: object) -> float:
        return math.nan

    def __sub__(self, _other: int) -> "_NoTrials":
        return self

    __mul__ = __rmul__ = __sub__


def _trials(usual: int, scale: float) -> int:
    """So many trials, 20 at least; none at scale 0, which only names what there is."""
    return max(20, round(usual * scale)) if scale else _NoTrials(0)


GROUPS = (pairs_and_boards, ranks_and_power, intervals, runs_and_judges)
