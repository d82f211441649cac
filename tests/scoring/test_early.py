"""Early detection: ERDE and latency-weighted F1 by their definitions, case by case."""

import math
from collections.abc import Sequence
from random import Random
from statistics import median

import numpy as np
import pytest

from scoring import Refused, SetupError, Source
from scoring.counts import Counts
from scoring.engine import Job, count_file
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.early import MEASURES
from scoring.statistics.row_weights import weigh
from scoring.statistics.runs import value_of
from tests.loops import loop_over

SCORER = get("early")
OPTIONS = parse(SCORER.options, {})


def table(column: str, cells: Sequence[object]) -> Source:
    rows = "".join(f"s{place:03},{cell}\n" for place, cell in enumerate(cells))
    return Source.of_bytes("file.csv", f"id,{column}\n{rows}".encode())


def counted(labels: Sequence[object], delays: Sequence[object]) -> Counts:
    gold = SCORER.read_gold(table("label", labels), OPTIONS)
    return count_file(Job(SCORER, OPTIONS), gold, table("delay", delays))


def values(labels: Sequence[object], delays: Sequence[object]) -> dict[str, float]:
    counts = counted(labels, delays)
    return {measure.name: value_of(counts, measure) for measure in MEASURES}


def erde(labels: Sequence[int], delays: Sequence[int], deadline: int) -> float:
    """Losada and Crestani 2016, person by person."""
    share, costs = sum(labels) / len(labels), []
    for at_risk, delay in zip(labels, delays, strict=True):
        if at_risk and delay:
            costs.append(1 - 1 / (1 + math.exp(delay - deadline)))
        else:
            costs.append(1.0 if at_risk else share * (delay > 0))
    return sum(costs) / len(costs)


def speed_of(labels: Sequence[int], delays: Sequence[int]) -> float:
    """Sadeque and others 2018."""
    pairs = zip(labels, delays, strict=True)
    penalties = [
        2 / (1 + math.exp(-0.0078 * (k - 1))) - 1 for one, k in pairs if one * k
    ]
    return 1 - median(penalties) if penalties else math.nan


def random_pair(seed: int) -> tuple[list[int], list[int]]:
    random = Random(seed)
    size, share = random.randint(1, 30), random.choice([0, 0.1, 0.5, 1])
    labels = [int(random.random() < share) for _ in range(size)]
    most = random.choice([1, 5, 60, 700])
    delays = [random.randint(1, most) * (random.random() < 0.6) for _ in range(size)]
    return labels, delays


def test_every_figure_is_that_of_its_definition() -> None:
    for seed in range(300):
        labels, delays = random_pair(seed)
        found = values(labels, delays)
        for deadline in (5, 50):
            expected = erde(labels, delays, deadline)
            assert found[f"erde_{deadline}"] == pytest.approx(expected, abs=1e-12)
        speed = speed_of(labels, delays)
        assert found["speed"] == pytest.approx(speed, abs=1e-12, nan_ok=True)
        hits = sum(1 for one, delay in zip(labels, delays, strict=True) if one * delay)
        f1 = 2 * hits / max(sum(labels) + sum(map(bool, delays)), 1)
        expected = 0.0 if math.isnan(speed) else f1 * speed
        assert found["latency_f1"] == pytest.approx(expected, abs=1e-12)


def test_a_person_who_counts_twice_is_two() -> None:
    labels, delays = [1, 1, 1, 0, 1], [4, 90, 30, 7, 0]
    counts = counted(labels, delays)
    weights = np.array([[2.0, 1, 0, 3, 1]])
    drawn = np.repeat(np.arange(5), weights[0].astype(int)).tolist()
    doubled = values([labels[i] for i in drawn], [delays[i] for i in drawn])
    for name in ("speed", "latency_f1"):
        measure = SCORER.measure(name)
        places = [counts.columns.index(column) for column in measure.columns]
        (found,) = weigh(measure, weights, counts.table[:, places])
        assert found == pytest.approx(doubled[name], abs=1e-12)


def test_a_later_alarm_is_never_better() -> None:
    labels = [1, 0, 1, 1]
    soon, late = values(labels, [1, 0, 2, 9]), values(labels, [1, 0, 2, 10])
    assert late["erde_5"] > soon["erde_5"]
    assert late["erde_50"] >= soon["erde_50"]
    assert late["latency_f1"] <= soon["latency_f1"]


@loop_over("cell", ["-1", "2.5", "yes", "1000001", "\u00b2"])
def test_a_delay_that_is_none_is_refused_with_its_line(cell: str) -> None:
    with pytest.raises(Refused) as caught:
        counted([1, 0], [3, cell])
    (problem,) = caught.value.problems
    assert problem.line == 3
    assert "0 for none" in problem.hint


def test_a_label_that_is_neither_is_a_set_up_error() -> None:
    with pytest.raises(SetupError, match="neither 1, at risk, nor 0"):
        counted([1, 2], [3, 0])
