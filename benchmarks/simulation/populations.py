"""Populations of units, and systems whose true quality on them is known."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.formats.answers import Answers
from scoring.measures import (
    Measure,
    f1_share,
    ratio,
    ratio_or_zero,
    simple_share,
)
from scoring.scorers import get
from scoring.scorers.numbers.counts import count
from scoring.scorers.numbers.values import Values

Rng = np.random.Generator
NUMBERS = get("numbers")
# One system: its counts on each test set.
System = list[Counts]


def _f1(right: Floats, returned: Floats, wanted: Floats) -> Floats:
    return ratio_or_zero(2 * right, returned + wanted)


ACCURACY = Measure(
    "accuracy",
    "Accuracy",
    ("right", "wanted"),
    ratio,
    "right / wanted",
    share=simple_share,
)
TAG = Measure(
    "f1[TAG]",
    "F1",
    ("right[TAG]", "returned[TAG]", "wanted[TAG]"),
    _f1,
    "F1",
    present=("wanted[TAG]",),
    share=f1_share,
)
CLASSES = 5


def _macro(*columns: Floats) -> Floats:
    """The mean F1 of the classes: right, returned and wanted of each."""
    values = [_f1(*columns[3 * k : 3 * k + 3]) for k in range(CLASSES)]
    return np.asarray(sum(values) / CLASSES)


MACRO = Measure(
    "macro",
    "Macro F1",
    tuple(
        f"{kind}{k}" for k in range(CLASSES) for kind in ("right", "returned", "wanted")
    ),
    _macro,
    "mean F1",
)


@dataclass(frozen=True)
class Population:
    """`draw(rng, skills)` makes a test set and a system for each skill.

    Systems of one skill can be exchanged within every unit. `informing` is in about
    how many units two of them differ, of the smallest test set.
    """

    name: str
    draw: Callable[[Rng, Sequence[float]], list[System]]
    informing: int
    measure: Measure = ACCURACY


def counts_of(columns: dict[str, Floats]) -> Counts:
    units = len(next(iter(columns.values())))
    names = tuple(f"u{i:06}" for i in range(units))
    return Counts(names, tuple(columns), np.stack(list(columns.values()), axis=1))


def words(rng: Rng, sizes: Integers, skills: Sequence[float]) -> list[Counts]:
    """Words right or wrong; how hard a unit is, is the same for all systems."""
    ease = rng.normal(0, 0.1, len(sizes))
    return [
        counts_of(
            {
                "right": rng.binomial(sizes, np.clip(skill + ease, 0, 1)) * 1.0,
                "wanted": sizes * 1.0,
            }
        )
        for skill in skills
    ]


def even(rng: Rng, units: int) -> Integers:
    return rng.integers(1, 31, units)


def lognormal(spread: float) -> Callable[[Rng, int], Integers]:
    def sizes(rng: Rng, units: int) -> Integers:
        drawn = np.ceil(np.exp(rng.normal(2.5, spread, units)))
        return np.asarray(drawn, dtype=np.int64)

    return sizes


def of_words(
    name: str, sizes: Callable[[Rng, int], Integers], *units: int
) -> Population:
    """The mean over test sets of so many units."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        sets = [words(rng, sizes(rng, n), skills) for n in units]
        return [list(system) for system in zip(*sets, strict=True)]

    told = ", ".join(map(str, units))
    return Population(f"{name}, {told} units", draw, min(units))


def binary(share: float, units: int) -> Population:
    """One answer a unit, right or wrong; skills are moved to `share`."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        ones = np.ones(units)
        return [
            [counts_of({"right": rng.binomial(1, share, units) * 1.0, "wanted": ones})]
            for _ in skills
        ]

    name = f"one answer each, {share:g} right, {units} units"
    return Population(name, draw, int(2 * share * (1 - share) * units))


def documents(units: int, spread: float) -> Population:
    """Documents of unequal size in which systems do well or badly by themselves."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        sizes = lognormal(1.0)(rng, units) * 20
        systems = []
        for skill in skills:
            own = np.clip(skill + rng.normal(0, spread, units), 0, 1)
            right = rng.binomial(sizes, own) * 1.0
            systems.append([counts_of({"right": right, "wanted": sizes * 1.0})])
        return systems

    name = f"documents with effects of their own ({spread:g}), {units} units"
    return Population(name, draw, units)


