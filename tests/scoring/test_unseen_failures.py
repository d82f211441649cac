"""Errors without an upper limit: a mark where failures that were not drawn matter."""

import numpy as np
import pytest

from benchmarks.simulation.measure_populations import Speech
from benchmarks.simulation.populations import even
from scoring import Counts, Plan
from scoring.counts import Floats
from scoring.elsewhere import Judgements, Units, with_judgements
from scoring.measures import Measure
from scoring.scorers import get
from scoring.scorers.table import count, declare
from scoring.statistics.bootstrap import (
    estimates,
    failures_of,
    mean_estimates,
    mean_sample_of,
    remarks_on_failures,
)
from scoring.statistics.differences import difference_intervals
from scoring.statistics.exchange import all_pairs
from scoring.statistics.unseen import Failures, rule_of_three
from scoring.vocabulary import count_units, declared_measures

WER = get("transcripts").measure("wer")
ACCURACY = get("classes").measure("accuracy")
PLAN = Plan(resamples=200, seed=5)


def speech(wrong: Floats, words: Floats) -> Counts:
    """Segments of so many words, so many of them wrong."""
    units = tuple(f"u{i:04}" for i in range(len(words)))
    none = np.zeros(len(words))
    return Counts(units, WER.columns, np.stack([words - wrong, wrong, none, none], 1))


def test_three_failures_move_wer_by_three_times_the_largest_segment() -> None:
    """Of 100 words the longest segment has 30: 0.3 each, 0.9 together."""
    counts = speech(np.array([1.0, 0, 0, 0]), np.array([30.0, 30, 20, 20]))
    assert failures_of([counts], WER) == pytest.approx(0.9)
    # In the mean over two test sets it is half of it.
    assert failures_of([counts, counts], WER) == pytest.approx(0.45)


def test_shares_have_an_upper_limit_and_no_such_mark() -> None:
    assert ACCURACY.sizes is None
    table = np.ones((3, 1, 2))
    assert Failures.of(table, ACCURACY.columns, ACCURACY).most.tolist() == [0.0]


def test_declared_errors_count_the_worst_unit_seen() -> None:
    """Penalties of 0, 1 and 5 over three units: 5 / 3 each, 5 together."""
    (mqm,) = declare({"measure": ["mqm = mean(mqm); lower"]})
    said = Judgements(
        ("a", "b", "c"), np.arange(3), [""] * 3, {"mqm": np.array([0.0, 1.0, 5.0])}
    )
    counts = count(Units(said.units), said, {})
    assert failures_of([counts], mqm) == pytest.approx(5)
    (better_high,) = declare({"measure": ["score = mean(mqm)"]})
    assert failures_of([counts], better_high) == 0


def penalties(values: Floats) -> Counts:
    units = tuple(f"u{i:04}" for i in range(len(values)))
    return count_units(units, {"penalty": values})


def penalty(words: str) -> Measure:
    return declared_measures([f"mqm = mean(penalty); {words}"])[0].measure


def test_a_worst_value_that_is_declared_stands_for_the_worst_unit_seen() -> None:
    """By hand: mean 2 of three units, and 23 to the worst, of which three thirds."""
    counts = penalties(np.array([0.0, 1.0, 5.0]))
    assert failures_of([counts], penalty("lower; most 25")) == pytest.approx(23)
    # With the other sign it is the same, to the other side.
    turned = penalties(np.array([0.0, -1.0, -5.0]))
    assert failures_of([turned], penalty("least -25")) == pytest.approx(23)
    # A unit that is worse than the worst counts as it is: 30 is 20 off the mean of 10.
    counts = penalties(np.array([0.0, 0.0, 30.0]))
    assert failures_of([counts], penalty("lower; most 25")) == pytest.approx(20)
    # Of a ratio the largest unit: 10 of 20 words, from a mean of 0.5 to 2.
    (ratio,) = (
        d.measure for d in declared_measures(["r = ratio(e, words); lower; most 2"])
    )
    table = {"e": np.array([2.0, 8.0]), "words": np.array([10.0, 10.0])}
    counts = count_units(("a", "b"), table)
    assert failures_of([counts], ratio) == pytest.approx(3 * 0.5 * 1.5)


@pytest.mark.parametrize(("words", "sign"), [("lower; most 25", 1), ("least -25", -1)])
def test_an_interval_reaches_three_units_as_bad_as_is_declared(
    words: str, sign: int
) -> None:
    """Of 60 units with the mean 1 each could be 24 worse: three of them 1.2."""
    values = sign * np.tile([0.0, 1.0, 2.0], 20)
    found = estimates(penalties(values), [penalty(words)], PLAN)["mqm"]
    assert found.low is not None and found.high is not None
    worse, better = (found.high, found.low)[::sign]
    assert abs(worse) > 1 + rule_of_three(0.95) * 24 / 60
    assert abs(better) > 0.7


