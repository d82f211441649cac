"""Means of judge models that people correct: other programs, hand work, simulation."""

import json
import math

import numpy as np
import pytest

from scoring import Plan, UsageError
from scoring.counts import Counts, Floats
from scoring.measures import Measure
from scoring.statistics.bootstrap import estimates
from scoring.statistics.comparison import compare
from scoring.statistics.ppi import (
    LEAST_JUDGED,
    corrected_means,
    gains,
    slopes,
    unseen_errors,
)
from scoring.vocabulary import count_units, declared_measures
from tests.loops import loop_over
from tests.scoring.analytic_ppi import corrected_mean
from tests.scoring.make_ppi_cases import CASES, STORED, case

NAN = float("nan")
LINE = "quality = corrected(model, people)"


def measures() -> list[Measure]:
    return [one.measure for one in declared_measures([LINE], of_judgements=True)]


def judged(units: int, sample: int, seed: int, noise: float = 5.0) -> Counts:
    """Units that a biased model judged, and people a sample of them."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(50, 10, units)
    people = quality + rng.normal(0, 3, units)
    people[rng.permutation(units)[sample:]] = NAN
    model = quality + 8 + rng.normal(0, noise, units)
    names = tuple(f"u{i:05}" for i in range(units))
    return count_units(names, {"model": model, "people": people})


def rows_of(seed: int) -> tuple[Floats, Floats, np.ndarray]:
    people, model, others, _level = case(seed)
    everywhere = np.concatenate([model, others])
    human = np.concatenate([people, np.zeros(len(others))])
    return everywhere, human, np.arange(len(everywhere)) < len(people)


@loop_over("seed", range(CASES))
def test_intervals_are_those_of_another_program(seed: int) -> None:
    expected = json.loads(STORED.read_text())["cases"][seed]
    people, model, others, level = case(seed)
    found = corrected_mean(people, model, others, level)
    numbers = found.value, found.low, found.high
    assert numbers == pytest.approx(expected, rel=0, abs=1e-9)


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_weights_give_the_same_mean_gain_and_slopes(seed: int) -> None:
    people, model, others, level = case(seed)
    found = corrected_mean(people, model, others, level)
    rows = rows_of(seed)
    ones = np.ones((1, len(rows[0])))
    assert corrected_means(ones, *rows) == pytest.approx([found.value])
    assert gains(ones, *rows) == pytest.approx([found.gain])
    twice = [np.concatenate([column, column]) for column in rows]
    assert corrected_means(2 * ones, *rows) == pytest.approx(
        corrected_means(np.ones((1, 2 * len(rows[0]))), *twice)
    )
    weights = np.random.default_rng(seed).integers(1, 4, len(rows[0])) / 2
    by_step = []
    for i in range(0, len(weights), 23):
        moved = np.stack([weights, weights])
        moved[:, i] += (1e-5, -1e-5)
        above, below = corrected_means(moved, *rows)
        by_step.append((above - below) / 2e-5)
    assert slopes(weights, *rows)[::23] == pytest.approx(by_step, rel=1e-4, abs=1e-7)


def test_the_order_of_units_changes_no_byte() -> None:
    rows = rows_of(3)
    units = len(rows[0])
    weights = np.random.default_rng(1).integers(0, 4, (5, units)).astype(float)
    order = np.random.default_rng(2).permutation(units)
    shuffled = [column[order] for column in rows]
    straight = corrected_means(weights, *rows)
    assert (corrected_means(weights[:, order], *shuffled) == straight).all()


def test_a_model_that_knows_nothing_leaves_the_mean_of_the_people() -> None:
    people = np.arange(30.0)
    found = corrected_mean(people, np.full(30, 7.0), np.full(100, 7.0))
    assert (found.value, found.share, found.gain) == (14.5, 0.0, 1.0)
    # By hand: the standard error of 0 to 29 is sqrt((30 ** 2 - 1) / 12 / 30).
    half = 1.959963984540054 * (899 / 360) ** 0.5
    assert (found.people_low, found.people_high) == pytest.approx(
        (14.5 - half, 14.5 + half)
    )


def test_fewer_than_thirty_judged_units_give_no_corrected_mean() -> None:
    enough, short = judged(200, LEAST_JUDGED, 1), judged(200, LEAST_JUDGED - 1, 1)
    assert estimates(enough, measures(), Plan(100))["quality"].low is not None
    none = estimates(short, measures(), Plan(100))
    assert none["quality"].value is None
    assert none["quality_gain"].value is None
    assert none["quality_people"].value is not None


def test_one_line_declares_the_mean_of_people_and_the_gain_beside_it() -> None:
    line = "adequacy = corrected(metric, people); lower; percent; title Adequacy"
    lines = declared_measures([line], of_judgements=True)
    assert [(one.name, one.title, one.higher_is_better) for one in lines] == [
        ("adequacy", "Adequacy", False),
        ("adequacy_people", "Adequacy, people alone", False),
        ("adequacy_gain", "Adequacy, gain in judgements", True),
    ]
    with pytest.raises(UsageError, match="'adequacy_people' is declared twice"):
        declared_measures([line, "adequacy_people = mean(x)"], of_judgements=True)


def test_a_program_cannot_declare_it_since_nobody_draws_its_sample() -> None:
    with pytest.raises(UsageError, match="there is no 'corrected'"):
        declared_measures([LINE])


def test_a_good_model_narrows_the_interval_that_boards_show() -> None:
    counts = judged(1000, 100, 4)
    found = estimates(counts, measures(), Plan())
    corrected, people = found["quality"], found["quality_people"]
    gain = found["quality_gain"].value
    widths = [one.high - one.low for one in (corrected, people)]  # type: ignore[operator]
    assert gain is not None
    assert gain > 2
    assert (widths[1] / widths[0]) ** 2 == pytest.approx(gain, rel=0.3)
    assert corrected.low < 50 < corrected.high  # type: ignore[operator]


def test_intervals_of_boards_hold_the_truth_as_often_as_they_say() -> None:
    worlds, held, analytic = 150, 0, 0
    for seed in range(worlds):
        rng = np.random.default_rng([7, seed])
        quality = rng.normal(50, 10, 400)
        people = quality + rng.normal(0, 3, 400)
        model = 0.8 * quality + 20 + rng.normal(0, 6, 400)
        sample = np.where(np.arange(400) < 50, people, NAN)
        names = tuple(f"u{i:03}" for i in range(400))
        counts = count_units(names, {"model": model, "people": sample})
        found = estimates(counts, measures()[:1], Plan(300))["quality"]
        held += found.low < 50 < found.high  # type: ignore[operator]
        own = corrected_mean(people[:50], model[:50], model[50:])
        analytic += own.low < 50 < own.high
    # 95 %, with three standard errors of 150 worlds (1.8 % each) below.
    assert held >= 0.895 * worlds
    assert analytic >= 0.895 * worlds


def test_units_of_one_document_widen_the_interval() -> None:
    rng = np.random.default_rng(5)
    worlds, held, as_if_apart = 200, 0, 0
    for _ in range(worlds):
        # 60 documents of 10 sentences; people judge all of 30 documents.
        document = np.repeat(np.arange(60), 10)
        quality = 50 + rng.normal(0, 8, 60)[document] + rng.normal(0, 4, 600)
        model = quality + rng.normal(0, 6, 60)[document] + 5
        sample = (quality[:300], model[:300], model[300:])
        clusters = document[:300], document[300:]
        own = corrected_mean(*sample, clusters=clusters)
        flat = corrected_mean(*sample)
        held += own.low < 50 < own.high
        as_if_apart += flat.low < 50 < flat.high
    assert held >= 0.90 * worlds
    assert as_if_apart < 0.75 * worlds


def test_two_documents_leave_one_degree_of_freedom() -> None:
    """Values of 0, 0 and 2, 2: sums of -1/2 and 1/2 around the mean, with the other two
    documents a variance of 1/2 * 4/3, and Student's t with one degree of freedom."""
    people, model = np.array([0.0, 0.0, 2.0, 2.0]), np.zeros(4)
    clusters = np.array([0, 0, 1, 1]), np.array([2, 3])
    own = corrected_mean(people, model, np.zeros(2), clusters=clusters)
    half = 12.7062 * math.sqrt(2 / 3)
    assert (own.low, own.high) == pytest.approx((1 - half, 1 + half), abs=1e-3)


