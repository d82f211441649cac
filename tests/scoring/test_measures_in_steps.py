"""Measures that move in steps, whose slopes are 0: swaps of units or no test at all."""

from dataclasses import replace

import numpy as np
import pytest

from scoring import Source
from scoring.counts import Counts, Floats
from scoring.engine import count, read_pair
from scoring.errors import UsageError
from scoring.measures import Measure, weighed_measure
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics import randomization
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import Comparison, compare, compare_all
from scoring.statistics.exchange import all_pairs
from scoring.statistics.power import separation
from scoring.statistics.ranks import standings
from tests.scoring.made import counts_of

METRICS = get("metrics")
ACCURACY = METRICS.measure("system_pairwise_accuracy")
PLAN = Plan(resamples=200)
SEGMENTS, SYSTEMS = 40, 6


def metrics(seed: int, *noises: float, scales: tuple[float, ...] = ()) -> list[Counts]:
    """Counts of metrics whose scores are the true quality with so much noise."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(0, 0.3, SYSTEMS)
    people = quality + rng.normal(0, 1, (SEGMENTS, SYSTEMS))
    gold = _file(people)
    found = []
    for k, noise in enumerate(noises):
        own = people + noise * rng.normal(0, 1, (SEGMENTS, SYSTEMS))
        own = own * (scales[k] if scales else 1.0)
        found.append(_counts(gold, _file(own)))
    return found


def _file(values: Floats) -> Source:
    lines = [
        f"s{j},{i},{value!r}"
        for i, row in enumerate(values.tolist())
        for j, value in enumerate(row)
    ]
    text = "\n".join(["system,segment,score", *lines, ""])
    return Source.of_bytes("scores.csv", text.encode())


def _counts(gold: Source, system: Source) -> Counts:
    options = parse(METRICS.options, {})
    return count(METRICS, read_pair(METRICS, gold, system, options), options)


def compared(pair: list[Counts]) -> Comparison:
    return compare(("good", "poor"), (pair[0], pair[1]), ACCURACY, PLAN)


def test_a_good_and_a_poor_metric_are_told_apart_by_pairwise_accuracy() -> None:
    pair = metrics(1, 0.3, 20.0)
    found = compared(pair)
    assert found.difference and found.difference > 0.3
    assert found.p_value and found.p_value < 0.01
    ranks = standings(all_pairs([[one] for one in pair], ACCURACY), True)
    assert [one.range for one in ranks] == ["1", "2"]


def test_units_in_steps_are_neither_won_nor_equivalent() -> None:
    found = compared(metrics(1, 0.3, 20.0))
    assert found.won is None and found.tied is None
    assert found.equivalence_low is None and found.effective_units is None
    assert found.few_units_decide is None


def test_the_scale_of_a_metric_does_not_matter_to_its_test() -> None:
    plain = compared(metrics(2, 1.0, 3.0))
    scaled = compared(metrics(2, 1.0, 3.0, scales=(1.0, 256.0)))
    assert plain.p_value == scaled.p_value


def test_a_test_by_swaps_is_the_same_whoever_else_is_there() -> None:
    three = metrics(3, 0.5, 2.0, 8.0)
    alone = all_pairs([[one] for one in three[:2]], ACCURACY)
    among = all_pairs([[one] for one in three], ACCURACY)
    assert alone.p_value[0] == among.p_value[0]
    by_name = compare_all(dict(zip("abc", three, strict=True)), ACCURACY, PLAN)
    assert by_name[0].p_value == alone.p_value[0]


def test_more_swaps_than_a_minute_allows_are_no_test(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = [[one] for one in metrics(4, 0.5, 2.0, 8.0)]
    monkeypatch.setattr(randomization, "MOST_STEPS", 4_000_000)
    assert not all_pairs(three[:2], ACCURACY).too_many
    pairs = all_pairs(three, ACCURACY)
    assert pairs.too_many and np.isnan(pairs.p_value).all()
    assert {one.range for one in standings(pairs, True)} == {""}


def _middle(weights: Floats, table: Floats) -> Floats:
    """The weighted median of the first column."""
    order = np.argsort(table[:, 0], kind="stable")
    sums = np.cumsum(weights[:, order], axis=1)
    at = (sums < sums[:, -1:] / 2).sum(axis=1)
    return np.asarray(table[order, 0][at])


def _rows(shift: float) -> Counts:
    return counts_of([[shift + k % 7, 1, 1] for k in range(30)])


@pytest.mark.parametrize("declared", [True, False])
def test_a_measure_without_a_slope_never_has_a_p_value_of_1(declared: bool) -> None:
    names = _rows(0).columns
    measure = weighed_measure(
        "median",
        "Median",
        (names[0],),
        _middle,
        "the middle",
        stepwise=declared,
        slopes=lambda weights, _table: np.zeros(len(weights)),
    )
    pairs = all_pairs([[_rows(0)], [_rows(5)]], measure)
    assert pairs.difference[0] == -5
    with pytest.raises(UsageError, match="no unit moves median"):
        separation({"a": _rows(0), "b": _rows(5)}, measure, PLAN)
    if declared:
        assert pairs.p_value[0] < 0.01
    else:
        assert np.isnan(pairs.p_value[0]) and pairs.too_many
        assert standings(pairs, True)[0].range == ""


def test_a_measure_of_sums_that_moves_in_steps_is_not_tested_by_slopes() -> None:
    names = _rows(0).columns
    passed = Measure(
        "passed", "Passed", (names[0],), lambda sums: (sums > 100) * 1.0, "above 100"
    )
    by_slope = all_pairs([[_rows(0)], [_rows(5)]], passed)
    assert np.isnan(by_slope.p_value[0])
    by_swaps = all_pairs([[_rows(0)], [_rows(5)]], replace(passed, stepwise=True))
    assert by_swaps.p_value[0] < 0.01
