"""Variance components beside that of the units: runs of a system, prompts, judges.

The exchange test asks whether two systems would differ on other units, for these runs
and these judges. Where an entry has several runs, or several people judged it, they are
a sample, too. The p-value is put as the z of a normal distribution, which becomes
smaller as the standard error of units, runs and judges is larger than that of units
alone, and is then referred to Student's t, with the degrees of freedom of Satterthwaite
(docs/decisions/0021).

How much runs vary is seen in those of one entry. Part of that comes from the units, on
which each run answers a little otherwise: it is in the variance over units already, and
is taken off.

Three runs may happen to be alike. Of many pairs, those where they are would look
surest, so that no entry's runs, and no pair's judges, are taken to vary less than those
of all systems that are compared do on average.

Where an entry names the prompt of each run, prompts are the sample: the mean over the
runs of each. Two systems under the same prompts are compared prompt by prompt, so that
one that is easy for both says nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from scoring.counts import Flags, Floats, Integers
from scoring.measures import Measure
from scoring.statistics.bootstrap import jackknife
from scoring.statistics.intervals import normal
from scoring.statistics.judges import FactorVariance, Judges, System
from scoring.statistics.runs import by_prompt, several_prompts, value_of

# Libraries of elementary functions differ in their last bits; nine digits agree.
DIGITS = 9
# From so many degrees of freedom on Student's t is the normal distribution.
MANY = 10_000
MOST_STEPS = 500
TINY = 1e-300


@dataclass(frozen=True)
class Planned:
    """How many runs and judges of a system are planned, from 2 on; None: as many as
    there are."""

    runs: int | None = None
    judges: int | None = None


@dataclass(frozen=True)
class RandomFactors:
    """Random factors of systems in one measure: their `runs` (systems,), `prompts` that
    pairs share, and `judges`; None where nobody has several. `sizes` (systems,) are
    numbers of runs. Variances are as if there were as many as are `planned`."""

    runs: FactorVariance
    judges: Judges | None
    prompts: "SharedPrompts | None" = None
    sizes: tuple[int, ...] = ()
    planned: "Planned | None" = None

    @classmethod
    def of(cls, systems: Sequence[System], measure: Measure) -> "RandomFactors | None":
        """The random factors of the systems; None where no system has several runs or
        judges."""
        judges = Judges.of(systems, measure)
        several = any(c is not None and c.size > 1 for row in systems for c in row)
        if judges is None and not several:
            return None
        own = [_run_factor(s, measure) for s in systems]
        sizes = tuple(max((c.size for c in row if c), default=1) for row in systems)
        return cls(_at_least_usual(own), judges, SharedPrompts.among(own), sizes)

    @property
    def of_runs(self) -> int | None:
        """The usual number of runs of a system, of those that have several; None where
        none has, and where prompts take the place of runs."""
        several = sorted(size for size in self.sizes if size > 1)
        has_runs = several and self.prompts is None
        return several[len(several) // 2] if has_runs else None

    @property
    def of_judges(self) -> int | None:
        """The most judges that a system has; None where none has several."""
        most = (
            0 if self.judges is None else int(self.judges.has_judged.sum(axis=1).max())
        )
        return most if most > 1 else None

    def of_pairs(self, first: Integers, second: Integers) -> tuple[Floats, Floats]:
        """The variance that runs and judges add to that of each difference (pairs,),
        and the terms of both in the degrees of freedom of Satterthwaite."""
        runs = self.runs
        if self.planned and self.planned.runs and self.of_runs:
            runs = runs.as_if(np.array(self.sizes), self.planned.runs)
        excess = runs.excess[first] + runs.excess[second]
        squares = runs.squares[first] + runs.squares[second]
        if self.prompts is not None:
            excess, squares = self.prompts.put(first, second, excess, squares)
        if self.judges is not None:
            of_judges = self.judges.of_pairs(first, second)
            if self.planned and self.planned.judges and self.of_judges:
                now = np.full(len(first), self.of_judges)
                of_judges = of_judges.as_if(now, self.planned.judges)
            excess = excess + of_judges.excess
            squares = squares + of_judges.squares
        return excess, squares


@dataclass(frozen=True)
class _Runs:
    """Variance of the mean over the runs of a system, and what of it comes from units;
    0 of one run. `prompts` are those of an entry that names them, which `size` then
    counts, and `moves` by how much each moves the mean. What runs of one prompt add is
    in it; `within` has that by itself, less what comes from units."""

    variance: float = 0.0
    noise: float = 0.0
    size: int = 1
    prompts: tuple[str, ...] = ()
    moves: tuple[float, ...] = ()
    within: float | None = None

    @property
    def excess(self) -> float:
        return max(self.variance - self.noise, 0.0)


def _run_factor(system: System, measure: Measure) -> _Runs:
    given = [counts for counts in system if counts is not None]
    size = min((counts.size for counts in given), default=1)
    if size < 2 or any(counts.size != size for counts in given):
        return _Runs()
    prompts = given[0].prompts if several_prompts(given[0]) else ()
    if any(counts.prompts != given[0].prompts for counts in given):
        prompts = ()
    values, noise, within_noise = np.zeros(size), 0.0, 0.0
    for counts in given:
        share = counts.weight / len(system)
        each = counts.each_run()
        values += [share * value_of(run, measure) for run in each]
        left_out = np.stack([jackknife(run, measure) for run in each])
        noise += share * share * _noise(by_prompt(left_out, prompts))
        within_noise += share * share * _noise_within(left_out, prompts)
    if not np.isfinite(values).all():
        return _Runs()
    if not prompts:
        return _Runs(_mean_variance(values), noise, size)
    of_prompts = by_prompt(values, prompts)
    names = tuple(sorted(set(prompts)))
    mean = math.fsum(of_prompts.tolist()) / len(names)
    moves = tuple((value - mean) / len(names) for value in of_prompts.tolist())
    within = None
    if size > len(names):
        within = max(_within(values[:, None], prompts) - within_noise, 0.0)
    return _Runs(_mean_variance(of_prompts), noise, len(names), names, moves, within)


def _mean_variance(values: Floats) -> float:
    """The variance of the mean of some values."""
    size = len(values)
    mean = math.fsum(values.tolist()) / size
    squares = math.fsum((value - mean) ** 2 for value in values.tolist())
    return squares / (size * (size - 1))


def _within(rows: Floats, prompts: Sequence[str]) -> float:
    """The variance of the mean over runs that those of one prompt make, by `rows`
    (runs, n) that add up to it."""
    names = sorted(set(prompts))
    of = np.array([names.index(name) for name in prompts])
    off = rows - by_prompt(rows, prompts)[of]
    free = len(prompts) - len(names)
    return math.fsum((off * off).ravel().tolist()) / (free * len(prompts))


def _noise_within(left_out: Floats, prompts: Sequence[str]) -> float:
    """The part of `_within` that comes from how runs answer on single units."""
    if len(set(prompts)) in (0, len(prompts)) or not np.isfinite(left_out).all():
        return 0.0
    return _within(left_out - left_out.mean(axis=1, keepdims=True), prompts)


@dataclass(frozen=True)
class SharedPrompts:
    """Pairs of systems under the same prompts: by how much each prompt moves each
    system (systems, prompts), and what of it comes from units (systems,); `of`
    (systems,) numbers the sets of prompts, -1 for none, of which each has a size."""

    moves: Floats
    noise: Floats
    of: Integers
    sizes: Sequence[int]

    @classmethod
    def among(cls, systems: Sequence[_Runs]) -> "SharedPrompts | None":
        """The prompts that systems share; None where no two have the same."""
        sets = sorted({system.prompts for system in systems if system.prompts})
        of = [
            sets.index(system.prompts) if system.prompts else -1 for system in systems
        ]
        if not any(of.count(k) > 1 for k in range(len(sets))):
            return None
        moves = np.zeros((len(systems), max(map(len, sets))))
        for row, system in zip(moves, systems, strict=True):
            row[: len(system.moves)] = system.moves
        noise = np.array([system.noise for system in systems])
        sizes = [len(names) for names in sets]
        return cls(moves, noise, np.array(of, dtype=np.int64), sizes)

    def put(
        self, first: Integers, second: Integers, excess: Floats, squares: Floats
    ) -> tuple[Floats, Floats]:
        """The parts of runs in variances, and in the terms of Satterthwaite, (pairs,),
        with that of prompts in the place of pairs that share them."""
        excess, squares = excess.copy(), squares.copy()
        same = (self.of[first] == self.of[second]) & (self.of[first] >= 0)
        for i, size in enumerate(self.sizes):
            here = same & (self.of[first] == i)
            if not here.any():
                continue
            among = self.of == i
            systems = int(among.sum())
            apart = self.moves[first[here]] - self.moves[second[here]]
            own = np.array([math.fsum(row) for row in (apart * apart).tolist()])
            own *= size / (size - 1)
            from_units = self.noise[first[here]] + self.noise[second[here]]
            usual = self._usual(among, size)
            low = own - from_units < usual
            excess[here] = np.where(low, usual, own - from_units)
            free = np.where(low, (systems - 1) * (size - 1), size - 1)
            squares[here] = np.where(low, usual + from_units, own) ** 2 / free
        return excess, squares

    def _usual(self, among: Flags, size: int) -> float:
        """The part of prompts in a difference of these systems, a mean over pairs."""
        moves, systems = self.moves[among], int(among.sum())
        pairs = systems * (systems - 1) / 2
        squares = systems * math.fsum((moves * moves).ravel().tolist())
        sums = [math.fsum(column) for column in moves.T.tolist()]
        whole = (squares - math.fsum(value * value for value in sums)) / pairs
        noise = 2 * math.fsum(self.noise[among].tolist()) / systems
        return max(whole * size / (size - 1) - noise, 0.0)


def _at_least_usual(systems: Sequence[_Runs]) -> FactorVariance:
    """Variances of means over runs, of which none is below what all say together;
    entries that name prompts and others by themselves."""
    together = {
        kind: _usual([system for system in systems if bool(system.prompts) == kind])
        for kind in (False, True)
    }
    rows = []
    for system in systems:
        usual, free = together[bool(system.prompts)]
        if system.size > 1 and usual / system.size > system.excess:
            shared = usual / system.size
            rows.append((shared, shared + system.noise, free))
        else:
            rows.append((system.excess, system.variance, system.size - 1))
    excess, variance, degrees = np.array(rows).reshape(len(rows), 3).T
    return FactorVariance(excess, variance, degrees)


def _usual(systems: Sequence[_Runs]) -> tuple[float, int]:
    """The variance of one run that all say together, and its degrees of freedom."""
    free = sum(system.size - 1 for system in systems)
    squares = [
        (system.size - 1) * system.size * (system.variance - system.noise)
        for system in systems
    ]
    return max(math.fsum(squares) / max(free, 1), 0.0), free


def _noise(table: Floats) -> float:
    """The variance of the mean over runs that comes from how each of them answers on
    single units, of values with each unit left out; 0 if it is not known."""
    size = len(table)
    if not np.isfinite(table).all():
        return 0.0
    table = table - table.mean(axis=1, keepdims=True)
    off = table - table.mean(axis=0)
    return math.fsum((off * off).ravel().tolist()) / (size * (size - 1))


def p_values(
    p_value: Floats, z: Floats, variance: Floats, excess: Floats, squares: Floats
) -> Floats:
    """P-values of pairs that know what varies beside the units. `p_value` and `z` are
    those of the test on units, `variance` that of the difference there."""
    defined = (squares > 0) & (variance > 0) & ~np.isnan(p_value)
    if not defined.any():
        return p_value
    p_values = p_value.copy()
    # So far out nothing but z tells p-values apart.
    tails = [
        -normal().inv_cdf(p / 2) if p > TINY else far
        for p, far in zip(
            p_value[defined].tolist(), np.abs(z[defined]).tolist(), strict=True
        )
    ]
    units, extra = variance[defined], excess[defined]
    whole = units + extra
    # Under 1, a whole number would be none; and no test has more than MANY.
    degrees = np.clip(np.round(whole**2 / squares[defined], 6), 1, MANY)
    shrunk = np.array(tails) * np.sqrt(units / whole)
    p_values[defined] = student_tails(shrunk, np.floor(degrees).astype(np.int64))
    return p_values


def student_tails(t: Floats, degrees: Integers) -> Floats:
    """P(|T| >= t) of Student's t, both (n,), to nine digits."""
    tails = np.array([math.erfc(value) for value in (t / math.sqrt(2)).tolist()])
    few = degrees < MANY
    if few.any():
        tails[few] = _tails(t[few], degrees[few])
    return np.array([float(f"{value:.{DIGITS}g}") for value in tails.tolist()])


