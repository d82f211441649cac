"""What a test set can tell apart, from pilot systems."""

import math

import numpy as np
import pytest
from scipy import stats

from scoring.counts import Counts, Floats
from scoring.errors import UsageError
from scoring.measures import share_measure
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan
from scoring.statistics.exchange import Pairs, all_pairs
from scoring.statistics.power import (
    differences_found,
    errors_of,
    mean_separation,
    resolution,
    separation,
)
from scoring.statistics.sign_flips import tails_of
from scoring.statistics.variance_components import Planned
from tests.loops import loop_over
from tests.scoring.made import ACCURACY, counts_of, systems_on_shared_units

PILOTS = systems_on_shared_units(300, [0.8, 0.78, 0.6], seed=2)
PLAN = Plan(4000, 1)
NO_OPTIONS = parse(get("numbers").options, {})
WORDS = share_measure("words", "Words", ("right", "wanted"), "")


def test_the_smallest_difference_is_a_multiple_of_the_standard_error() -> None:
    """(1.95996 + 0.84162) standard errors of the paired difference of the means."""
    two = {name: PILOTS[name] for name in ("system1", "system2")}
    found = separation(two, ACCURACY, PLAN)
    first, second = (counts.table for counts in two.values())
    gap = ((first - second)[:, 0]).sum() / first[:, 2].sum()
    residual = (first - second)[:, 0] - gap * first[:, 2]
    error = residual.std(ddof=1) * math.sqrt(300) / first[:, 2].sum()
    assert found.smallest == pytest.approx(2.80159 * error, rel=0.01)
    assert found.cautious == found.smallest
    assert found.units == 300


def test_several_pilots_give_a_middle_and_a_cautious_answer() -> None:
    found = separation(PILOTS, ACCURACY, PLAN)
    values = sorted(found.per_pair.values())
    assert len(values) == 3
    assert (found.smallest, found.cautious) == (values[1], values[2])


def test_half_the_difference_takes_four_times_the_units() -> None:
    found = separation(PILOTS, ACCURACY, PLAN)
    assert found.units_for(found.smallest) == 300
    assert found.units_for(found.smallest / 2) == 1200
    assert found.units_for(found.smallest, cautious=True) > 300


def test_more_power_asks_for_a_larger_difference() -> None:
    powers = (0.5, 0.8, 0.95)
    found = [separation(PILOTS, ACCURACY, PLAN, power).smallest for power in powers]
    assert found == sorted(found)


def test_no_difference_cannot_be_separated() -> None:
    with pytest.raises(ValueError, match="above 0"):
        separation(PILOTS, ACCURACY, PLAN).units_for(0)


@pytest.mark.parametrize("pilots", [{}, {"a": counts_of([[1, 2, 2]])}])
def test_fewer_than_two_pilots_are_refused(pilots: dict[str, Counts]) -> None:
    with pytest.raises(UsageError, match="two or more pilots"):
        separation(pilots, ACCURACY, PLAN)


def test_means_over_test_sets_need_smaller_differences() -> None:
    """Two test sets like one: the error of their mean is 1 / sqrt(2) of one's."""
    once = separation(PILOTS, ACCURACY, PLAN)
    rows = {
        name: [(counts, PLAN), (counts, Plan(4000, 2))]
        for name, counts in PILOTS.items()
    }
    twice = mean_separation(rows, ACCURACY)
    assert twice.smallest == pytest.approx(once.smallest / math.sqrt(2), rel=0.01)
    assert twice.units == 600


def test_more_systems_ask_for_a_larger_difference() -> None:
    """D8: Holm asks 0.05 / 1225 of the first of fifty's pairs: 4.102 + 0.842."""
    found = [separation(PILOTS, ACCURACY, PLAN, systems=n).smallest for n in (2, 50)]
    expected = (stats.norm.isf(0.025 / 1225) + 0.84162) / 2.80159
    assert found[1] / found[0] == pytest.approx(expected, rel=0.04)


def normal_terms(units: int) -> tuple[Floats, Floats]:
    """Differences of one pair as a normal sample has them, and even shares."""
    terms = stats.norm.ppf((np.arange(units) + 0.5) / units)
    return terms[None], np.full((1, units), 1 / units)


@pytest.mark.parametrize("units", [30, 2000])
def test_few_units_ask_for_more_than_the_normal_value(units: int) -> None:
    """|z| >= 1.96 is |t| >= 2.06 of thirty: the spread grows with the difference."""
    terms, shares = normal_terms(units)
    (error,) = errors_of(terms, shares, units)
    (smallest,) = differences_found(terms, shares, units, 0.95, 0.8, 2)
    critical = 1.959964 * math.sqrt((units - 1) / (units - 1.959964**2))
    assert smallest / error == pytest.approx(critical + 0.84162, rel=0.015)


