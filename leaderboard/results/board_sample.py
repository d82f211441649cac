"""Systems of a board with their counts: parts, slices, tests of pairs, ranks."""

import hmac
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from leaderboard.results.lasting_tests import lasting_p_values
from leaderboard.results.printed_numbers import (
    has_results,
    printed_numbers,
)
from leaderboard.results.stored_counts import (
    Key,
    Scored,
    counts_of_each,
    key_of,
    unpack_counts,
)
from leaderboard.results.stored_statistics import (
    Content,
    Subject,
    last_states,
    pairs_of,
    stored_already,
    stored_or_computed,
)
from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.phase_rules import private_size
from leaderboard.tasks.policy import Disclosure, Part
from leaderboard.web.cache import LruBySize, digest
from scoring import Counts, Plan
from scoring.counts import Floats, Integers, has_column
from scoring.measures import Measure
from scoring.scorer import Scorer
from scoring.statistics.arrivals import spent
from scoring.statistics.bootstrap import (
    Sample,
    Stratum,
    board_numbers,
    mean_samples_of,
    weigh_strata,
)
from scoring.statistics.comparison import (
    Comparison,
    compare_means,
    counts_of,
    strata_by_group,
)
from scoring.statistics.exchange import (
    Pairs,
    TestedPairs,
    all_pairs,
    holm_beside,
    holm_of,
    place_of,
)
from scoring.statistics.groups import (
    MOST_SYSTEMS,
    by_group,
    coarser,
    design_effects,
    grouping_to_exchange,
    largest,
    typical,
)
from scoring.statistics.large_boards import HolmFamily, ToldApart, told_apart
from scoring.statistics.power import Separation, mean_separation, resolution
from scoring.statistics.ranks import SystemRank, standings
from scoring.statistics.variance_components import Planned

# What a private part is a fair share of, the first that the gold knows.
GROUPINGS = ("document",)
SPLITS_KEPT = 256
# Enough for the lexelts of a lexical sample; more would be no list to choose from.
MOST_LABELS = 250
# While single units are not shown, nor are slices of fewer.
FEWEST_UNITS = 20
SYSTEMS_AT_ONCE = 25  # resampled, in 25 MB; a thousand would take a gigabyte
# Of more systems the tests of single pairs are not kept, and a worker makes them: two
# million pairs take seconds, and 100 MB. Nor are all their counts in memory at once.
MANY_SYSTEMS = 2000
# On a larger board nothing is tested: fifty million pairs take a minute, and 1.5 GB.
MOST_SYSTEMS_TESTED = 10_000
# Of these those that sent all test sets say whether differences are alike in groups.
MOST_LOOKED_AT = 2 * MOST_SYSTEMS
PRINTED = "printed"  # in place of units, where numbers come from no counts


@dataclass(frozen=True)
class Split:
    """One part of the units of every test set of a phase, the same for all systems.

    `key` is the phase's salt: without it nobody can tell which part a unit is in.
    """

    part: Part
    key: str
    share: float

    @classmethod
    def of(cls, phase: Phase, part: Part) -> "Split | None":
        """The split of a phase; None where all units count."""
        if part is Part.ALL or phase.private_share is None:
            return None
        return cls(part, phase.salt, phase.private_share)

    def cut(
        self, test_set: TestSet, column: Sequence[Counts | None]
    ) -> list[Counts | None]:
        """Systems of one test set on the units of the part only.

        The gold says which units there are, so one system's cut is everybody's.
        """
        parts: list[Counts | None] = []
        units: tuple[str, ...] | None = None
        for counts in column:
            if counts is not None and counts.units != units:
                units = counts.units
                mask = self._mask(test_set, counts)
                whole = counts.where(mask)
            parts.append(counts and counts.rows(mask, whole.units, whole.groups))
        return parts

    def _mask(self, test_set: TestSet, counts: Counts) -> npt.NDArray[np.bool_]:
        strata = next(
            (counts.groups[name] for name in GROUPINGS if name in counts.groups), ()
        )
        private = private_units(
            f"{self.key}/{test_set.name}", self.share, counts.units, strata
        )
        mask = np.zeros(len(counts.units), dtype=np.bool_)
        mask[private] = True
        return mask if self.part is Part.PRIVATE else ~mask

    def size(self, units: int) -> int:
        """How many of `units` units are in the part."""
        private = private_size(units, self.share)
        return private if self.part is Part.PRIVATE else units - private


