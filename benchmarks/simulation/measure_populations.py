"""Populations for intervals of each kind of measure, of scores and of differences.

Means of fractions, averages over classes, figures of the confusion matrix, error rates,
correlations, judged means, BLEU. True values are worked out, or those of a very large
sample where there is no formula.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmarks.simulation.populations import (
    ACCURACY,
    NUMBERS,
    Rng,
    Scores,
    System,
    counts_of,
    documents,
    even,
    likeness,
    lognormal,
    numbers_of,
    words,
)
from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.measures import Measure
from scoring.scorers import get
from scoring.scorers.translation import bleu
from scoring.vocabulary import declared_measures

VERY_MANY = 300_000
FEW = 3  # of failures that a file has at this rate, so that some files have none
ONE_RARE = (0.95, 0.04, 0.01)
MQM = declared_measures(["mqm = mean(penalty); lower"])[0].measure
# Of texts and topics: the share that is 0, that is 1, and the beta of the others.
Fractions = tuple[float, float, float, float]
TEXTS: Fractions = (0.0, 0.0, 9.4, 6.27)
LOW_TEXTS: Fractions = (0.0, 0.0, 4.5, 5.5)
TOPICS: Fractions = (0.08, 0.15, 2.6, 1.2)
EASY_TOPICS: Fractions = (0.01, 0.92, 2.0, 1.0)
PRECISIONS: Fractions = (0.05, 0.05, 0.8, 1.0)


def mean_of(kind: Fractions) -> float:
    zeros, ones, a, b = kind
    return ones + (1 - zeros - ones) * a / (a + b)


def fractions(rng: Rng, kind: Fractions, units: int) -> Floats:
    zeros, ones, a, b = kind
    luck = rng.random(units)
    drawn = np.asarray(rng.beta(a, b, units))
    return np.where(luck < zeros, 0.0, np.where(luck < zeros + ones, 1.0, drawn))


def fraction_scores(scorer: str, name: str, kind: Fractions, units: int) -> Scores:
    """A mean of fractions as the scorer counts it."""
    measure = get(scorer).measure(name)
    column, whole = measure.columns

    def draw(rng: Rng) -> System:
        values = fixed_point(column, fractions(rng, kind, units))
        return [counts_of({**values, whole: np.ones(units)})]

    truth = mean_of(kind)
    title = f"{measure.title}, mean {truth:.2f}"
    return Scores(f"{title}, {units} units", draw, truth, *limits(units), measure)


def limits(units: int) -> tuple[float, float]:
    """Bounds of measures that are not as well behaved as shares of words."""
    return (0.93, 0.99) if units >= 100 else (0.9, 1.0)


def zipf(classes: int) -> tuple[float, ...]:
    sizes = np.array([1 / k for k in range(1, classes + 1)])
    return tuple((sizes / sizes.sum()).tolist())


def labelled(rng: Rng, chances: Sequence[float], skill: float, units: int) -> Counts:
    """Labels of which a share `skill` is right, the others drawn as gold's are."""
    gold = rng.choice(len(chances), units, p=chances)
    guess = rng.choice(len(chances), units, p=chances)
    return of_labels(gold, np.where(rng.random(units) < skill, gold, guess))


def of_labels(gold: Integers, said: Integers) -> Counts:
    """Counts of the scorer `classes`; a class that nobody has, has no column."""
    columns = {"items": np.ones(len(gold)), "right": (gold == said) * 1.0}
    for k in sorted({*gold.tolist(), *said.tolist()}):
        columns[f"correct[{k}]"] = ((gold == k) & (said == k)) * 1.0
        columns[f"system[{k}]"] = (said == k) * 1.0
        columns[f"gold[{k}]"] = (gold == k) * 1.0
    return counts_of(columns)


def true_of_classes(name: str, chances: Sequence[float], skill: float) -> float:
    """The value in the population; each side has the same frequencies there."""
    p = np.array(chances)
    right = p * (skill + (1 - skill) * p)
    if name in ("mcc", "kappa"):
        by_chance = float((p * p).sum())
        return float((right.sum() - by_chance) / (1 - by_chance))
    return float((right / p).mean())


def class_scores(
    name: str, chances: Sequence[float], skill: float, units: int, *kept: float
) -> Scores:
    measure = get("classes").measure(name)

    def draw(rng: Rng) -> System:
        return [labelled(rng, chances, skill, units)]

    title = f"{measure.title} of {classes_in_words(chances)}, {skill:g} known"
    return Scores(
        f"{title}, {units} units",
        draw,
        true_of_classes(name, chances, skill),
        *(kept or limits(units)),
        measure=measure,
        # Some files lack a class, and are an average over fewer.
        beyond=min(chances) * units < 1 and name == "macro_f1",
    )


