"""Judges as a sample: what each of them adds to a score, and how much they vary.

A score that people gave is uncertain since there are other units, and since there are
other people, who might be stricter. Each judgement moves the score by its cell: the
gradient of the measure times what the judge adds to the unit's counts. Sums of cells by
unit tell how units vary, sums by judge how judges do, and what both have of single
judgements is taken off once (two-way clustered variance: Cameron, Gelbach and Miller
2011). `excess` is what judges add to the variance over units.

Who gives much of a score pulls it towards what they say. So the square of each judge's
sum counts 1 / (1 - h) times, where h is that judge's share of the score, and there are
as many degrees of freedom as 1 / sum(h^2) judges of equal shares would leave (CR2: Bell
and McCaffrey 2002).

A rank correlation, or a mean of a model that people correct, has no gradient by what is
said of a unit. There a judge's sum is how far the score moves without that judge, times
1 - h, and judgements are left out in groups that chance makes of them (a jackknife of
groups).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from scoring.counts import (
    ELSEWHERE,
    GIVEN,
    Counts,
    Flags,
    Floats,
    Integers,
    JudgeCells,
    pick,
)
from scoring.measures import Measure
from scoring.statistics.averages import in_order

# A slope is taken over 2**-10 of the size of the cells in that column.
FINER = 10
# Of units and judges in turn; where all judged as many units one is enough.
PASSES = 10
# Groups of judgements that are left out together.
GROUPS = 64
# A judgement's share of a unit below this is rounding; so are values' further digits.
NO_SHARE, DIGITS = 1e-9, 9
# By Knuth's multiplicative hashing units are spread over groups.
SPREAD = 2_654_435_761

System = Sequence[Counts | None]


@dataclass(frozen=True)
class FactorVariance:
    """How a mean varies with a factor that is a sample, each (n,).

    `excess` comes on top of the variance over units, `variance` has what units make of
    it, too, and `degrees` of freedom; 0 of both where nothing is known.
    """

    excess: Floats
    variance: Floats
    degrees: Floats

    @property
    def squares(self) -> Floats:
        """The factor's term in the degrees of freedom of Satterthwaite."""
        return np.asarray(self.variance**2 / np.maximum(self.degrees, 1))

    def as_if(self, sizes: Integers, planned: int) -> "FactorVariance":
        """The variance as it would be with so many in place of `sizes` (n,), both from
        2 on."""
        scale = np.where(sizes > 1, sizes / planned, 1.0)
        more = np.where(sizes > 1, (planned - 1) / np.maximum(sizes - 1, 1), 1.0)
        degrees = np.floor(np.round(self.degrees * more, DIGITS))
        return FactorVariance(self.excess * scale, self.variance * scale, degrees)


@dataclass(frozen=True)
class _Cells:
    """The move of a system's score by each judgement: the unit of each, over all test
    sets, its judge, the move, centred, and its share of the score, (cells,). Where a
    judge's moves are no sum of these, `by_judge` has them and the judge's share, and
    units are groups of judgements."""

    unit_of: Integers
    judge_of: Sequence[str]
    moves: Floats
    shares: Floats
    by_judge: Mapping[str, tuple[float, float]] | None = None