@lru_cache(maxsize=SPLITS_KEPT)
def private_units(
    key: str, share: float, units: tuple[str, ...], strata: tuple[str, ...]
) -> Integers:
    """Positions of the private units, ascending; depends on names, not on order.

    In hashed order of documents each gives its share of the whole, one unit more or
    less, those of its units whose keyed hash (HMAC-SHA-256) is lowest. A unit keeps
    its part when the gold of other documents is mended.
    """
    wanted = private_size(len(units), share)
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    members: dict[str, list[int]] = {}
    for position, stratum in enumerate(strata or ("",) * len(units)):
        members.setdefault(stratum, []).append(position)
    start = int.from_bytes(_hash(key, "start", "")[:4], "big") / 2**32
    chosen: list[int] = []
    seen = taken = 0
    for stratum in sorted(members, key=lambda name: _hash(key, "document", name)):
        own = sorted(members[stratum], key=lambda i: _hash(key, "unit", units[i]))
        seen += len(own)
        reached = int(seen * wanted / len(units) + start)
        chosen += own[: reached - taken]
        taken = reached
    return np.array(sorted(chosen), dtype=np.int64)


def _hash(key: str, kind: str, name: str) -> bytes:
    return hmac.digest(key.encode(), f"{kind}:{name}".encode(), "sha256")


CountsRow = list[Counts | None]
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Tests:
    """All pairs of the systems of a board, with what follows from their tests.

    `submissions` says where each system is; `resolution` is the smallest difference
    that so many systems let one see here, None where there is none. `read` gives the
    tests of the pairs when somebody asks. With `too_many` systems nothing was tested.
    `arrivals` has the number of every submission where differences stay (`arrivals`).
    `compared_by` is the grouping whose groups were exchanged whole, empty for units.
    Of a `large` board the tests of pairs are not kept; `family` says where Holm's
    correction ends in it, and `waits` that a worker has not tested it yet.
    """

    submissions: Mapping[str, int]
    standings: Sequence[SystemRank]
    resolution: float | None
    read: Callable[[], TestedPairs] = field(repr=False, compare=False)
    too_many: bool = False
    arrivals: Mapping[str, int] | None = None
    large: bool = False
    family: HolmFamily | None = None
    waits: bool = False
    compared_by: str = ""

    @cached_property
    def pairs(self) -> TestedPairs:
        return self.read()

    @cached_property
    def adjusted_p(self) -> Floats:
        """The adjusted p-values (pairs,) as those of `Pairs`."""
        if self.arrivals is None:
            return holm_of(self.pairs.p_value)
        numbers = np.array([self.arrivals[name] for name in self.submissions], int)
        first, second = np.triu_indices(len(numbers), 1)
        return spent(self.pairs.p_value, numbers[first], numbers[second])

    def corrected(self, pair: Comparison) -> Comparison:
        """Adjusted over all pairs of the board, by the test of the board, which knows
        how much runs and judges vary in all its systems; another pair, as if it stood
        there."""
        if (place := self._place(pair)) is not None:
            p_value = float(self.pairs.p_value[place])
            pair = replace(pair, p_value=None if p_value != p_value else p_value)
        return replace(pair, adjusted=self._adjusted_p_value(pair))

    def _place(self, pair: Comparison) -> int | None:
        """The place of a pair among those of the board; None where it does not."""
        first = self.submissions.get(pair.first)
        second = self.submissions.get(pair.second)
        if first is None or second is None or self.too_many or self.large:
            return None
        low, high = sorted((first, second))
        return place_of(low, high, len(self.submissions))

    def _adjusted_p_value(self, pair: Comparison) -> float | None:
        if pair.p_value is None or self.too_many:
            return None
        if self.arrivals is not None:
            return self._spent(pair.p_value, pair.first, pair.second)
        if self.large:
            return self.family.adjust(pair.p_value) if self.family else None
        if (place := self._place(pair)) is None:
            return holm_beside(self.pairs.p_value, pair.p_value)
        number = float(self.adjusted_p[place])
        return None if number != number else number

    def _spent(self, p_value: float, first: str, second: str) -> float:
        known = self.arrivals or {}
        # What is not known arrived just now.
        newest = len(known) + 1
        numbers = (np.array([known.get(name, newest)]) for name in (first, second))
        return float(spent(np.array([p_value]), *numbers)[0])