def classes_in_words(chances: Sequence[float]) -> str:
    size = len(chances)
    if len(set(chances)) == 1:
        return f"{size} even classes"
    if chances == zipf(size):
        return f"{size} classes by Zipf"
    return "classes " + ":".join(f"{100 * p:g}" for p in chances)


@dataclass(frozen=True)
class Speech:
    """Segments of speech: an error in a share of the words, and in a share `often` of
    the segments so many words too many."""

    errors: float
    often: float = 0.0
    runaway: int = 60
    seen: bool = False  # such a segment is in every file that is drawn

    @property
    def truth(self) -> float:
        return self.errors + self.often * self.runaway / 15.5

    def draw(self, rng: Rng, units: int) -> Counts:
        return self.on(rng, even(rng, units))

    def on(self, rng: Rng, sizes: Integers) -> Counts:
        """Counts on segments of so many words."""
        units = len(sizes)
        wrong = rng.binomial(sizes, self.errors)
        away = rng.random(units) < self.often
        while self.seen and not away.any():
            away = rng.random(units) < self.often
        more = away * self.runaway
        sides = (sizes - wrong, wrong, np.zeros(units), more)
        names = get("transcripts").measure("wer").columns
        return counts_of({n: s * 1.0 for n, s in zip(names, sides, strict=True)})


def speech_scores(speech: Speech, units: int) -> Scores:
    measure = get("transcripts").measure("wer")

    def draw(rng: Rng) -> System:
        return [speech.draw(rng, units)]

    name = f"WER, {speech.errors:g} of the words wrong"
    if speech.often:
        name += f", runaways in {speech.often:.1%} of the segments"
    if speech.seen:
        name += ", of files that have one"
    least, most = limits(units)
    return Scores(
        f"{name}, {units} units",
        draw,
        speech.truth,
        least,
        # Of hardly any error the rule of three is all that is known.
        most if speech.truth > 0.02 else 1.0,
        measure,
        # Some files have no such segment, and look like a better system's.
        beyond=0 < speech.often * units < FEW and not speech.seen,
    )


def penalties(rng: Rng, units: int, share: float = 0.4) -> Floats:
    """Penalties of segments as in MQM: minor errors 1, major 5, critical ones 25."""
    flags = rng.random(units) < share
    minor, major = rng.poisson(0.8, units), rng.poisson(0.4, units)
    critical = rng.random(units) < 0.02
    return flags * (minor + 5.0 * major + 25.0 * critical)


def judged(values: Floats) -> Counts:
    """Counts of a declared mean, one judgement a unit."""
    column, given = MQM.columns
    return counts_of({**fixed_point(column, values), given: np.ones(len(values))})


def mqm_scores(units: int) -> Scores:
    def draw(rng: Rng) -> System:
        return [judged(penalties(rng, units))]

    truth = 0.4 * (0.8 + 5 * 0.4 + 25 * 0.02)
    return Scores(f"MQM, {units} units", draw, truth, *limits(units), MQM)


def grade_scores(units: int) -> Scores:
    """Grades from 1 to 5."""
    chances = (0.05, 0.1, 0.2, 0.4, 0.25)

    def draw(rng: Rng) -> System:
        return [judged(rng.choice(np.arange(1.0, 6.0), units, p=chances))]

    grades = np.arange(1.0, 6.0)
    truth = float(grades @ chances)
    return Scores(
        f"grades from 1 to 5, {units} units", draw, truth, *limits(units), MQM
    )


def translated(rng: Rng, units: int) -> Counts:
    """Sums of BLEU: lengths, and n-grams that are found in the reference."""
    sizes = rng.integers(5, 41, units)
    lengths = sizes + rng.integers(-3, 4, units)
    ease = np.clip(rng.normal(0.62, 0.12, units), 0.05, 1)
    totals = [np.maximum(lengths - k, 0) for k in range(4)]
    sums = [
        rng.binomial(total, ease ** (1 + 0.6 * k)) for k, total in enumerate(totals)
    ]
    sides = (*sums, *totals, lengths, sizes)
    columns = zip(bleu.COLUMNS, (side * 1.0 for side in sides), strict=True)
    return counts_of(dict(columns))


@lru_cache
def true_bleu() -> float:
    measure = get("translation").measure("bleu")
    many = translated(np.random.default_rng(1), VERY_MANY)
    return float(measure.of(many.totals, many.columns))