def tags(bearing: int, units: int) -> Population:
    """F1 of a tag that few units bear, one to four spans each."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        wanted = np.zeros(units, dtype=np.int64)
        wanted[:bearing] = rng.integers(1, 5, bearing)
        systems = []
        for skill in skills:
            right = rng.binomial(wanted, min(skill, 0.6))
            extra = rng.binomial(wanted, 0.2)
            columns = (right, right + extra, wanted)
            named = zip(TAG.columns, (column * 1.0 for column in columns), strict=True)
            systems.append([counts_of(dict(named))])
        return systems

    return Population(f"a tag in {bearing} of {units} units", draw, bearing, TAG)


def classes(units: int) -> Population:
    """Labels of five classes of unequal size, in documents of 20; macro F1."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        chances = np.array([0.5, 0.25, 0.15, 0.07, 0.03])
        gold = rng.choice(CLASSES, (units, 20), p=chances)
        systems = []
        for skill in skills:
            guess = rng.choice(CLASSES, gold.shape, p=chances)
            said = np.where(rng.random(gold.shape) < skill, gold, guess)
            columns = {}
            for k in range(CLASSES):
                columns[f"right{k}"] = ((said == k) & (gold == k)).sum(axis=1) * 1.0
                columns[f"returned{k}"] = (said == k).sum(axis=1) * 1.0
                columns[f"wanted{k}"] = (gold == k).sum(axis=1) * 1.0
            systems.append([counts_of(columns)])
        return systems

    return Population(f"macro F1 of 5 classes, {units} units", draw, units, MACRO)


def variants(units: int) -> Population:
    """Systems that answer alike but for one word in fifty; words weigh unequally."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        weights = rng.pareto(2.5, (units, 15)) + 0.1
        shared = rng.random(weights.shape)
        systems = []
        for skill in skills:
            own = rng.random(weights.shape) < 0.02
            luck = np.where(own, rng.random(weights.shape), shared)
            right = ((luck < skill) * weights).sum(axis=1)
            columns = fixed_point("right", right)
            columns |= fixed_point("wanted", weights.sum(axis=1))
            systems.append([counts_of(columns)])
        return systems

    name = f"variants of one system, weighted, {units} units"
    return Population(name, draw, units // 6)


def numbers_of(gold: Floats, system: Floats) -> Counts:
    """Counts of the scorer `numbers` on such values."""

    def values(numbers: Floats) -> Values:
        size = len(numbers)
        ids = [f"u{i:06}" for i in range(size)]
        rows, ones = np.arange(size), np.ones(size, dtype=np.int64)
        return Values(Answers("", ids, rows, [""] * size, ones), numbers)

    return count(values(gold), values(system), {"within": "1"})


def likeness(rng: Rng, gold: Floats, correlation: float) -> Floats:
    """Normal numbers that correlate so with the gold's, which are normal, too."""
    noise = rng.normal(size=len(gold))
    return correlation * gold + math.sqrt(1 - correlation**2) * noise


def likenesses(measure: str, units: int, kind: str = "") -> Population:
    """Numbers that correlate with the gold's; `kind` is "two scales" or "grades"."""

    def draw(rng: Rng, skills: Sequence[float]) -> list[System]:
        gold = rng.normal(size=units)
        systems = [likeness(rng, gold, skill) for skill in skills]
        if kind == "two scales":
            systems[1::2] = [50 * values + 300 for values in systems[1::2]]
        elif kind == "grades":
            gold, *systems = (np.round(values) for values in (gold, *systems))
        return [[numbers_of(gold, values)] for values in systems]

    title = NUMBERS.measure(measure).title
    name = f"{title}{kind and ', ' + kind}, {units} units"
    return Population(name, draw, units, NUMBERS.measure(measure))


@dataclass(frozen=True)
class Scores:
    """For intervals: one system whose true value is known."""

    name: str
    draw: Callable[[Rng], System]
    truth: float
    least: float = 0.9
    most: float = 1.0
    measure: Measure = ACCURACY
    beyond: bool = False  # `Finding.beyond`


# Of two normal variables, by their correlation.
TRUE_LIKENESS: dict[str, Callable[[float], float]] = {
    "pearson": lambda r: r,
    "spearman": lambda r: 6 / math.pi * math.asin(r / 2),
    "kendall": lambda r: 2 / math.pi * math.asin(r),
}