@dataclass(frozen=True)
class Slice:
    """The units with one label of one grouping, as in genre:letter."""

    group: str
    label: str

    def of(self, column: Sequence[Counts | None]) -> list[Counts | None]:
        """Systems of one test set on those units only.

        The gold says which units those are, so one system's labels are everybody's;
        none where they do not know the grouping.
        """
        known = next((counts for counts in column if counts is not None), None)
        if known is None:
            return list(column)
        labels = known.groups.get(self.group, ())
        of_label = [i for i, label in enumerate(labels) if label == self.label]
        index = np.array(of_label, int)
        units = tuple(known.units[i] for i in index)
        groups = {
            name: tuple(of[i] for i in index) for name, of in known.groups.items()
        }
        return [c and c.rows(index, units, groups) for c in column]

    def __str__(self) -> str:
        return f"{self.group}:{self.label}"


@dataclass(frozen=True)
class BoardSample:
    """The systems of a board on some of its test sets, perhaps on some units only.

    The units are those of the split's part, and of them those of the slice.
    `some_test_sets` says of several that the phase has more. `level` and `revision`
    (its id) are those of the phase where none is given. Counts are kept for the next
    reader but of a `passing` sample, one of the pieces of a large board. `family` are
    the systems that say whether all are compared by groups of units; without it these.
    """

    phase: Phase
    test_sets: tuple[TestSet, ...]
    evaluations: tuple[Scored, ...]
    slice: Slice | None = None
    split: Split | None = None
    some_test_sets: bool = False
    level: float | None = None
    revision: int | None = None
    passing: bool = False
    family: Callable[[], tuple[Scored, ...]] | None = field(
        default=None, repr=False, compare=False
    )

    @classmethod
    def of(
        cls,
        phase: Phase,
        evaluations: Iterable[Scored],
        part: Part,
        revision: int | None = None,
        test_sets: tuple[TestSet, ...] | None = None,
        family: Callable[[], tuple[Scored, ...]] | None = None,
    ) -> "BoardSample":
        """Systems on the units of one part, of all test sets or one of its rankings."""
        return cls(
            phase,
            tuple(phase.test_sets.all()) if test_sets is None else test_sets,
            tuple(evaluations),
            split=Split.of(phase, part),
            revision=revision,
            family=family,
        )

    @property
    def gold_revision_id(self) -> int:
        return self.revision or self.phase.gold_revision_id

    @property
    def confidence(self) -> float:
        """The level of intervals and rank ranges."""
        return self.phase.task.level if self.level is None else self.level

    @property
    def key(self) -> Key:
        """The values that answers depend on; the same key always means the same."""
        return (self.systems, *self.key_of_units)

    @property
    def systems(self) -> tuple[Key, ...]:
        return tuple(key_of(e, 0) for e in self.evaluations)

    @property
    def key_of_units(self) -> Key:
        """The values that answers depend on beside the systems."""
        task = self.phase.task
        sets = tuple((t.pk, t.weight) for t in self.test_sets)
        plan = (task.resamples, task.seed, self.confidence, task.scorer_name)
        lasting = self.phase.lasting_differences
        return (sets, plan, str(self.slice), self.split, lasting)

    def subject(
        self, kind: str, measures: Sequence[Measure], besides: object = ()
    ) -> Subject:
        """The subject of what is computed of the sample; `besides` is all that it
        depends on beside sample and measures."""
        units = self.key_of_units
        return Subject(self.phase, kind, self.systems, units, measures, besides)

    def answer_once(
        self,
        answers: LruBySize[Answer],
        measures: Sequence[Measure],
        work_out: Callable[[], Answer],
    ) -> Answer:
        """The answer about a few systems, worked out once by this process."""
        compared = [(measure.name, self.compared_by(measure)) for measure in measures]
        key = digest((self.key, compared))
        known = answers.recall([key])
        if not known:
            known[key] = work_out()
            answers.remember(key, known[key])
        return known[key]

    @property
    def whole(self) -> bool:
        """All units count, as in what is stored with the evaluations."""
        stored_level = self.confidence == self.phase.task.level
        return stored_level and not (self.slice or self.split or self.some_test_sets)

    def resamples(self, measures: Sequence[Measure], group: str = "") -> list[Sample]:
        """Resamples of units, or of the groups of a grouping if one is named."""
        strata: Sequence[Sequence[Stratum | None]] = self.strata
        if group:
            weighed = (measure for measure in measures if measure.weighted is not None)
            strata = strata_by_group(strata, next(weighed, measures[0]), group)
        return mean_samples_of(strata, measures)

    def compared_by(self, measure: Measure) -> str:
        """The grouping whose groups take the place of units when these systems are
        compared, empty where single units are: as all units of the board have it, in
        its slices too. A board of one row has no pair to go by, and these decide."""
        family = (self.family and self.family()) or ()
        deciding = family if len(family) > 1 else self.evaluations
        return compared_by(replace(self, evaluations=deciding, slice=None), measure)

    @cached_property
    def strata(self) -> list[list[tuple[Counts, Plan] | None]]:
        """Counts of each system per test set with the plan, None if not sent.

        A test set that has no unit of the slice says nothing about it: the mean is
        that of the others.
        """
        return self.strata_of(slice(None), unpack_counts)

    def strata_of(
        self, systems: Any, unpack: Callable[[Counts], Counts]
    ) -> list[list[tuple[Counts, Plan] | None]]:
        """`strata` of some systems, or of their counts what `unpack` leaves of them."""
        task, level = self.phase.task, self.confidence
        plans = [replace(task.plan(t.position), level=level) for t in self.test_sets]
        weights = TestSet.weights_of(self.test_sets)
        columns = list(zip(self._counts_to_store, plans, weights, strict=True))
        known = [column for column in columns if _has_units(column[0])] or columns
        planned = [
            [(unpack(c), plan) if c else None for c in column[systems]]
            for column, plan, _weight in known
        ]
        rows = [list(row) for row in zip(*planned, strict=True)]
        return weigh_strata(rows, [weight for _column, _plan, weight in known])

    def slices(self, disclosure: Disclosure) -> Mapping[str, Sequence[str]]:
        """Slices that the reader may choose, of groupings that the first system knows.

        Where single units are not shown that follows from all units, not from those of
        the part: which of them are in it is a secret.
        """
        if disclosure.units:
            return slices_of([column[0] for column in self._counts_to_store if column])
        whole = replace(self, evaluations=self.evaluations[:1], split=None)
        return slices_of([c[0] for c in whole._counts_to_store if c], FEWEST_UNITS)

    @cached_property
    def counts(self) -> list[CountsRow]:
        """Counts of each test set, those of its systems on the units that count."""
        return [
            [c and unpack_counts(c) for c in column] for column in self._counts_to_store
        ]

    @cached_property
    def _counts_to_store(self) -> list[CountsRow]:
        """`counts` as they are kept."""
        keep = not self.passing
        rows = counts_of_each(self.evaluations, self.test_sets, keep)
        rows = _on_same_units(_of_same_columns(rows, self.phase.task.scorer))
        columns = [[row[i] for row in rows] for i in range(len(self.test_sets))]
        if self.split is not None:
            pairs = zip(self.test_sets, columns, strict=True)
            columns = [self.split.cut(t, column) for t, column in pairs]
        if self.slice is not None:
            columns = [self.slice.of(column) for column in columns]
        return columns

    @property
    def units(self) -> list[frozenset[str] | None]:
        """Names of the units of each test set, None where nobody sent it."""
        known = (next(filter(None, column), None) for column in self._counts_to_store)
        return [frozenset(counts.units) if counts else None for counts in known]

    @property
    def comparable(self) -> bool:
        """Whether every system has counts on units that the others have."""
        return all(any(system) for system in zip(*self._counts_to_store, strict=True))

    @property
    def submissions(self) -> list[str]:
        return [str(e.submission_id) for e in self.evaluations]

    def comparisons(self, measure: Measure) -> list[Comparison]:
        """Every pair, named by submission; Holm's correction is over these alone."""
        rows = dict(zip(self.submissions, self.strata, strict=True))
        return compare_means(rows, measure, self.compared_by(measure))

    def separation(
        self, measure: Measure, systems: int, planned: Planned | None = None
    ) -> Separation:
        """The smallest difference that these systems show to be separable.

        On a board of so many systems, of so many runs and judges as are planned. Raises
        UsageError where there is none.
        """
        rows = dict(zip(self.submissions, self.strata, strict=True))
        group = self.compared_by(measure)
        return mean_separation(
            rows, measure, systems=systems, planned=planned, group=group
        )

    def pairs(
        self,
        measure: Measure,
        before: tuple[TestedPairs, Integers] | None = None,
    ) -> Pairs:
        """Every pair tested, but for those that are known from `before`: earlier tests,
        and for each system its place in them, -1 for a new one."""
        rows = self._rows_for(measure, self.compared_by(measure))
        return all_pairs(rows, measure, before)

    def lasting(self, measure: Measure, p_value: Floats) -> Floats:
        """P-values of all pairs, of those that stood here before as they were then."""
        sets = tuple((t.pk, t.weight) for t in self.test_sets)
        units = sets, str(self.slice), self.split
        systems = list(map(digest, self.systems))
        return lasting_p_values(self.phase, units, systems, measure.name, p_value)

    def told_apart(self, measure: Measure, arrived: Integers | None) -> ToldApart:
        """The pairs that differ, of systems too many to keep the test of every pair."""
        rows = self._rows_for(measure, self.compared_by(measure))
        return told_apart(rows, measure, self.confidence, arrived)

    def _rows_for(self, measure: Measure, group: str = "") -> list[list[Counts | None]]:
        # Sums are taken from counts as they are kept.
        unpack = (lambda c: c) if measure.weighted is None else unpack_counts
        rows = [counts_of(row) for row in self.strata_of(slice(None), unpack)]
        return by_group(rows, measure, group)