def test_documents_of_unequal_length_ask_for_less_than_the_normal_tail() -> None:
    """At Holm's first level of fifty systems the tail of their signs is far lighter."""
    sizes = np.exp(stats.norm.ppf((np.arange(60) + 0.5) / 60) * 1.2)
    terms = np.tile([1.0, -1.0], 30) * sizes
    terms, shares = terms[None], np.full((1, 60), 1 / 60)
    (error,) = errors_of(terms, shares, 60)
    (smallest,) = differences_found(terms, shares, 60, 0.95, 0.8, 50)
    (even,) = differences_found(*normal_terms(60), 60, 0.95, 0.8, 50)
    assert smallest / error < 0.95 * even / errors_of(*normal_terms(60), 60)[0]


@loop_over("even", [False, True])
@loop_over("units", [14, 40, 2000])
def test_at_half_the_power_the_difference_is_what_the_test_asks_for(
    units: int, even: bool
) -> None:
    """A little more is p below the level, a little less is not: also where units of one
    size make p jump."""
    terms, shares = normal_terms(units)
    if even:
        terms = np.sign(terms)
    (asked,) = differences_found(terms, shares, units, 0.95, 0.5, 2)
    off = terms - terms.sum() * shares
    below, above = tails_of(off + [[asked * 0.999], [asked * 1.001]] * shares).p_value
    assert above < 0.05 <= below


def test_too_few_units_separate_nothing() -> None:
    """All five in favour of one system are p = 0.0625."""
    found = differences_found(*normal_terms(5), 5, 0.95, 0.8, 2)
    assert found.tolist() == [math.inf]
    few = systems_on_shared_units(5, [0.9, 0.3], seed=1)
    with pytest.raises(UsageError, match="too few units"):
        separation(few, ACCURACY, PLAN)


def test_the_answer_is_less_sure_from_fewer_units() -> None:
    """The fourth moment of normal differences gives 1 / sqrt(2 n)."""
    errors = []
    for units in (100, 1000):
        words = np.full(units, 1e6)
        apart = stats.norm.ppf((np.arange(units) + 0.5) / units)
        pilots = {
            str(sign): counts_of(np.column_stack([right, words, words]))
            for sign, right in ((1, np.rint(5e5 + 1e4 * apart)), (0, words / 2))
        }
        found = separation(pilots, ACCURACY, PLAN)
        assert found.low < found.smallest < found.high
        errors.append(math.log(found.high / found.low) / 2 / 1.959964)
        assert errors[-1] == pytest.approx(1 / math.sqrt(2 * units), rel=0.05)
    assert errors[1] < errors[0]


def test_a_board_says_what_it_resolves() -> None:
    """Half of its pairs have a larger standard error, half a smaller one."""
    pairs = all_pairs([[counts] for counts in PILOTS.values()], ACCURACY)
    planned = separation(PILOTS, ACCURACY, PLAN, systems=3)
    assert resolution(pairs, 0.95) == pytest.approx(planned.smallest, rel=0.01)


def test_a_board_of_equal_answers_resolves_nothing() -> None:
    same = [[PILOTS["system1"]]] * 3
    assert resolution(all_pairs(same, ACCURACY), 0.95) is None
    assert resolution(all_pairs(same[:1], ACCURACY), 0.95) is None


@pytest.mark.parametrize(
    "scales",
    [(0.5, 0.6, 1e6, 1e12), (0.5, 5, 50, 500, 1e4, 1e12), (0.5, 0.6, 0.7, 1e6, 1e12)],
)
def test_a_board_of_unlike_scales_does_not_say_what_it_resolves(
    scales: tuple[float, ...],
) -> None:
    """Errors of a million tell nothing of systems whose errors differ by a tenth."""
    alike = resolution(_board_of_errors(0.5, 0.6, 0.7, 0.8), 0.95)
    assert alike == pytest.approx(0.16, abs=0.03)
    assert resolution(_board_of_errors(*scales), 0.95) is None


def _board_of_errors(*scales: float) -> Pairs:
    random, scorer = np.random.default_rng(1), get("numbers")
    values = random.normal(size=200)
    gold = scorer.read_gold(_answers(values), NO_OPTIONS)
    counts = []
    for scale in scales:
        answers = _answers(values + random.normal(scale=scale, size=len(values)))
        system = scorer.read_system(answers, NO_OPTIONS, gold)
        counts.append([scorer.count(gold, system, NO_OPTIONS)])
    return all_pairs(counts, scorer.measure("rmse"))


def _answers(values: Floats) -> Source:
    rows = "".join(f"{i},{float(value)!r}\n" for i, value in enumerate(values))
    return Source.of_bytes("answers.csv", f"id,value\n{rows}".encode())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("units", "systems"), [(300, 2), (300, 10), (300, 50), (30, 2)]
)
def test_the_smallest_difference_is_found_as_often_as_promised(
    units: int, systems: int
) -> None:
    """Two systems that far apart are told apart in 80 % of 600 fresh test sets."""
    trials, alpha = 600, 0.05 / math.comb(systems, 2)
    typical = np.median(
        [
            separation(
                systems_on_shared_units(units, [0.8, 0.78], seed=seed),
                ACCURACY,
                PLAN,
                systems=systems,
            ).smallest
            for seed in range(1000, 1100)
        ]
    )
    found = [
        all_pairs(
            [
                [c]
                for c in systems_on_shared_units(
                    units, [0.79 + typical / 2, 0.79 - typical / 2], seed=seed
                ).values()
            ],
            ACCURACY,
        ).p_value[0]
        < alpha
        for seed in range(trials)
    ]
    assert np.mean(found) == pytest.approx(0.8, abs=0.07)