def bleu_scores(units: int) -> Scores:
    def draw(rng: Rng) -> System:
        return [translated(rng, units)]

    measure = get("translation").measure("bleu")
    return Scores(f"BLEU, {units} units", draw, true_bleu(), *limits(units), measure)


def graded_likeness(units: int) -> Scores:
    """Spearman of grades: normal numbers that correlate 0.8, rounded."""
    measure = NUMBERS.measure("spearman")

    def rounded(rng: Rng, size: int) -> Counts:
        gold = rng.normal(size=size)
        sides = (gold, likeness(rng, gold, 0.8))
        return numbers_of(*(np.round(np.clip(side, -2, 2)) for side in sides))

    def draw(rng: Rng) -> System:
        return [rounded(rng, units)]

    name = f"Spearman, grades of normal numbers that correlate 0.8, {units} units"
    return Scores(name, draw, true_graded(), *limits(units), measure)


@lru_cache
def true_graded() -> float:
    """Correlation of two normal variables that correlate 0.8, rounded to -2 to 2."""
    from scipy import stats

    edges = np.array([-np.inf, -1.5, -0.5, 0.5, 1.5, np.inf])
    both = stats.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]])
    far = np.where(np.isinf(edges), np.sign(edges) * 9, edges)
    below = np.array([[both.cdf([x, y]) for y in far] for x in far])
    cells = np.diff(np.diff(below, axis=0), axis=1)
    own = cells.sum(axis=1)
    rank = np.cumsum(own) - own / 2
    rank = rank - own @ rank
    return float(rank @ cells @ rank / (own @ rank**2))


def document_scores(units: int) -> Scores:
    """Documents in which the system does well or badly by itself."""
    population = documents(units, 0.05)

    def draw(rng: Rng) -> System:
        return population.draw(rng, [0.8])[0]

    return Scores(population.name, draw, 0.8, 0.9, 1.0)


@dataclass(frozen=True)
class Differences:
    """For intervals of differences: two systems, how far they are truly apart."""

    name: str
    draw: Callable[[Rng], tuple[System, System]]
    truth: float
    measure: Measure = ACCURACY
    least: float = 0.93
    most: float = 0.99


def of_skills(
    name: str, sizes: Callable[[Rng, int], Integers], gap: float, units: int
) -> Differences:
    def draw(rng: Rng) -> tuple[System, System]:
        first, second = words(rng, sizes(rng, units), (0.6 + gap, 0.6))
        return [first], [second]

    kept = limits(units)
    return Differences(f"{name}, {units} units", draw, gap, ACCURACY, *kept)


def rarely_apart(right: float, gap: float, units: int) -> Differences:
    """One answer each; the two differ in 2 * `gap` of the units."""

    def draw(rng: Rng) -> tuple[System, System]:
        luck = rng.random(units)
        second = luck < right
        moved = rng.random(units)
        # Gains and losses, the gains more by the gap.
        gains = ~second & (moved < 1.5 * gap / (1 - right))
        losses = second & (moved < 0.5 * gap / right)
        first = (second | gains) & ~losses
        ones = np.ones(units)
        sides = (
            counts_of({"right": side * 1.0, "wanted": ones}) for side in (first, second)
        )
        a, b = ([side] for side in sides)
        return a, b

    name = f"one answer each, {right:g} right, {gap:g} apart"
    least, most = limits(units)
    most = most if right < 0.98 else 1.0
    return Differences(f"{name}, {units} units", draw, gap, ACCURACY, least, most)


def texts_apart(units: int) -> Differences:
    """ROUGE of two systems that meet the same texts, 0.02 apart."""
    measure = get("texts").measure("rougeL")
    column, whole = measure.columns

    def draw(rng: Rng) -> tuple[System, System]:
        ease = rng.normal(0.58, 0.1, units)
        pair = []
        for skill in (0.02, 0.0):
            values = np.clip(ease + skill + rng.uniform(-0.1, 0.1, units), 0, 1)
            columns = {**fixed_point(column, values), whole: np.ones(units)}
            pair.append([counts_of(columns)])
        return pair[0], pair[1]

    return Differences(f"ROUGE-L, {units} units", draw, 0.02, measure, *limits(units))