def arrivals_in(phase: Phase) -> dict[str, int]:
    """The number of each submission of a phase, from 1 in order of receipt. What was
    withdrawn counts: numbers stay whatever becomes of others. One query."""
    received = phase.submissions.order_by("received_at", "pk")
    keys = received.values_list("pk", flat=True)
    return {str(pk): number for number, pk in enumerate(keys, start=1)}


def _of_same_columns(rows: Sequence[CountsRow], scorer: Scorer) -> list[CountsRow]:
    """The systems' counts, None throughout for one that a measure finds no columns in.

    Another version of a plug-in may count in other columns, and of one that is not
    installed nobody knows the measures: numbers stay, but there are no tests.
    """
    asked = {n for measure in scorer.fixed_measures for n in measure.columns}
    has_all: dict[tuple[str, ...], bool] = {}

    def fits(counts: Counts) -> bool:
        columns = counts.columns
        if columns not in has_all:
            has_all[columns] = all(has_column(columns, name) for name in asked)
        return has_all[columns]

    return [
        row if all(c is None or fits(c) for c in row) else [None] * len(row)
        for row in rows
    ]


def _on_same_units(rows: Sequence[CountsRow]) -> list[CountsRow]:
    """The systems' counts per test set, None throughout for one on other units.

    Another version of a scorer may divide the same gold into other units: systems that
    were counted before it keep their numbers, but can't be tested beside the others.
    The units of a test set are those that most systems have.
    """
    common = [_common_units(column) for column in zip(*rows, strict=True)]
    return [
        row
        if all(c is None or _same(c.units, u) for c, u in zip(row, common, strict=True))
        else [None] * len(row)
        for row in rows
    ]