def _tails(t: Floats, degrees: Integers) -> Floats:
    """The incomplete beta function I(free / 2, 1 / 2) at free / (free + t * t), by its
    continued fraction, on the side on which that converges fast (DLMF 8.17.22)."""
    free, square = degrees.astype(np.float64), t * t
    x, other = free / (free + square), square / (free + square)
    a, b = free / 2, np.full(len(t), 0.5)
    distinct, of_known = np.unique(degrees, return_inverse=True)
    log_betas = np.array([_log_beta(n / 2) for n in distinct.tolist()])
    with np.errstate(divide="ignore"):
        front = np.exp(a * np.log(x) + b * np.log(other) - log_betas[of_known])
    near = x > (a + 1) / (a + b + 2)
    own = np.where(near, other, x)
    first, second = np.where(near, b, a), np.where(near, a, b)
    whole = front * _fraction(own, first, second) / first
    return np.asarray(np.where(near, 1 - whole, whole))


def _log_beta(a: float) -> float:
    return math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)


def _fraction(x: Floats, a: Floats, b: Floats) -> Floats:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c = np.ones(len(x))
    d = 1 / _not_zero(1 - (a + b) * x / (a + 1))
    value = d.copy()
    for m in range(1, MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _not_zero(1 + term * d)
            c = _not_zero(1 + term / c)
            value = value * d * c
        if (np.abs(d * c - 1) < 1e-15).all():
            break
    return value


def _not_zero(values: Floats) -> Floats:
    return np.where(np.abs(values) < TINY, TINY, values)


SOURCES = ("units", "runs", "prompts", "judges", "rest")
BESIDE_UNITS = ("runs", "prompts", "judges")


@dataclass(frozen=True)
class Sources:
    """Sources of the uncertainty of a score: variances that add up.

    `units`: that there are other units; `runs`, `prompts` and `judges`: that there are
    others of them, None where there is one only; `rest`: what a run or a judge says of
    a unit by chance, None where nothing tells it from the units. `of_runs` and so on
    are how many there are.
    """

    units: float
    runs: float | None
    judges: float | None
    rest: float | None
    of_runs: int = 1
    of_judges: int = 1
    prompts: float | None = None
    of_prompts: int = 1

    @property
    def parts(self) -> dict[str, float | None]:
        """The variance of each source, by name."""
        return {name: getattr(self, name) for name in SOURCES}

    @property
    def several(self) -> bool:
        """Whether anything but units is known to vary."""
        return any(self.parts[name] is not None for name in BESIDE_UNITS)

    @property
    def whole(self) -> float:
        return math.fsum(part for part in self.parts.values() if part)

    def as_dict(self) -> dict[str, Any]:
        """Plain values: the standard error, the share of each source in the variance,
        null for one that nothing tells from others, and how many runs there are."""
        whole = self.whole
        return {
            "error": self.error,
            "shares": {
                name: None if part is None else part / whole if whole else 0.0
                for name, part in self.parts.items()
            },
            "runs": self.of_runs,
            "prompts": self.of_prompts,
            "judges": self.of_judges,
        }

    @property
    def error(self) -> float:
        """The standard error of the score."""
        return math.sqrt(self.whole)


def sources_of(system: System, measure: Measure) -> Sources | None:
    """Sources of the uncertainty of a system's score; None where there is no telling:
    no value, or a test set with fewer than two units or none at all."""
    given = [counts for counts in system if counts is not None]
    if not given or len(given) < len(system) or measure.of_file:
        return None
    units = noise = 0.0
    for counts in given:
        share = counts.weight / len(system)
        left_out = np.stack([jackknife(run, measure) for run in counts.each_run()])
        size = left_out.shape[1]
        if size < 2 or not np.isfinite(left_out).all():
            return None
        mean_run = left_out.mean(axis=0)
        off = mean_run - mean_run.mean()
        squares = math.fsum((off * off).tolist())
        units += share * share * squares * (size - 1) / size
        if counts.size > 1:
            noise += share * share * _noise(left_out)
    own = _run_factor(system, measure)
    several = own.size > 1
    by_runs, by_prompts = own.excess if several else None, None
    if own.prompts:
        by_runs = None if own.within is None else min(own.within, own.excess)
        by_prompts = own.excess - (by_runs or 0.0)
    judges, of_judges = Judges.of([system], measure), 1
    by_judges = None
    chance = noise if several else None
    if judges is not None and (variance := judges.of_systems()).degrees[0] > 0:
        by_judges = float(variance.excess[0])
        of_judges = int(judges.has_judged[0].sum())
        # Judgements of a run are made of what judges say of it.
        by_chance = judges.by_chance(0)
        chance = chance if by_chance is None else by_chance
    rest = None if chance is None else min(chance, units)
    return Sources(
        units - (rest or 0.0),
        by_runs,
        by_judges,
        rest,
        max(counts.size for counts in given),
        of_judges,
        by_prompts,
        own.size if own.prompts else 1,
    )