def test_a_difference_reaches_as_far_as_a_unit_can_be_bad() -> None:
    """Three of 60 units could be 24.5 worse, in the one system or in the other."""
    values = np.tile([0.0, 1.0], 30)
    rows = [[penalties(values)], [penalties(1 - values)]]
    highs = []
    for measure in (penalty("lower"), penalty("lower; most 25")):
        sample = mean_sample_of([[(c, PLAN) for c in row] for row in rows], measure)
        low, high = difference_intervals(rows, measure, sample, 0.95)
        assert low[0] == pytest.approx(-high[0], abs=0.1)
        highs.append(high[0])
    assert highs[0] < 0.5 < rule_of_three(0.95) * 24.5 / 60 < highs[1]


def test_rare_and_bad_failures_are_marked_where_the_worst_is_declared() -> None:
    """2 % of 25 against 1 in half of the units, one true mean: two of five wrong pairs
    had the mark. Nine of ten have it."""
    rng, mqm, apart, marked = np.random.default_rng(45), penalty("lower; most 25"), 0, 0
    for _ in range(250):
        seldom, often = 25.0 * (rng.random(100) < 0.02), 1.0 * rng.poisson(0.5, 100)
        found = all_pairs([[penalties(seldom)], [penalties(often)]], mqm)
        differ = bool(found.p_value[0] < 0.05)
        apart, marked = apart + differ, marked + (differ and found.few_decide[0])
    assert apart > 9 and marked / apart >= 0.9


@pytest.mark.parametrize(
    "line", ["m = mean(x); lower", "m = ratio(x, y); lower; most 9", "m = share(x)"]
)
def test_judgements_beside_a_scorer_know_how_far_units_can_move_them(line: str) -> None:
    """Their columns have one more at the end, which the functions do not take."""
    scorer = with_judgements(get("classes"), [line])
    measure = scorer.fixed_measures[-1]
    columns = measure.columns
    table = np.tile(np.array([[1.0], [0.0]]), (5, len(columns)))
    names = tuple(f"u{i}" for i in range(10))
    counts = Counts(names, tuple(dict.fromkeys(columns)), table[:, : len({*columns})])
    found = estimates(counts, [measure], PLAN)["m"]
    assert found.value == 1
    assert all_pairs([[counts], [counts]], measure).p_value[0] == 1


def test_a_difference_that_three_failures_would_undo_is_marked() -> None:
    """By hand: 100 segments of ten words, of which the one system has one wrong in
    every segment and the other none in 80 of them: 0.08 apart, spread 0.00894. Three
    failures of 0.01 each leave 0.05 with spread 0.0195, which is still z 2.6."""
    words = np.full(100, 10.0)
    ones = np.ones(100)
    better = np.where(np.arange(100) < 80, 0.0, 1.0)
    found = all_pairs([[speech(ones, words)], [speech(better, words)]], WER)
    assert found.spread[0] == pytest.approx(0.01 * 0.1 * np.sqrt(80))
    assert not found.few_decide[0]
    # Fifteen of them: 0.015 less 0.03 is nothing.
    better = np.where(np.arange(100) < 15, 0.0, 1.0)
    found = all_pairs([[speech(ones, words)], [speech(better, words)]], WER)
    assert found.p_value[0] < 0.05
    assert found.few_decide[0] and found.effective[0] == 3


@pytest.mark.parametrize("units", [30, 100, 300])
def test_systems_that_fail_differently_are_told_apart_with_a_mark(units: int) -> None:
    """Of one true rate: seldom and badly, or often and a little. At least nine in ten
    of the pairs that the test finds are marked (a binomial share, three errors)."""
    rng = np.random.default_rng(41)
    seldom, often = Speech(0.1, 0.01), Speech(Speech(0.1, 0.01).truth)
    apart = marked = 0
    for _ in range(150):
        sizes = even(rng, units)
        found = all_pairs([[one.on(rng, sizes)] for one in (seldom, often)], WER)
        differ = bool(found.p_value[0] < 0.05)
        apart, marked = apart + differ, marked + (differ and found.few_decide[0])
    assert marked / apart >= 0.9 - 3 * np.sqrt(0.09 / apart)


def test_a_large_difference_on_many_units_has_no_mark() -> None:
    rng = np.random.default_rng(42)
    sizes = even(rng, 1000)
    pair = [[Speech(rate).on(rng, sizes)] for rate in (0.14, 0.09)]
    found = all_pairs(pair, WER)
    assert found.p_value[0] < 0.001
    assert not found.few_decide[0]


def test_an_interval_holds_the_true_rate_or_says_what_may_be_missing() -> None:
    """Runaways in one of a hundred segments: most intervals do not know of them."""
    rng, held, told, tries = np.random.default_rng(43), 0, 0, 100
    runaway = Speech(0.1, 0.01)
    for _ in range(tries):
        counts = runaway.draw(rng, 100)
        known = estimates(counts, [WER], PLAN)
        low, high = known["wer"].low, known["wer"].high
        assert low is not None and high is not None
        holds = low <= runaway.truth <= high
        held += holds
        told += holds or bool(remarks_on_failures(counts, [WER], known))
    assert held / tries < 0.8
    assert told / tries >= 0.93