def test_a_difference_of_two_systems_is_found() -> None:
    rng = np.random.default_rng(9)
    units = 300
    names = tuple(f"u{i:03}" for i in range(units))
    quality, sample = rng.normal(50, 10, units), rng.permutation(units) < 60
    systems = []
    for gain in (0, 4):
        people = quality + gain + rng.normal(0, 3, units)
        model = quality + gain + 8 + rng.normal(0, 4, units)
        columns = {"model": model, "people": np.where(sample, people, NAN)}
        systems.append(count_units(names, columns))
    pair = compare(("a", "b"), (systems[0], systems[1]), measures()[0], Plan(200))
    assert pair.p_value is not None
    assert pair.p_value < 0.001
    assert pair.difference == pytest.approx(-4, abs=1.5)


def right_or_wrong(seed: int, sample: int, right: float, agree: float) -> Counts:
    """Answers of which so many are right, and a model that says so in so many cases."""
    rng, units = np.random.default_rng(seed), 400
    people = (rng.random(units) < right).astype(np.float64)
    model = np.where(rng.random(units) < agree, people, 1 - people)
    people[sample:] = NAN
    names = tuple(f"u{i:05}" for i in range(units))
    return count_units(names, {"model": model, "people": people})


@pytest.mark.parametrize(
    ("sample", "right"), [(30, 0.95), (30, 0.8), (100, 0.95), (100, 0.98)]
)
def test_corrected_means_of_right_and_wrong_hold_the_truth(
    sample: int, right: float
) -> None:
    covered, tries, (mean, *_others) = 0, 60, measures()
    for seed in range(tries):
        counts = right_or_wrong(seed, sample, right, 0.9)
        found = estimates(counts, [mean], Plan(resamples=100))["quality"]
        assert found.low is not None and found.high is not None
        covered += found.low <= right <= found.high
    assert covered >= 0.93 * tries


@pytest.mark.parametrize(
    ("kinds", "right", "more"),
    [
        # A mean of people alone: 24 of 30 vary by .16, 25 of 32 by .1709.
        ((0.0, 1.0), 24, (25 / 32 * 7 / 32 - 0.16) / 30),
        ((1.0, 3.0), 24, 4 * (25 / 32 * 7 / 32 - 0.16) / 30),
        # The same of all: three errors in 30 are two standard errors.
        ((0.0, 1.0), 30, 0.05**2),
        # Nothing says that these are answers of two kinds.
        ((0.0, 0.5, 1.0), 24, 0.0),
        ((70.0,), 30, 0.0),
    ],
)
def test_errors_that_were_not_drawn_by_hand(
    kinds: tuple[float, ...], right: int, more: float
) -> None:
    human = np.repeat([kinds[-1], kinds[0]], [right, 30 - right])
    judge = np.resize(kinds, 30)
    everything = np.ones(30, dtype=np.bool_)
    assert unseen_errors(judge, human, everything) == pytest.approx(more)