def alike(measure: str, units: int, correlation: float) -> Scores:
    """A system whose numbers correlate so with those of the gold."""

    def draw(rng: Rng) -> System:
        gold = rng.normal(size=units)
        return [numbers_of(gold, likeness(rng, gold, correlation))]

    declared = NUMBERS.measure(measure)
    name = f"{declared.title}, normal numbers that correlate {correlation:g}"
    truth = TRUE_LIKENESS[measure](correlation)
    return Scores(f"{name}, {units} units", draw, truth, *bounds(units), declared)


def one_of(population: Population, truth: float, units: int) -> Scores:
    def draw(rng: Rng) -> System:
        return population.draw(rng, [truth])[0]

    return Scores(population.name, draw, truth, *bounds(units, truth))


def bounds(units: int, truth: float = 0.5) -> tuple[float, float]:
    """Bounds that intervals of light tails are to keep: neither too short nor too long.

    Above 0.98 and below 0.02 there is no upper one.
    """
    if units < 100:
        return 0.9, 1.0
    return 0.93, 0.98 if 0.02 <= truth <= 0.98 else 1.0


def plain_mean(*units: int, least: float = 0.9) -> Scores:
    """The mean over test sets of so many sentences."""
    sets = [plain_words("", even, n) for n in units]

    def draw(rng: Rng) -> System:
        return [test_set.draw(rng)[0] for test_set in sets]

    told = ", ".join(map(str, units))
    return Scores(f"mean of test sets, {told} units", draw, 0.8, least)


def plain_words(
    name: str, sizes: Callable[[Rng, int], Integers], units: int, *kept: float
) -> Scores:
    """Words right with probability 0.8 whatever their unit."""

    def draw(rng: Rng) -> System:
        wanted = sizes(rng, units)
        right = rng.binomial(wanted, 0.8) * 1.0
        return [counts_of({"right": right, "wanted": wanted * 1.0})]

    return Scores(f"{name}, {units} units", draw, 0.8, *kept)


PAIRS = [
    *(of_words("sentences", even, n) for n in (10, 30, 100, 200)),
    *(of_words("lognormal sizes (1)", lognormal(1.0), n) for n in (30, 200)),
    *(of_words("lognormal sizes (1.5)", lognormal(1.5), n) for n in (10, 30, 100, 200)),
    *(documents(n, 0.05) for n in (15, 100)),
    *(tags(bearing, 30) for bearing in (1, 2, 3)),
    *(tags(bearing, 200) for bearing in (5, 10, 20, 60)),
    *(
        of_words("mean of test sets", even, *units)
        for units in (
            (1000, 1),
            (1000, 2),
            (1000, 5),
            (1000, 30),
            (5, 5, 5),
            (8, 8),
            (200, 200, 200),
        )
    ),
    *(binary(share, n) for share in (0.99, 0.5, 0.02) for n in (30, 200)),
    *(classes(n) for n in (30, 200)),
    *(variants(n) for n in (100, 500)),
    *(likenesses(name, n) for name in TRUE_LIKENESS for n in (30, 200)),
    likenesses("pearson", 200, "two scales"),
    *(likenesses("spearman", 200, kind) for kind in ("two scales", "grades")),
]
BOARDS = [
    of_words("sentences", even, 200),
    of_words("lognormal sizes (1.5)", lognormal(1.5), 100),
    binary(0.5, 200),
    of_words("mean of test sets", even, 200, 5),
]
LINES = [
    of_words("sentences", even, 200),
    of_words("lognormal sizes (1.5)", lognormal(1.5), 200),
]
PLANNED = [
    of_words("sentences", even, 300),
    of_words("lognormal sizes (1.5)", lognormal(1.5), 300),
    of_words("one answer each, 0.6 right", lambda _rng, n: np.ones(n, np.int64), 300),
]
EQUAL = 0.8
SCORES = [
    *(
        one_of(binary(share, n), share, n)
        for share in (0.02, 0.5, 0.95, 0.98, 0.99)
        for n in (30, 100, 200)
    ),
    *(plain_words("sentences", even, n, *bounds(n)) for n in (30, 100, 200)),
    *(plain_words("lognormal sizes (1)", lognormal(1.0), n, 0.85) for n in (100, 200)),
    plain_words("lognormal sizes (1.5)", lognormal(1.5), 200, 0.8),
    *(
        plain_mean(*units)
        for units in ((1000, 30), (1000, 5), (200, 200, 200), (5, 5, 5))
    ),
    *(
        alike(name, n, correlation)
        for name in TRUE_LIKENESS
        for n in (30, 100)
        for correlation in (0.5, 0.9)
    ),
]
