"""Copies of gold with mistakes: taken like submissions, and worse than the gold."""

import numpy as np
import pytest

from scoring import Source, check
from scoring.engine import count, read_pair
from scoring.examples import spoil_some
from scoring.scorer import Scorer
from scoring.statistics.runs import value_of
from tests.loops import loop_over
from tests.scoring.examples import Example, all_examples, counting_scorers

CASES = {
    f"{name}-{number}": (scorer, example)
    for name, scorer in counting_scorers().items()
    for number, example in enumerate(all_examples()[name], 1)
}
Case = tuple[Scorer, Example]


def ideal(case: Case) -> Source:
    scorer, example = case
    return scorer.perfect(example.gold, example.parse_options(scorer))


def copy(case: Case, share: float, seed: int = 1) -> Source:
    scorer, example = case
    return spoil_some(scorer, example.gold, example.parse_options(scorer), share, seed)


def values(case: Case, system: Source) -> dict[str, float]:
    """The values of all measures, with another sign where less is better."""
    scorer, example = case
    options = example.parse_options(scorer)
    counts = count(scorer, read_pair(scorer, example.gold, system, options), options)
    return {
        measure.name: value_of(counts, measure)
        * (1 if measure.higher_is_better else -1)
        for measure in scorer.measures(())
    }


@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
@loop_over("case", CASES.values(), CASES)
def test_a_copy_passes_the_check_of_submissions(case: Case, share: float) -> None:
    scorer, example = case
    options = example.parse_options(scorer)
    blind = scorer.blind(example.gold, options)
    for seed in range(5):
        assert list(check(scorer, blind, copy(case, share, seed), options)) == []


@loop_over("case", CASES.values(), CASES)
def test_no_measure_of_a_copy_is_better_and_one_is_worse(case: Case) -> None:
    perfect = values(case, ideal(case))
    worse = False
    for seed in range(5):
        found = values(case, copy(case, 1.0, seed))
        for name, value in found.items():
            assert np.isnan(value) or value <= perfect[name] + 1e-12, name
            worse |= value < perfect[name]
    assert worse


@loop_over("case", CASES.values(), CASES)
def test_without_any_share_a_copy_scores_as_the_gold(case: Case) -> None:
    same = values(case, copy(case, 0.0))
    assert np.array_equal(
        list(same.values()), list(values(case, ideal(case)).values()), equal_nan=True
    )


@loop_over("case", CASES.values(), CASES)
def test_the_same_seed_gives_the_same_bytes(case: Case) -> None:
    assert copy(case, 0.5).files == copy(case, 0.5).files
