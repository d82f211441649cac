"""Clusterings: every figure as scikit-learn gives it, B-cubed by its definition."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from sklearn import metrics

from scoring.counts import Counts
from scoring.engine import Job, count_file
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.clusterings.figures import MEASURES
from scoring.source import Source
from scoring.statistics.exchange import all_pairs
from scoring.statistics.row_weights import Rows, weigh
from scoring.statistics.runs import value_of
from tests.loops import loop_over

SCORER = get("clusterings")
OPTIONS = parse(SCORER.options, {})


def table(clusters: Sequence[object]) -> Source:
    rows = "".join(f"i{place:03},{name}\n" for place, name in enumerate(clusters))
    return Source.of_bytes("file.csv", f"id,cluster\n{rows}".encode())


def counted(gold: Sequence[object], system: Sequence[object]) -> Counts:
    answers = SCORER.read_gold(table(gold), OPTIONS)
    return count_file(Job(SCORER, OPTIONS), answers, table(system))


def values(gold: Sequence[object], system: Sequence[object]) -> dict[str, float]:
    counts = counted(gold, system)
    return {measure.name: value_of(counts, measure) for measure in MEASURES}


def bcubed(gold: Sequence[object], system: Sequence[object]) -> tuple[float, float]:
    """Bagga and Baldwin 1998, item by item."""
    precisions, recalls = [], []
    for own, other in zip(gold, system, strict=True):
        correct = {i for i, name in enumerate(gold) if name == own}
        found = {i for i, name in enumerate(system) if name == other}
        precisions.append(len(correct & found) / len(found))
        recalls.append(len(correct & found) / len(correct))
    return float(np.mean(precisions)), float(np.mean(recalls))


def pair_f1(gold: Sequence[object], system: Sequence[object]) -> float:
    (_, spurious), (missing, both) = metrics.cluster.pair_confusion_matrix(gold, system)
    whole = 2 * both + spurious + missing
    return float(2 * both / whole) if whole else 1.0


def expected(gold: Sequence[object], system: Sequence[object]) -> dict[str, float]:
    homogeneity, completeness, v_measure = metrics.homogeneity_completeness_v_measure(
        gold, system
    )
    precision, recall = bcubed(gold, system)
    return {
        "ari": metrics.adjusted_rand_score(gold, system),
        "v_measure": v_measure,
        "homogeneity": homogeneity,
        "completeness": completeness,
        "bcubed_f1": 2 * precision * recall / (precision + recall),
        "bcubed_precision": precision,
        "bcubed_recall": recall,
        "pair_f1": pair_f1(gold, system),
    }


def random_pair(seed: int) -> tuple[list[int], list[int]]:
    """From one item to many, from one cluster to one for each item."""
    random = Random(seed)
    size = random.choice([1, 2, 3, 5, 12, 40])
    most, other = (random.choice([1, 2, 4, size]) for _ in range(2))
    gold = [random.randrange(most) for _ in range(size)]
    noise = random.choice([0, 0.3, 1])
    changed = (random.random() < noise for _ in gold)
    return gold, [
        random.randrange(other) if change else name
        for name, change in zip(gold, changed, strict=True)
    ]


def test_every_figure_is_that_of_scikit_learn_or_of_the_definition() -> None:
    for seed in range(300):
        gold, system = random_pair(seed)
        found = values(gold, system)
        assert found == pytest.approx(expected(gold, system), abs=1e-12), seed


def test_a_worked_example() -> None:
    # Amigó and others 2009: the cluster {a a a b b} and two of one c each.
    gold, system = list("aaabbcc"), list("1111123")
    found = values(gold, system)
    assert found["bcubed_precision"] == pytest.approx((9 / 5 + 4 / 5 + 2) / 7)
    assert found["bcubed_recall"] == pytest.approx((3 + 2 + 1) / 7)
    # 10 pairs together in the system, 5 in gold, 4 in both, 21 in all.
    assert found["pair_f1"] == pytest.approx(8 / 15)
    assert found["ari"] == pytest.approx((4 - 50 / 21) / (7.5 - 50 / 21))


def test_names_of_clusters_mean_nothing() -> None:
    gold, system = random_pair(7)
    renamed = [{0: "b", 1: "a"}.get(name, f"x{name}") for name in system]
    assert values(gold, renamed) == values(gold, system)
    assert counted(gold, renamed).table.tolist() == counted(gold, system).table.tolist()


def test_the_slope_of_an_item_is_what_little_of_it_adds() -> None:
    gold, system = [0, 0, 1, 1, 2, 2, 2, 3], [0, 0, 0, 1, 1, 2, 2, 2]
    rows = Rows.of([counted(gold, system)], MEASURES[0])
    weights = np.array([1.0, 1, 2, 1, 1, 3, 1, 1])
    for measure in MEASURES:
        assert measure.slopes is not None
        found = measure.slopes(weights, rows.tables[0])
        for place in range(8):
            step = np.zeros(8)
            step[place] = 1e-6
            ends = np.stack([weights + step, weights - step])
            high, low = weigh(measure, ends, rows.tables[0])
            assert found[place] == pytest.approx((high - low) / 2e-6, abs=1e-7)


def test_what_two_systems_differ_by_is_the_sum_over_items() -> None:
    gold = [0, 0, 1, 1, 2, 2, 2, 3]
    pair = [
        counted(gold, s) for s in ([0, 0, 0, 1, 1, 2, 2, 2], [0, 1, 2, 2, 3, 3, 3, 4])
    ]
    pool = np.concatenate([one.table for one in pair])
    for measure in MEASURES:
        assert measure.slopes is not None
        slopes = measure.slopes(np.full(16, 0.5), pool)
        first, second = (value_of(one, measure) for one in pair)
        apart = slopes[:8].sum() - slopes[8:].sum()
        assert apart == pytest.approx(first - second), measure.name


@loop_over("system", [[0] * 6, [*range(6)]])
def test_answers_that_say_nothing_have_no_adjusted_rand(system: list[int]) -> None:
    assert values([0, 0, 0, 1, 1, 2], system)["ari"] == 0


def test_few_items_are_not_tested_by_measures_that_find_too_much() -> None:
    random = Random(3)
    gold = [random.randrange(8) for _ in range(200)]
    sides = [[random.choice((name, 0)) for name in gold] for _ in range(2)]
    for size, tested in ((199, False), (200, True)):
        systems = [[counted(gold[:size], side[:size])] for side in sides]
        known = {
            m.name: not np.isnan(all_pairs(systems, m).p_value[0]) for m in MEASURES
        }
        few = {name for name, has_test in known.items() if not has_test}
        biased = {measure.name for measure in MEASURES if measure.biased}
        assert few == (set() if tested else biased)
