"""Scores that lie to one side of the truth, or that few units decide.

An average over many classes is too low where some have a handful of items; the error of
probabilities that are calibrated is never 0; the worst of equal groups is worse than
any of them is. Of an AUC the items of the rarer class tell most, of long documents
those few that are the longest.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from benchmarks.simulation.claims import (
    Finding,
    _named,
    _trials,
    covered_differences,
    covered_scores,
    stream,
)
from benchmarks.simulation.measure_populations import (
    Differences,
    class_scores,
    judged,
    limits,
    mqm_scores,
    zipf,
)
from benchmarks.simulation.populations import Rng, Scores, System, counts_of
from scoring.counts import Counts, Floats, fixed_point
from scoring.scorers import get
from scoring.scorers.probabilities.figures import GAPS, ITEMS, RANGES
from scoring.statistics.exchange import all_pairs
from scoring.vocabulary import declared_measures

EVEN_CLASSES = (1 / 20,) * 20
PROBABILITIES = get("probabilities")
AUC, AP = (PROBABILITIES.measure(name) for name in ("auc", "ap"))
CALIBRATION = PROBABILITIES.measure("calibration_error")
DECLARED_MQM = declared_measures(["mqm = mean(penalty); lower; most 25"])[0].measure
WORST_GROUP = get("classes").measure("worst_group_accuracy")


def sure(rng: Rng, off: float, units: int) -> Counts:
    """Answers of a system that is right less often than it says, by `off`."""
    said = rng.uniform(0.5 + off, 1, units)
    right = rng.random(units) < said - off
    place = np.minimum((said * RANGES).astype(int), RANGES - 1)
    columns = {ITEMS: np.ones(units)}
    for number, name in enumerate(GAPS):
        columns |= fixed_point(name, np.where(place == number, right - said, 0.0))
    return counts_of(columns)


def calibration_scores(off: float, units: int) -> Scores:
    def draw(rng: Rng) -> System:
        return [sure(rng, off, units)]

    how = f"{off:g} too sure" if off else "calibrated"
    name = f"calibration error, system {how}, {units} units"
    return Scores(name, draw, off, 0.93, 1.0, CALIBRATION)


def sureness_apart(off: float, units: int) -> Differences:
    """A system that is too sure, and a calibrated one."""

    def draw(rng: Rng) -> tuple[System, System]:
        return [sure(rng, off, units)], [sure(rng, 0.0, units)]

    name = f"calibration error, {off:g} too sure and calibrated, {units} units"
    return Differences(name, draw, off, CALIBRATION, 0.93, 1.0)


def worst_group_scores(groups: int, units: int) -> Scores:
    """Groups of equal size and skill, of which none is worse."""

    def draw(rng: Rng) -> System:
        own, right = rng.permutation(units) % groups, rng.random(units) < 0.8
        columns = {"items": np.ones(units)}
        for k in range(groups):
            columns[f"group_right[{k}]"] = (right & (own == k)) * 1.0
            columns[f"group_items[{k}]"] = (own == k) * 1.0
        return [counts_of(columns)]

    name = f"accuracy of the worst of {groups} equal groups, {units} units"
    return Scores(name, draw, 0.8, 0.93, 1.0, WORST_GROUP)


@dataclass(frozen=True)
class Documents:
    """Documents with sizes that are lognormal, in words right or wrong: the longer, the
    harder, and each harder or easier by itself."""

    spread: float
    median: float = 4.0  # e-folds of words
    harder: float = 0.6  # e-folds of the odds of a word, for one of the size
    own: float = 0.4

    def draw(self, rng: Rng, units: int) -> Counts:
        sizes = np.ceil(np.exp(rng.normal(self.median, self.spread, units)))
        skill = self.skill(sizes, rng.normal(0, self.own, units))
        right = rng.binomial(sizes.astype(np.int64), skill)
        return counts_of({"right": right * 1.0, "wanted": sizes})

    def skill(self, sizes: Floats, own: Floats) -> Floats:
        """The chance that a word is right, in documents of so many words."""
        odds = 1.4 - self.harder * (np.log(sizes) - self.median) + own
        return np.asarray(1 / (1 + np.exp(-odds)))

    def truth(self) -> float:
        """The share of right words in all documents there could be."""
        from scipy import stats

        sizes = np.arange(1.0, 1e5)
        ends = stats.norm.cdf((np.log(sizes) - self.median) / self.spread)
        words = np.diff(ends, prepend=0.0) * sizes
        own, chances = np.polynomial.hermite_e.hermegauss(9)
        values = [self.skill(sizes, np.array(self.own * z)) for z in own.tolist()]
        skill = np.tensordot(chances / chances.sum(), np.array(values), 1)
        return float(words @ skill / words.sum())


def long_document_scores(spread: float, units: int) -> Scores:
    """Scores that depend on long documents: of those not drawn no interval can know."""
    documents = Documents(spread)

    def draw(rng: Rng) -> System:
        return [documents.draw(rng, units)]

    name = f"documents that are harder when longer, sizes lognormal ({spread:g})"
    truth = documents.truth()
    least = limits(units)[0]
    return Scores(f"{name}, {units} units", draw, truth, least, beyond=spread > 1)


def area_scores(
    area: float, positive: int, units: int, *, precision: bool = False
) -> Scores:
    """Scores of two classes that are normal, and so far apart that one of the one class
    stands before one of the other with this chance: their AUC, or average precision."""

    def draw(rng: Rng) -> System:
        held = (np.arange(units) < positive) * 1.0
        scores = rng.normal(size=units) + held * math.sqrt(2) * distance
        ranks = np.argsort(np.argsort(scores)) + 1.0
        return [counts_of({"items": np.ones(units), "rank[y]": ranks, "gold[y]": held})]

    distance = NormalDist().inv_cdf(area)
    name = f"AUC {area:g}, {positive} of a class, {units} units"
    least = 0.88 if positive < 10 else limits(units)[0]
    if not precision:
        return Scores(name, draw, area, least, 1.0, AUC)
    truth = mean_precision(math.sqrt(2) * distance, positive / units)
    return Scores(f"average precision at {name}", draw, truth, least, 1.0, AP)


def mean_precision(distance: float, share: float) -> float:
    """The average precision of endless items, of which this share is of the class."""
    from scipy import stats

    at = np.linspace(-8, 8 + distance, 200_001)
    mine, others = stats.norm.sf(at - distance), stats.norm.sf(at)
    precisions = share * mine / (share * mine + (1 - share) * others)
    weights = stats.norm.pdf(at - distance)
    return float((weights * precisions).sum() / weights.sum())


def declared_mqm_scores(units: int) -> Scores:
    """Penalties of which the worst that there can be is declared."""
    return replace(
        mqm_scores(units),
        name=f"MQM that declares its worst, {units} units",
        most=1.0,
        measure=DECLARED_MQM,
    )


def other_penalties(units: int, trials: int) -> Iterator[Finding]:
    """Boards of ten systems of one true MQM, half of which fail rarely and badly: how
    many wrong differences have the mark. Nothing is promised of how many there are."""
    name = f"MQM that declares its worst, 2% of 25 against many of 1, {units} units"
    rng, wrong, apart, marked = stream(name), 0, 0, 0
    for _ in range(trials):
        seldom = [25.0 * (rng.random(units) < 0.02) for _ in range(5)]
        often = [1.0 * rng.poisson(0.5, units) for _ in range(5)]
        systems = [[judged(values)] for values in (*seldom, *often)]
        pairs = all_pairs(systems, DECLARED_MQM)
        differ = pairs.adjusted < 0.05
        wrong, apart = wrong + bool(differ.any()), apart + int(differ.sum())
        marked += int((differ & pairs.few_decide).sum())
    claim = "boards of ten systems of one true score that fail differently, any differ"
    yield Finding(claim, name, wrong / trials, trials)
    if apart or not trials:
        claim = "such pairs that have the mark *a few units decide*"
        told = apart or trials
        yield Finding(claim, name, marked / told, told, 0.9)


COVERED = [
    *(class_scores("macro_f1", zipf(10), 0.7, n) for n in (30, 100, 300)),
    # Of thirty items four classes have none.
    replace(class_scores("macro_f1", EVEN_CLASSES, 0.6, 30), beyond=True),
    *(class_scores("macro_f1", EVEN_CLASSES, 0.6, n) for n in (100, 300)),
    *(calibration_scores(off, n) for off in (0.0, 0.02, 0.1) for n in (100, 1000)),
    *(worst_group_scores(5, n) for n in (100, 500)),
    *(declared_mqm_scores(n) for n in (30, 100, 300)),
    *(area_scores(area, 5, 100) for area in (0.8, 0.95)),
    area_scores(0.98, 12, 60),
    area_scores(0.8, 15, 30),
    area_scores(0.8, 50, 100),
    *(area_scores(area, 5, 100, precision=True) for area in (0.8, 0.95, 0.99)),
    area_scores(0.95, 10, 200, precision=True),
    area_scores(0.95, 50, 1000, precision=True),
    *(long_document_scores(x, n) for x in (0.8, 1.3) for n in (30, 100, 300)),
]
APART = [sureness_apart(0.1, n) for n in (100, 1000)]


def biased(scale: float = 1.0, only: str = "") -> Iterator[Finding]:
    """Claims of measures that are biased, and of scores that few units decide."""
    for scores in _named(COVERED, only):
        yield from covered_scores(scores, _trials(400, scale))
    for units in (30, 100, 300):
        if only in "MQM that declares its worst":
            yield from other_penalties(units, _trials(150, scale))
    for apart in _named(APART, only):
        yield covered_differences(apart, _trials(400, scale))
