"""Design effects, worked by hand and against draws of groups."""

import numpy as np
import pytest

from scoring.counts import Counts
from scoring.engine import Job, evaluate
from scoring.options import parse
from scoring.report import as_json, as_text
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.groups import coarser, design_effects, largest, typical
from tests.scoring.made import ACCURACY, COLUMNS

SENSES = get("senseval")


def grouped(rows: list[list[float]], labels: list[str]) -> Counts:
    names = tuple(f"u{i:03}" for i in range(len(rows)))
    return Counts(names, COLUMNS, np.array(rows), {"document": tuple(labels)})


def test_units_that_are_copies_count_once() -> None:
    """Of a mean of n, the jackknife variance is s * s / n: 4 copies make it 4 times
    as large, but for (n - 1): 19 / 4 for 20 units in 5 groups."""
    rows = [[right, 1, 1] for right in (1, 0, 1, 1, 0) for _copy in range(4)]
    labels = [f"d{group}" for group in range(5) for _copy in range(4)]
    found = design_effects(grouped(rows, labels), ACCURACY, ("document",))
    assert found == {"document": pytest.approx(19 / 4)}


def test_independent_units_have_an_effect_near_one() -> None:
    rng = np.random.default_rng(1)
    rows = [[int(rng.random() < 0.7), 1, 1] for _ in range(2000)]
    labels = [f"d{i // 10}" for i in range(2000)]
    found = design_effects(grouped(rows, labels), ACCURACY, ("document",))
    assert 0.8 < found["document"] < 1.2
    assert largest(found) is None


def test_one_group_or_a_group_each_is_no_grouping() -> None:
    rows = [[1, 1, 1], [0, 1, 1], [1, 1, 1]]
    for labels in (["d"] * 3, ["a", "b", "c"]):
        assert design_effects(grouped(rows, labels), ACCURACY, ("document",)) == {}
    right = [[1, 1, 1]] * 4
    same = design_effects(grouped(right, ["a", "a", "b", "b"]), ACCURACY, ("document",))
    assert same == {}


def test_the_typical_effect_is_the_median_of_each_grouping() -> None:
    found = typical([{"a": 1.0, "b": 9.0}, {"a": 3.0}, {"a": 2.0}])
    assert found == {"a": 2.0, "b": 9.0}
    assert largest(found) == ("b", 9.0)


def test_only_coarser_units_of_the_scorer_are_groups() -> None:
    assert coarser(("sentence", "document"), "sentence") == ("document",)
    assert coarser(("sentence", "document"), "document") == ()
    assert coarser(("sentence", "document"), "") == ("document",)


def test_a_score_says_that_instances_of_one_word_are_alike() -> None:
    """Every word is wholly right or wholly wrong: 8 words are 8 answers, not 80."""
    key = [(f"w{w}.n", f"{w}-{i}") for w in range(8) for i in range(10)]
    gold = "".join(f"{lexelt} {instance} a\n" for lexelt, instance in key)
    system = "".join(
        f"{lexelt} {instance} {'a' if int(lexelt[1]) % 2 else 'b'}\n"
        for lexelt, instance in key
    )
    files = [
        Source.of_bytes(name, text.encode())
        for name, text in (("gold", gold), ("system", system))
    ]
    options = parse(SENSES.options, {})
    found = evaluate(Job(SENSES, options), *files)
    assert found.design_effect == {"lexelt": pytest.approx(79 / 7)}
    assert found.remarks[-1] == (
        "units inside one lexelt are treated as independent; by lexelt the interval of "
        f"{SENSES.headline} is 3.4 times as wide as by instance: --unit lexelt"
    )
    assert "design effect of lexelt: 11.29" in as_text(found)
    assert '"design_effect": {\n  "lexelt"' in as_json(found)
    assert evaluate(Job(SENSES, options, "lexelt"), *files).design_effect == {}