@dataclass(frozen=True)
class Judges:
    """Judges of systems: what each adds (systems, judges) to the score, centred, and
    the share of each in what was judged of it, 0 of who judged nothing. `places` and
    `moves` are single judgements of each system, (cells,) each: equal places are of one
    unit and one judge. Of a measure without moves of single judgements they are
    `grouped`: equal places are of one group."""

    sums: Floats
    shares: Floats
    places: Sequence[Integers]
    moves: Sequence[Floats]
    grouped: bool = False

    @classmethod
    def of(cls, systems: Sequence[System], measure: Measure) -> "Judges | None":
        """The judges of the systems; None where no system has several judges who bear
        on the measure."""
        no_moves = measure.weighted is not None and measure.slopes is None
        if no_moves or not any(
            counts is not None and counts.judged is not None
            for system in systems
            for counts in system
        ):
            return None
        cells_of = _cells_of if measure.weighted is None else _left_out
        tables = [cells_of(system, measure) for system in systems]
        names = sorted(
            {j for own in tables if own for j in own.by_judge or own.judge_of}
        )
        if not names:
            return None
        place = {name: i for i, name in enumerate(names)}
        sums = np.zeros((len(systems), len(names)))
        shares = np.zeros(sums.shape)
        places: list[Integers] = []
        moves: list[Floats] = []
        for i, own in enumerate(tables):
            if own is None:
                places.append(np.zeros(0, dtype=np.int64))
                moves.append(np.zeros(0))
                continue
            if own.by_judge is not None:
                places.append(own.unit_of)
                moves.append(own.moves)
                for name, (move, share) in own.by_judge.items():
                    sums[i, place[name]], shares[i, place[name]] = move, share
                continue
            judge_of = np.array([place[name] for name in own.judge_of])
            cells, cell_of = np.unique(
                own.unit_of * len(names) + judge_of, return_inverse=True
            )
            moved: Floats = np.zeros(len(cells))
            np.add.at(moved, cell_of, own.moves)
            places.append(np.asarray(cells))
            moves.append(moved)
            sums[i] = np.bincount(judge_of, own.moves, len(names))
            shares[i] = np.bincount(judge_of, own.shares, len(names))
        whole = np.array([in_order(row) for row in shares])[:, None]
        shares = np.divide(shares, whole, out=shares, where=whole > 0)
        return cls(sums, shares, places, moves, measure.weighted is not None)

    @property
    def has_judged(self) -> Flags:
        """Flags of which judge judged which system, (systems, judges)."""
        return np.asarray(self.shares > 0)

    @property
    def single(self) -> Floats:
        """The variance of each score that single judgements make, (systems,)."""
        return np.array([float(in_order(moves**2)) for moves in self.moves])

    def by_chance(self, system: int) -> float | None:
        """The variance of a score by what judges say of single units, beside how good
        these and how strict the judges are; None where no unit has several judges."""
        if self.grouped:
            return None
        places, moves = self.places[system], self.moves[system]
        units, unit_of = np.unique(places // self.sums.shape[1], return_inverse=True)
        judges, judge_of = np.unique(places % self.sums.shape[1], return_inverse=True)
        free = len(moves) - len(units) - len(judges) + 1
        if free < 1:
            return None
        rest = moves
        for _pass in range(PASSES):
            for of in (unit_of, judge_of):
                sums, sizes = np.bincount(of, weights=rest), np.bincount(of)
                rest = rest - (sums / sizes)[of]
        return float(in_order(rest**2)) * len(moves) / free

    def of_systems(self) -> FactorVariance:
        """How the score of each system varies with its judges, (systems,)."""
        return _variance_of_judges(self.sums, self.single, self.shares, self._degrees)

    @property
    def _degrees(self) -> Floats:
        """Degrees of freedom of the judges of each system, (systems,)."""
        return np.maximum(_effective_judges(self.shares) - 1, 0.0)

    def of_pairs(self, first: Integers, second: Integers) -> FactorVariance:
        """How the difference of each pair does, (pairs,): of judges of both systems
        only by how they judge the one against the other. No pair has less than the
        usual one, of those whose systems have judges in common and of the others."""
        place = first * len(self.sums) - first * (first + 1) // 2 + second - first - 1
        whole = self._pair_variance
        return FactorVariance(
            whole.excess[place], whole.variance[place], whole.degrees[place]
        )

    @cached_property
    def _pair_variance(self) -> FactorVariance:
        first, second = np.triu_indices(len(self.sums), 1)
        single, several = self.single, self._degrees
        cells = (
            single[first] + single[second] - 2 * self._common_products(first, second)
        )
        one, other = self.shares[first], self.shares[second]
        apart = np.asarray(~((one > 0) & (other > 0)).any(axis=1))
        both = one.any(axis=1).astype(np.int64) + other.any(axis=1)
        # Of a difference whose systems have judges in common they judge it as a whole.
        alone = (apart & (both == 2))[:, None]
        halves = np.where(alone, 1, np.maximum(both, 1)[:, None])
        shares = (one + other) / halves
        free = np.maximum(_effective_judges(shares) - 1, 0.0)
        free = np.where(alone[:, 0], several[first] + several[second], free)
        sums = self.sums[first] - self.sums[second]
        varied = _variance_of_judges(sums, cells, np.asarray(shares), np.asarray(free))
        excess, variance, degrees = (
            varied.excess.copy(),
            varied.variance.copy(),
            varied.degrees.copy(),
        )
        # A factor has as many degrees as all systems' judges but one's.
        together = float(in_order(several)) - float(several.max())
        for kind in (apart, ~apart):
            in_both = kind & (varied.degrees > 0) & (both == 2)
            if in_both.sum() < 2:
                continue
            off = varied.variance[in_both] - cells[in_both]
            usual = max(float(in_order(off)) / len(off), 0.0)
            low = in_both & (varied.excess < usual)
            excess[low] = usual
            variance[low] = usual + cells[low]
            degrees[low] = np.maximum(degrees[low], together)
        return FactorVariance(excess, variance, degrees)

    def _common_products(self, first: Integers, second: Integers) -> Floats:
        """Sums of products of the moves of one judge on one unit, (pairs,)."""
        most = max((int(own[-1]) + 1 for own in self.places if len(own)), default=0)
        everything, last, sums = np.zeros(most), -1, np.zeros(len(first))
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        for i, (one, other) in enumerate(pairs):
            if one != last:
                everything[:] = 0.0
                everything[self.places[one]] = self.moves[one]
                last = one
            sums[i] = in_order(everything[self.places[other]] * self.moves[other])
        return sums


def _variance_of_judges(
    sums: Floats, cells: Floats, shares: Floats, degrees: Floats
) -> FactorVariance:
    """The variance of judges by what each adds and by `shares` of the score, both (n,
    judges). `cells` (n,) are sums of squares."""
    some = degrees > 0
    weights = np.divide(1, 1 - shares, out=np.zeros_like(shares), where=shares < 1)
    variance = np.where(some, in_order(sums**2 * weights), 0.0)
    excess = np.where(some, np.maximum(variance - cells, 0.0), 0.0)
    return FactorVariance(excess, variance, np.asarray(np.where(some, degrees, 0.0)))


def _effective_judges(shares: Floats) -> Floats:
    """How many judges of equal shares tell as much as those of these (n, judges)."""
    squares = in_order(shares**2)
    many = np.divide(1, squares, out=np.zeros(len(shares)), where=squares > 0)
    return np.asarray(np.round(many, DIGITS))


def _cells_of(system: System, measure: Measure) -> _Cells | None:
    """The cells of a system's judgements; None where nothing tells how judgements move
    the score."""
    units, judges, moved, shares, before = [], [], [], [], 0
    for counts in system:
        if counts is None:
            continue
        cells, top = counts.judged, before
        before += len(counts.units)
        if cells is None or not len(cells.table):
            continue
        if not set(measure.columns) <= set(cells.columns):
            return None
        cells = cells.chosen(_cells_with_values(cells, measure.columns))
        if not len(cells.table):
            continue
        places = [cells.columns.index(name) for name in measure.columns]
        table = cells.table[:, places] / counts.size
        totals = np.asarray(counts.totals, dtype=np.float64) / counts.size
        slopes = _slopes(measure, totals, counts.columns, table)
        moves = in_order(table * slopes)
        if not np.isfinite(moves).all():
            return None
        moves -= in_order(moves) / len(moves)
        moved.append(moves * (counts.weight / len(system)))
        shares.append(_shares(cells, measure.columns) * counts.weight)
        units.append(_ranks(counts.units)[cells.unit_of] + top)
        judges += [cells.judges[judge] for judge in cells.judge_of.tolist()]
    if not moved:
        return None
    whole = np.concatenate(units), judges, np.concatenate(moved), np.concatenate(shares)
    return _Cells(*whole)


def _left_out(system: System, measure: Measure) -> _Cells | None:
    """Moves by leaving out judges, and groups of judgements; None where nothing tells
    them."""
    by_judge: dict[str, tuple[float, float]] = {}
    groups: Floats = np.zeros(0)
    before = 0
    for counts in system:
        if counts is None:
            continue
        for run, one in enumerate(counts.each_run()):
            cells = counts.judged and counts.judged.of_run(run)
            if cells is None:
                continue
            if one.finer is not None or not set(measure.columns) <= set(cells.columns):
                return None
            cells = cells.chosen(_cells_with_values(cells, measure.columns))
            if not len(cells.table):
                continue
            share = counts.weight / (len(system) * counts.size)
            moves = _LeftOut.of(one, cells, measure)
            used, judge_of = np.unique(cells.judge_of, return_inverse=True)
            own = _shares(cells, measure.columns)
            shares = np.asarray(np.bincount(judge_of, own, len(used)), np.float64)
            judges = moves.by(judge_of, shares)
            of_groups = moves.by(moves.groups)
            if not (np.isfinite(judges).all() and np.isfinite(of_groups).all()):
                return None
            names = [cells.judges[judge] for judge in used.tolist()]
            moves_of_judges = zip(names, judges.tolist(), shares.tolist(), strict=True)
            for name, move, part in moves_of_judges:
                before_it = by_judge.get(name, (0.0, 0.0))
                by_judge[name] = (
                    before_it[0] + move * share,
                    before_it[1] + part * share,
                )
            # Runs of a test set share their judgements' places, test sets do not.
            size = before + GROUPS
            groups = np.concatenate([groups, np.zeros(max(size - len(groups), 0))])
            groups[before:size] += of_groups * share
        before += GROUPS
    if not by_judge:
        return None
    return _Cells(np.arange(len(groups)), (), groups, np.zeros(0), by_judge)


@dataclass(frozen=True)
class _LeftOut:
    """Judgements of one run: a `table` (units, columns) of values and of whether there
    is one, the unit of each judgement, and what it adds, (cells, columns). `groups`
    (cells,) are made by chance, the same for all systems."""

    measure: Measure
    table: Floats
    unit_of: Integers
    added: Floats
    groups: Integers

    @classmethod
    def of(cls, counts: Counts, cells: JudgeCells, measure: Measure) -> "_LeftOut":
        ranks = _ranks(counts.units)
        table = np.zeros((len(counts.units), len(measure.columns)))
        for k, name in enumerate(measure.columns):
            table[ranks, k] = pick(counts.table, counts.columns, name)
        unit_of = ranks[cells.unit_of]
        digests = np.array([int(name[:8], 16) for name in cells.judges])
        mixed = (unit_of * SPREAD + digests[cells.judge_of] * SPREAD) % 2**32
        places = [cells.columns.index(name) for name in measure.columns]
        groups = mixed * GROUPS // 2**32
        return cls(measure, table, unit_of, cells.table[:, places], groups)

    def by(self, group_of: Integers, shares: Floats | None = None) -> Floats:
        """How far the value moves by each group of judgements, (groups,), centred: of
        equal ones made by chance, or of those that have such `shares` of the value."""
        used = np.unique(group_of)
        moves = np.zeros(GROUPS if shares is None else len(used))
        if shares is None:
            shares = np.ones(len(moves))
        left = 1 - shares[used] / in_order(shares[used])
        for group in used.tolist():
            moves[group] = self._value(group_of == group)
        middle = in_order(left * moves[used]) / np.maximum(in_order(left), NO_SHARE)
        moves[used] = (middle - moves[used]) * left
        return moves

    def _value(self, gone: Flags) -> float:
        """The value without some judgements. A unit that has none left counts 0 times:
        it takes no other unit's place, as one without a value might."""
        lost = np.zeros(self.table.shape)
        np.add.at(lost, self.unit_of[gone], self.added[gone])
        names = self.measure.columns
        table, weights = self.table.copy(), np.ones((1, len(self.table)))
        for k, name in enumerate(names):
            if (given := _given_of(name)) not in names:
                continue
            left = 1 - lost[:, names.index(given)]
            some = (lost[:, names.index(given)] > 0) & (left > NO_SHARE)
            table[some, k] = (self.table[some, k] - lost[some, k]) / left[some]
            weights[0, left <= NO_SHARE] = 0.0
        assert self.measure.weighted is not None
        return float(self.measure.weighted(weights, np.round(table, DIGITS))[0])


def _shares(cells: JudgeCells, columns: Sequence[str]) -> Floats:
    """The share of each judgement (cells,) in what people gave in these columns; equal
    ones where no column says who gave a value."""
    given = _givens(cells, columns)
    own = in_order(cells.table[:, given]) if given else np.ones(len(cells.table))
    return np.asarray(own / in_order(own))


def _cells_with_values(cells: JudgeCells, columns: Sequence[str]) -> Flags:
    """Flags of the cells (cells,) that say something in these columns: whoever judged
    in others alone is no judge of a measure of these."""
    given = _givens(cells, columns)
    return np.asarray(cells.table[:, given].any(axis=1) | (not given))


def _givens(cells: JudgeCells, columns: Sequence[str]) -> list[int]:
    """Places of the columns that say who has a value in these."""
    givens = {*map(_given_of, cells.columns)} & {*map(_given_of, columns), *columns}
    return [i for i, name in enumerate(cells.columns) if name in givens]


def _given_of(column: str) -> str:
    """The column that says which units have a value in this one."""
    prefix = ELSEWHERE if column.startswith(ELSEWHERE) else ""
    return f"{prefix}{GIVEN}{column.removeprefix(prefix)}"


@lru_cache(maxsize=16)
def _ranks(units: tuple[str, ...]) -> Integers:
    """The place of each unit in the order of names, whatever that of a file."""
    order = sorted(range(len(units)), key=units.__getitem__)
    ranks = np.empty(len(units), dtype=np.int64)
    ranks[order] = np.arange(len(units))
    return ranks


def _slopes(
    measure: Measure, totals: Floats, columns: tuple[str, ...], cells: Floats
) -> Floats:
    """The measure's derivative by each of its columns, by steps that are powers of
    two."""
    middle = [float(pick(totals, columns, name)) for name in measure.columns]
    slopes = np.zeros(len(middle))
    for k, size in enumerate(np.sqrt(in_order(cells.T**2)).tolist()):
        if not size:
            continue
        step = float(np.ldexp(1.0, np.frexp(size)[1] - FINER))
        ends = []
        for moved in (middle[k] + step, middle[k] - step):
            values = [*middle[:k], moved, *middle[k + 1 :]]
            with np.errstate(divide="ignore", invalid="ignore"):
                ends.append(float(measure.score(*map(np.asarray, values))))
        slopes[k] = (ends[0] - ends[1]) / (2 * step)
    return slopes