def _common_units(column: Sequence[Counts | None]) -> tuple[str, ...]:
    units = [counts.units for counts in column if counts]
    if all(_same(names, units[0]) for names in units):
        return units[0] if units else ()
    by_names = {frozenset(names): names for names in units}
    ((most, _number),) = Counter(map(frozenset, units)).most_common(1)
    return by_names[most]


def _same(units: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return units is others or units == others or sorted(units) == sorted(others)


def _has_units(column: Sequence[Counts | None]) -> bool:
    """Whether any unit of a test set counts; true as long as nobody sent it."""
    known = [counts for counts in column if counts is not None]
    return not known or any(counts.units for counts in known)


def tests_of(sample: BoardSample, measure: Measure, by_worker: bool = False) -> Tests:
    """The tests of a board as they are stored; those of a large one are made only
    `by_worker`."""
    large = len(sample.evaluations) > MANY_SYSTEMS
    many = len(sample.evaluations) > MOST_SYSTEMS_TESTED
    if many:
        sample = replace(sample, evaluations=(), family=None)
    group = sample.compared_by(measure)
    lasting = sample.phase.lasting_differences
    arrivals = arrivals_in(sample.phase) if lasting else None
    numbers = [arrivals[name] for name in sample.submissions] if arrivals else None

    def compute() -> tuple[Content, Content]:
        if large and not many:
            arrived = None if numbers is None else np.array(numbers, int)
            told_apart = sample.told_apart(measure, arrived)
            return _content(told_apart, sample, measure, group), {}
        known = None if many else _earlier_tests(subject, sample, group)
        pairs = sample.pairs(measure, known)
        if numbers is not None:
            p_value = sample.lasting(measure, pairs.p_value)
            arrived = np.array(numbers, int)
            first, second = arrived[pairs.first], arrived[pairs.second]
            adjusted = spent(p_value, first, second)
            pairs = replace(pairs, p_value=p_value, adjusted=adjusted)
        return _content(pairs, sample, measure, group), _pairs_content(pairs)

    subject = sample.subject("tests", [measure], (numbers, group))
    if large and not many and not by_worker:
        content = stored_already(subject)
        if content is None:
            return Tests({}, [], None, _not_kept, True, large=True, waits=True)
    else:
        content = (
            compute()[0]
            if not sample.evaluations
            else stored_or_computed(subject, compute)
        )

    def read() -> TestedPairs:
        pairs = pairs_of(subject.key)
        return _unpack_tests(compute()[1] if pairs is None else pairs)

    return Tests(
        {name: i for i, name in enumerate(sample.submissions)},
        list(map(SystemRank, *(content[field.name] for field in fields(SystemRank)))),
        content["resolution"],
        _not_kept if large else read,
        many or content["too_many"],
        arrivals,
        large,
        content["family"] and HolmFamily(*content["family"]),
        compared_by=group,
    )


def _not_kept() -> TestedPairs:
    raise LookupError("the tests of single pairs of a large board are not kept")


def _content(
    pairs: Pairs | ToldApart, sample: BoardSample, measure: Measure, group: str
) -> Content:
    """The part of the tests that everybody reads: columns of the systems' ranks."""
    level = sample.confidence
    ranks = standings(pairs, measure.higher_is_better, level)
    columns = {
        field.name: [getattr(r, field.name) for r in ranks]
        for field in fields(SystemRank)
    }
    family = pairs.family if isinstance(pairs, ToldApart) else None
    known = {
        "systems": list(map(digest, sample.systems)),
        "too_many": isinstance(pairs, ToldApart) and pairs.too_many,
        "family": family and astuple(family),
        "resolution": resolution(pairs, level),
        "compared_by": group,
    }
    return columns | known


def _pairs_content(pairs: Pairs) -> Content:
    tested = TestedPairs.of(pairs)
    return {field.name: getattr(tested, field.name) for field in fields(TestedPairs)}


def _unpack_tests(content: Content) -> TestedPairs:
    basis = content["basis"]
    return TestedPairs(**{**content, "basis": basis and tuple(basis)})


def _earlier_tests(
    subject: Subject, sample: BoardSample, group: str
) -> tuple[TestedPairs, Integers] | None:
    """The earlier tests, of the same units or groups, that know most of these systems,
    and where each is in them."""
    systems = list(map(digest, sample.systems))
    best: tuple[int, str, dict[str, int]] | None = None
    for key, content in last_states(subject):
        large = len(content["systems"]) > MANY_SYSTEMS  # its pairs are not kept
        if large or content["compared_by"] != group:
            continue
        place = {system: i for i, system in enumerate(content["systems"])}
        known = sum(system in place for system in systems)
        if known and (best is None or known > best[0]):
            best = known, key, place
    if best is None:
        return None
    _number, key, place = best
    pairs = pairs_of(key)
    if pairs is None:
        return None
    return _unpack_tests(pairs), np.array([place.get(system, -1) for system in systems])


def measured_numbers(sample: BoardSample, measures: Sequence[Measure]) -> Floats:
    """Shape (evaluations, numbers of each measure): those that were printed when it was
    scored or, of some units alone, computed from the counts.

    Those of one system alone, or of results that are loaded, are sooner made than
    found. N/a for a system that has counts on no test set.
    """
    if not sample.evaluations:
        return np.empty((0, 0))
    alone = len(sample.evaluations) == 1
    if alone or (sample.whole and all(map(has_results, sample.evaluations))):
        return _numbers(sample, measures)[0]
    return _stored_numbers(sample, measures)


def _stored_numbers(sample: BoardSample, measures: Sequence[Measure]) -> Floats:
    kind = "printed" if sample.whole else "numbers"
    subject = sample.subject(kind, measures)

    def compute() -> tuple[Content, Content]:
        systems = list(map(digest, sample.systems))
        numbers, units = _numbers_beside_known(sample, systems, measures, subject)
        return {"numbers": numbers, "units": units, "systems": systems}, {}

    numbers: Floats = stored_or_computed(subject, compute)["numbers"]
    return numbers


def _numbers_beside_known(
    sample: BoardSample,
    systems: Sequence[str],
    measures: Sequence[Measure],
    subject: Subject,
) -> tuple[Floats, list[str]]:
    """`_numbers`, of which an earlier state of the board may know most rows; `systems`
    are digests."""
    for _key, content in last_states(subject):
        place = {system: i for i, system in enumerate(content["systems"])}
        new = [i for i, system in enumerate(systems) if system not in place]
        if not content["units"] or 2 * len(new) > len(systems):
            continue
        some = tuple(sample.evaluations[i] for i in new)
        piece = replace(sample, evaluations=some)
        if _alone_as_beside(piece, content["units"]):
            rows = content["numbers"][[place.get(system, 0) for system in systems]]
            units = content["units"]
            if new:
                rows[new], of_new = _numbers(piece, measures)
                units = units if of_new else []
            return rows, units
    return _numbers(sample, measures)


def _alone_as_beside(piece: BoardSample, units: Sequence[str]) -> bool:
    """Whether these systems have the numbers by themselves that they have beside those
    counted on these units."""
    if piece.whole or not piece.evaluations:
        return True
    pairs = zip(map(_units_digest, piece.units), units, strict=True)
    return piece.comparable and all(own in ("", known) for own, known in pairs)


def _numbers(
    sample: BoardSample, measures: Sequence[Measure]
) -> tuple[Floats, list[str]]:
    """Shape (systems, numbers of each measure). With the units of each test set, none
    where not all systems were counted on the same ones: where they were, the row of a
    system depends on no other."""
    if sample.whole:
        numbers, recounted = _printed_numbers(sample, measures)
        return numbers, [] if recounted else [PRINTED]
    numbers = _recount(sample, measures)
    small = len(sample.evaluations) <= MANY_SYSTEMS  # else not all are in memory
    units = list(map(_units_digest, sample.units)) if small else []
    return numbers, units if all(units) and small and sample.comparable else []


def _printed_numbers(
    sample: BoardSample, measures: Sequence[Measure]
) -> tuple[Floats, bool]:
    """The numbers of `_numbers`, and whether some were recounted: a board may show what
    was not printed when its systems were scored."""
    names = [measure.name for measure in measures]
    test_set = sample.test_sets[0].name if len(sample.test_sets) == 1 else None
    table, missing = printed_numbers(sample.evaluations, names, test_set)
    unknown = np.flatnonzero(missing.any(axis=0))
    if len(unknown):
        again = _recount(sample, [measures[i] for i in unknown.tolist()])
        again = again.reshape(len(table), len(unknown), -1)
        columns = missing[:, unknown]
        table[:, unknown] = np.where(columns[..., None], again, table[:, unknown])
    return table.reshape(len(table), -1), bool(len(unknown))


def _units_digest(units: frozenset[str] | None) -> str:
    return digest(sorted(units)) if units else ""


def _recount(sample: BoardSample, measures: Sequence[Measure]) -> Floats:
    """Shape (systems, numbers of each measure)."""
    if len(sample.evaluations) > MANY_SYSTEMS and not sample.passing:
        in_pieces = _recounted_in_pieces(sample, measures)
        if in_pieces is not None:
            return in_pieces
    rows = (
        sample.strata_of(
            slice(top, top + SYSTEMS_AT_ONCE), lambda c: unpack_counts(c, measures)
        )
        for top in range(0, len(sample.evaluations), SYSTEMS_AT_ONCE)
    )
    blocks = [np.concatenate(board_numbers(some, measures), axis=1) for some in rows]
    numbers = np.concatenate(blocks)
    systems = zip(*sample._counts_to_store, strict=True)
    numbers[[not any(system) for system in systems]] = np.nan
    return numbers


def _recounted_in_pieces(
    sample: BoardSample, measures: Sequence[Measure]
) -> Floats | None:
    """`_recount` of a board whose counts would take a gigabyte: those of a few
    systems are in memory at a time. None where a piece by itself would be taken for
    another board: of other units, or of a test set that has none in the slice."""
    blocks: list[Floats] = []
    known: list[frozenset[str] | None] = [None] * len(sample.test_sets)
    for top in range(0, len(sample.evaluations), SYSTEMS_AT_ONCE):
        some = sample.evaluations[top : top + SYSTEMS_AT_ONCE]
        piece = replace(sample, evaluations=some, passing=True)
        units = piece.units
        if sample.slice is not None and None in units:
            return None
        pairs = list(zip(known, units, strict=True))
        if any(None not in pair and pair[0] != pair[1] for pair in pairs):
            return None
        known = [old if new is None else new for old, new in pairs]
        blocks.append(_recount(piece, measures))
    return np.concatenate(blocks)


def compared_by(sample: BoardSample, measure: Measure) -> str:
    """The grouping whose groups take the place of units when systems of a board are
    compared, for the differences of these are alike inside it; else empty."""
    task = sample.phase.task
    groups = coarser(task.scorer.units, task.unit)
    if not groups or measure.of_file or len(sample.evaluations) < 2:
        return ""

    def compute() -> tuple[Content, Content]:
        # Any will do, as long as newcomers leave most of them where they were.
        order = sorted(
            sample.evaluations, key=lambda evaluation: digest(key_of(evaluation, 0))
        )
        some = replace(sample, evaluations=tuple(order[:MOST_LOOKED_AT]))
        return {
            "grouping": grouping_to_exchange(some._rows_for(measure), measure, groups)
        }, {}

    subject = sample.subject("compared", [measure], task.unit)
    return str(stored_or_computed(subject, compute)["grouping"])


def alike_within(sample: BoardSample, measure: Measure) -> str:
    """The grouping inside which units answer alike, though they are resampled singly.

    It is that of the largest design effect, typical of these systems and their test
    sets; empty where none is large.
    """
    if not sample.evaluations:
        return ""
    subject = sample.subject("alike", [measure], sample.phase.task.unit)
    alike = stored_or_computed(
        subject, lambda: ({"grouping": _alike(sample, measure)}, {})
    )
    return str(alike["grouping"])


def _alike(sample: BoardSample, measure: Measure) -> str:
    scorer, unit = sample.phase.task.scorer, sample.phase.task.unit
    groups = coarser(scorer.units, unit)
    effect = largest(
        typical(
            design_effects(counts, measure, groups)
            for column in sample.counts
            for counts in column
            if counts
        )
    )
    return effect[0] if effect else ""


def slices_of(
    counts: Sequence[Counts | None], least: int = 1
) -> Mapping[str, list[str]]:
    """Labels per grouping that the gold knows, groupings with too many left out.

    So are groupings that have a label on fewer than `least` units of a test set: to
    leave out the label alone would not do, for it is the rest of all others.
    """
    groups: dict[str, set[str]] = {}
    small: set[str] = set()
    for known in counts:
        for group, labels in known.groups.items() if known else ():
            units = Counter(labels)
            groups.setdefault(group, set()).update(filter(None, units))
            if units and min(units.values()) < least:
                small.add(group)
    return {
        group: sorted(labels)
        for group, labels in groups.items()
        if 1 < len(labels) <= MOST_LABELS and group not in small
    }