def runs_apart(runs: int, gap: float, rng: np.random.Generator) -> list[Counts]:
    """Two entries `gap` apart, of so many runs whose skills differ by 0.02."""
    found = []
    for skill in (0.7 + gap / 2, 0.7 - gap / 2):
        own = rng.normal(skill, 0.02, runs)
        table = rng.binomial(10, own[:, None], (runs, 300)) * 1.0
        whole = np.full(300, 10.0)
        names = tuple(f"u{i:03}" for i in range(300))
        units = [
            Counts(names, ("right", "wanted"), np.stack([one, whole], 1))
            for one in table
        ]
        found.append(Counts.of_runs(units))
    return found


def test_runs_that_differ_make_the_difference_larger_that_is_found() -> None:
    rng = np.random.default_rng(60)
    pilots = dict(zip("ab", runs_apart(4, 0.0, rng), strict=True))
    found = separation(pilots, WORDS, PLAN)
    assert found.runs == 4 and found.judges is None
    assert 0 < found.beside_units < 1
    flat = {name: one.each_run()[0] for name, one in pilots.items()}
    # Of one run nothing tells how runs differ, and less is claimed to be needed.
    assert separation(flat, WORDS, PLAN).runs is None
    more = separation(pilots, WORDS, PLAN, planned=Planned(runs=16))
    assert more.smallest < 0.75 * found.smallest
    assert more.beside_units < found.beside_units


def test_no_number_of_units_makes_up_for_runs_that_differ() -> None:
    """With a share w of the variance that units do not make less, a difference of k
    times the smallest takes (1 - w) / (k * k - w) times the units."""
    rng = np.random.default_rng(61)
    pilots = dict(zip("ab", runs_apart(4, 0.0, rng), strict=True))
    found = separation(pilots, WORDS, PLAN)
    share, units = found.beside_units, found.units
    assert found.units_for(found.smallest) == units
    needed = found.units_for(1.5 * found.smallest)
    assert needed == math.ceil(units * (1 - share) / (2.25 - share))
    assert found.units_for(found.smallest * math.sqrt(share) * 0.99) is None


def test_a_difference_that_is_named_for_runs_is_found_as_often() -> None:
    """In four of five cases, give or take: pilots of five runs know their spread by a
    fifth or so."""
    rng = np.random.default_rng(62)
    gaps = []
    for _ in range(20):
        pilots = dict(zip("ab", runs_apart(5, 0.0, rng), strict=True))
        gaps.append(separation(pilots, WORDS, PLAN).smallest)
    gap, found, tries = float(np.median(gaps)), 0, 150
    for _ in range(tries):
        pair = [[one] for one in runs_apart(5, gap, rng)]
        found += bool(all_pairs(pair, WORDS).p_value[0] < 0.05)
    assert 0.65 < found / tries < 0.92


@loop_over("degrees", [4, 9, 40])
@loop_over("times", [3.0, 30.0])
def test_what_runs_add_is_asked_for_as_the_test_does(
    times: float, degrees: int
) -> None:
    """Student's t, of a spread that pilots mostly show too small: by as much as the
    median of chi square is below its mean."""
    terms, shares = normal_terms(2000)
    error = errors_of(terms, shares, 2000)
    excess = times * error**2
    whole = error**2 + excess
    beside = excess, whole**2 / degrees
    (smallest,) = differences_found(terms, shares, 2000, 0.95, 0.8, 2, beside)
    student = stats.t.isf(0.025, degrees) + stats.t.isf(0.2, degrees)
    mostly = stats.chi2.median(degrees) / degrees
    expected = student * math.sqrt(whole[0] / mostly)
    assert smallest == pytest.approx(expected, rel=0.02)


def test_a_range_knows_how_few_runs_it_is_from() -> None:
    """The ranges of most pilots hold what the typical one names; units alone vary less
    than these do by far."""
    rng = np.random.default_rng(63)
    found = [
        separation(dict(zip("ab", runs_apart(3, 0.0, rng), strict=True)), WORDS, PLAN)
        for _ in range(60)
    ]
    typical = np.median([one.smallest for one in found])
    held = np.mean([one.low <= typical <= one.high for one in found])
    assert held >= 0.85


def test_runs_that_are_only_planned_are_known_by_those_that_there_are() -> None:
    """The test will know its spread with 40 degrees of freedom, pilots do with 4."""
    terms, shares = normal_terms(2000)
    error = errors_of(terms, shares, 2000)
    whole = 10 * error**2
    beside = 9 * error**2, whole**2 / 40
    wanted = (2000, 0.95, 0.8, 2, beside)
    (smallest,) = differences_found(terms, shares, *wanted, satterthwaite=whole**2 / 4)
    student = stats.t.isf(0.025, 40) + stats.t.isf(0.2, 40)
    expected = student * math.sqrt(whole[0] / (stats.chi2.median(4) / 4))
    assert smallest == pytest.approx(expected, rel=0.02)