def test_the_remark_names_the_measure_and_how_far() -> None:
    rng = np.random.default_rng(44)
    counts = Speech(0.1).draw(rng, 100)
    (remark,) = remarks_on_failures(counts, [WER], estimates(counts, [WER], PLAN))
    assert remark.startswith("failures in fewer than 3 of 100 units may not have shown")
    assert f"wer by {failures_of([counts], WER):.3g}" in remark
    # Of very many segments three are nothing.
    many = Speech(0.1).draw(rng, 20_000)
    known = mean_estimates([(many, PLAN)], [WER])
    assert remarks_on_failures(many, [WER], known) == []


@pytest.mark.parametrize("units", [30, 100])
def test_three_failures_in_every_interval_would_make_ordinary_ones_twice_as_wide(
    units: int,
) -> None:
    """Or three times (docs/evidence/statistics.md): nobody's interval has them."""
    rng, wider = np.random.default_rng(45), []
    for _ in range(20):
        counts = Speech(0.14).draw(rng, units)
        known = estimates(counts, [WER], PLAN)["wer"]
        assert known.value is not None and known.low is not None
        assert known.high is not None
        with_failures = known.value + failures_of([counts], WER)
        wider.append((with_failures - known.low) / (known.high - known.low))
    assert 1.8 < np.mean(wider) < 3.2


def errors_and_words(counts: Counts) -> tuple[Floats, Floats]:
    sides = [counts.table[:, counts.columns.index(name)] for name in WER.columns]
    words = np.asarray(WER.sizes(*sides)) if WER.sizes else np.zeros(0)
    return np.nan_to_num(WER.of(counts.table, counts.columns)) * words, words


def by_hall(counts: Counts) -> tuple[float, float]:
    """Hall's (1992) interval: a cubic takes the skewness out of Student's t."""
    errors, words = errors_and_words(counts)
    size, value = len(errors), errors.sum() / words.sum()
    off = (errors - value * words) * size / words.sum()
    spread = off.std(ddof=1)
    skew = (off**3).mean() / spread**3 / 3
    ends = []
    for z in (1.96, -1.96):
        inner = 1 + 3 * skew * (z / np.sqrt(size) - skew / 2 / size)
        ends.append(value - spread * (np.cbrt(inner) - 1) / skew)
    return ends[0], ends[1]


def by_bootstrap_t(counts: Counts, rng: np.random.Generator) -> tuple[float, float]:
    def with_error(e: Floats, w: Floats) -> tuple[Floats, Floats]:
        value, size = e.sum(axis=-1) / w.sum(axis=-1), e.shape[-1]
        off = e - value[..., None] * w
        squares = (off * off).sum(axis=-1) * size / (size - 1)
        return value, np.sqrt(squares) / w.sum(axis=-1)

    errors, words = errors_and_words(counts)
    value, error = (float(x) for x in with_error(errors, words))
    drawn = rng.integers(0, len(errors), (300, len(errors)))
    values, spreads = with_error(errors[drawn], words[drawn])
    low, high = np.quantile((values - value) / spreads, (0.025, 0.975))
    return value - high * error, value - low * error


def test_no_interval_of_ordinary_width_holds_what_never_showed() -> None:
    """What was tried (docs/decisions/0016): with runaways, how often the truth is held;
    without any, how wide, and how wide an interval would be that reaches the rate of
    those who have them."""
    rng, tries = np.random.default_rng(46), 60
    seldom, never = Speech(0.1, 0.01), Speech(0.1)
    holds: dict[str, list[bool]] = {}
    widths: dict[str, list[float]] = {}
    needed = []
    for trial in range(2 * tries):
        speaker = never if trial % 2 else seldom
        counts = speaker.draw(rng, 100)
        known = estimates(counts, [WER], PLAN)["wer"]
        assert known.low is not None and known.high is not None
        assert known.value is not None
        low, high, three = known.low, known.high, failures_of([counts], WER)
        tried = {
            "Hall": by_hall(counts),
            "bootstrap-t": by_bootstrap_t(counts, rng),
            "one more": (low, max(high, known.value + three / 3)),
            "one beyond": (low, high + three / 3),
            "three more": (low, max(high, known.value + three)),
        }
        for name, (below, above) in tried.items():
            if speaker is seldom:
                holds.setdefault(name, []).append(below <= seldom.truth <= above)
            else:
                widths.setdefault(name, []).append((above - below) / (high - low))
        if speaker is never:
            needed.append((seldom.truth - low) / (high - low))
    assert np.mean(needed) > 1.4
    for name in holds:
        assert np.mean(holds[name]) < 0.9 or np.mean(widths[name]) > 1.2, name
    assert np.mean(holds["three more"]) > 0.95 and np.mean(widths["three more"]) > 1.8