def classes_apart(chances: Sequence[float], units: int, *kept: float) -> Differences:
    """Macro F1 of two systems, 0.8 and 0.75 of the labels known."""
    measure = get("classes").measure("macro_f1")

    def draw(rng: Rng) -> tuple[System, System]:
        gold = rng.choice(len(chances), units, p=chances)
        luck = rng.random(units)
        pair = []
        for skill in (0.8, 0.75):
            guess = rng.choice(len(chances), units, p=chances)
            pair.append([of_labels(gold, np.where(luck < skill, gold, guess))])
        return pair[0], pair[1]

    truth = true_of_classes("macro_f1", chances, 0.8)
    truth -= true_of_classes("macro_f1", chances, 0.75)
    name = f"macro F1 of {classes_in_words(chances)}, {units} units"
    return Differences(name, draw, truth, measure, *(kept or limits(units)))


def speech_apart(units: int) -> Differences:
    measure = get("transcripts").measure("wer")
    one, other = Speech(0.14), Speech(0.12)

    def draw(rng: Rng) -> tuple[System, System]:
        seed = int(rng.integers(1 << 30))
        # The same lengths for both: they are drawn first.
        draws = [np.random.default_rng([seed, 0]) for _ in range(2)]
        return [one.draw(draws[0], units)], [other.draw(draws[1], units)]

    return Differences(f"WER, {units} units", draw, 0.02, measure, *limits(units))


def penalties_apart(units: int) -> Differences:
    def draw(rng: Rng) -> tuple[System, System]:
        sides = [penalties(rng, units, share) for share in (0.4, 0.35)]
        return [judged(sides[0])], [judged(sides[1])]

    truth = 0.05 * (0.8 + 5 * 0.4 + 25 * 0.02)
    return Differences(f"MQM, {units} units", draw, truth, MQM, *limits(units))


OF_FRACTIONS = [
    *(fraction_scores("texts", "rougeL", TEXTS, n) for n in (30, 100, 300)),
    *(fraction_scores("texts", "rougeL", LOW_TEXTS, n) for n in (30, 100)),
    *(fraction_scores("retrieval", "ndcg@10", TOPICS, n) for n in (30, 60, 100)),
    *(fraction_scores("retrieval", "map", PRECISIONS, n) for n in (30, 60, 100)),
]
RARE = (0.9, 1.0)
OF_MEASURES = [
    *OF_FRACTIONS,
    fraction_scores("retrieval", "ndcg@10", EASY_TOPICS, 100),
    *(class_scores("macro_f1", (1 / 3,) * 3, 0.8, n) for n in (30, 100)),
    *(class_scores("macro_f1", zipf(10), 0.8, n) for n in (30, 100, 300)),
    *(class_scores("macro_f1", ONE_RARE, 0.8, n, *RARE) for n in (30, 100, 300)),
    *(class_scores("macro_f1", zipf(10), 0.97, n) for n in (30, 100)),
    *(class_scores("mcc", (0.5, 0.5), 0.8, n) for n in (30, 100)),
    *(class_scores("mcc", (0.95, 0.05), 0.8, n, *RARE) for n in (30, 100)),
    *(class_scores("kappa", (0.5, 0.5), 0.8, n) for n in (30, 100)),
    *(class_scores("kappa", (0.95, 0.05), 0.8, n, *RARE) for n in (30, 100)),
    *(class_scores("kappa", zipf(5), 0.97, n) for n in (30, 100)),
    *(speech_scores(Speech(0.14), n) for n in (30, 100)),
    *(speech_scores(Speech(0.002), n) for n in (30, 100)),
    *(speech_scores(Speech(0.1, 0.01), n) for n in (30, 100, 1000)),
    *(speech_scores(Speech(0.1, 0.01, seen=True), n) for n in (30, 100)),
    *(mqm_scores(n) for n in (30, 100, 300)),
    *(grade_scores(n) for n in (30, 100)),
    *(bleu_scores(n) for n in (30, 100)),
    *(graded_likeness(n) for n in (30, 100)),
    *(document_scores(n) for n in (30, 100)),
]
OF_DIFFERENCES = [
    *(of_skills("sentences", even, 0.03, n) for n in (10, 30, 100)),
    *(of_skills("lognormal sizes (1.5)", lognormal(1.5), 0.03, n) for n in (30, 100)),
    *(rarely_apart(0.8, 0.05, n) for n in (10, 30, 100)),
    *(rarely_apart(0.98, 0.01, n) for n in (30, 100, 1000)),
    *(texts_apart(n) for n in (30, 100)),
    *(classes_apart((1 / 3,) * 3, n) for n in (30, 100)),
    *(classes_apart(ONE_RARE, n, *RARE) for n in (100, 300)),
    *(speech_apart(n) for n in (30, 100)),
    *(penalties_apart(n) for n in (30, 100)),
]
