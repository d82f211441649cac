"""Senses, worked by hand: the rows of the seed's tables and what they leave open."""

import pytest

from tests.loops import loop_over
from tests.scoring.senses import GRAINS, KEY, MAP, measured, numbers, trace

# (row, key, guess, fine, coarse, mixed). Rows 18 and 20 are misprinted in the seed;
# SCORING.md, `senseval`, has the right ones.
DISJUNCTIVE = [
    (1, "1", "1", 1.0, 1.0, 1.0),
    (2, "1 3", "1", 1.0, 1.0, 1.0),
    (3, "1", "2", 0.0, 0.0, 0.0),
    (4, "1 2", "2", 1.0, 1.0, 1.0),
    (5, "1 3", "2", 0.0, 0.0, 0.0),
    (6, "1.1", "1.1", 1.0, 1.0, 1.0),
    (7, "1.1 3", "1.1", 1.0, 1.0, 1.0),
    (8, "1.1", "1.2", 0.0, 1.0, 0.0),
    (9, "1.1 3", "1.2", 0.0, 1.0, 0.0),
    (10, "1", "1.1", 0.0, 1.0, 1.0),
    (11, "1.1", "1", 0.0, 1.0, 0.5),
    (12, "2.1", "2", 0.0, 1.0, 0.2),
    (13, "1.1 1.2", "1.1", 1.0, 1.0, 1.0),
    (14, "1.1 1.2", "1", 0.0, 1.0, 1.0),
    (15, "2.1 2.2", "2", 0.0, 1.0, 0.4),
    (16, "1", "1/0.6 2/0.4", 0.6, 0.6, 0.6),
    (17, "2", "1/0.6 2/0.4", 0.4, 0.4, 0.4),
    (18, "1", "1.1/0.6 2/0.4", 0.0, 0.6, 0.6),
    (19, "1", "1.1/0.6 1.2/0.4", 0.0, 1.0, 1.0),
    (20, "1.1", "1/0.6 2/0.4", 0.0, 0.6, 0.3),
    (21, "1 3", "1/0.6 2/0.4", 0.6, 0.6, 0.6),
    (22, "1 2", "1/0.6 2/0.4", 1.0, 1.0, 1.0),
]
# (row, key, guess, score, returned), the same in every grain.
CONJUNCTIVE = [
    (1, "1", "1/1", 1.0, 1.0),
    (2, "1 3", "1/1", 1.0, 1.0),
    (3, "1 3", "1/1 3/1", 2.0, 2.0),
    (4, "3", "1/1 3/1", 1.0, 2.0),
    (5, "1", "1/0.6", 0.6, 0.6),
    (6, "1 3", "1/0.6", 0.6, 0.6),
    (7, "1 3", "1/0.6 3/0.6", 1.2, 1.2),
    (8, "1 3", "1/0.6 3/0.2", 0.8, 0.8),
    (9, "3", "1/0.6 3/0.5", 0.5, 1.1),
]


def score(key: str, guess: str, **given: str) -> float:
    given.setdefault("sensemap", MAP)
    return numbers(f"w w.1 {key}\n", f"w w.1 {guess}\n", **given)["score"]


@loop_over("row", DISJUNCTIVE, ids=lambda row: f"row {row[0]}")
def test_disjunctive_rows_of_the_seed(row: tuple[int, str, str, float]) -> None:
    _, key, guess, *expected = row
    found = [score(key, guess, granularity=grain) for grain in GRAINS]
    assert found == pytest.approx(expected, abs=1e-12)


@loop_over("row", CONJUNCTIVE, ids=lambda row: f"row {row[0]}")
def test_conjunctive_rows_of_the_seed(row: tuple[int, str, str, float, float]) -> None:
    _, key, guess, right, returned = row
    for grain in GRAINS:
        given = {"granularity": grain, "policy": "conjunctive", "sensemap": MAP}
        found = numbers(f"w w.1 {key}\n", f"w w.1 {guess}\n", **given)
        assert found["score"] == pytest.approx(right, abs=1e-12)
        assert found["attempted"] == pytest.approx(returned, abs=1e-12)
        assert found["total"] == len(key.split())


def test_minimal_leaves_out_instances_with_several_senses_in_the_key() -> None:
    key = "".join(f"w w.{row[0]} {row[1]}\n" for row in DISJUNCTIVE)
    answers = "".join(f"w w.{row[0]} {row[2]}\n" for row in DISJUNCTIVE)
    single = [row for row in DISJUNCTIVE if " " not in row[1]]
    for grain, place in zip(GRAINS, (3, 4, 5), strict=True):
        found = numbers(key, answers, granularity=grain, minimal="yes", sensemap=MAP)
        assert found["instances"] == len(single)
        assert found["score"] == pytest.approx(sum(row[place] for row in single))


def test_minimal_looks_at_the_key_before_senses_are_collapsed() -> None:
    given = {"granularity": "coarse", "minimal": "true", "sensemap": MAP}
    found = numbers("w w.1 1.1 1.2\nw w.2 1\n", "w w.1 1\n", **given)
    assert found["instances"] == 1


def test_unanswered_instances_count_in_recall_and_not_in_precision() -> None:
    found = measured(KEY, "oak.n oak.1 1\noak.n oak.2 1\n")
    assert found["precision"] == 1 / 2
    assert found["recall"] == 1 / 3
    assert found["attempted"] == 2 / 3
    assert found["f1"] == pytest.approx(2 / 5)


def test_nothing_attempted_has_no_precision_and_recall_zero() -> None:
    found = measured(KEY, "oak.n oak.1\n")
    assert (found["precision"], found["recall"], found["f1"]) == (None, 0, None)
    assert found["attempted"] == 0


def test_a_key_emptied_by_a_filter_has_neither() -> None:
    found = measured(KEY, "oak.n oak.1 1\n", instances="")
    assert set(found.values()) == {None}


def test_the_order_of_the_files_changes_nothing() -> None:
    answers = "oak.n oak.1 1.2/0.3 2/0.1\nelm.n elm.1 1\n"
    given = {"granularity": "mixed", "sensemap": MAP}
    there = numbers(KEY, answers, **given)
    turned = {"granularity": "mixed", "sensemap": reversed_lines(MAP)}
    assert numbers(reversed_lines(KEY), reversed_lines(answers), **turned) == there


def reversed_lines(text: str) -> str:
    return "".join(reversed(text.splitlines(keepends=True)))


@loop_over(
    ("guess", "attempted", "right"),
    [
        ("1 2", 1.0, 0.5),
        ("1 2/0.9", 1.0, 0.5),
        ("1/3 2/1", 1.0, 0.75),
        ("1/0.5 2/0.25", 0.75, 0.5),
        ("1/0 2/0", 0.0, 0.0),
        ("1/1e308 2/1e308", 1.0, 0.5),
        ("1/0.2 1/0.3", 0.5, 0.5),
        ("1 1 1 1 1 1", 1.0, 1.0),
        ("1/.5", 0.5, 0.5),
        ("1/+5e-1", 0.5, 0.5),
    ],
)
def test_weights_are_a_distribution_with_a_rest(
    guess: str, attempted: float, right: float
) -> None:
    found = numbers("w w.1 1\n", f"w w.1 {guess}\n")
    assert (found["attempted"], found["score"]) == (attempted, right)


@pytest.mark.parametrize(
    ("guess", "returned", "right"),
    [
        ("1 2", 2.0, 1.0),
        ("1/0.5 2", 2.0, 1.0),
        ("1/0.9 1/0.9", 1.0, 1.0),
        ("1/3 2", 2.0, 1.0),
    ],
)
def test_conjunctive_weights_are_taken_as_they_are(
    guess: str, returned: float, right: float
) -> None:
    found = numbers("w w.1 1\n", f"w w.1 {guess}\n", policy="conjunctive")
    assert (found["attempted"], found["score"]) == (returned, right)


def test_coarse_conjunctive_counts_a_collapsed_sense_once() -> None:
    given = {"granularity": "coarse", "policy": "conjunctive", "sensemap": MAP}
    found = numbers("w w.1 1.1 1.2 3\n", "w w.1 1.1/0.7 1/0.6 2.1/0.2\n", **given)
    assert found["total"] == 2
    assert found["attempted"] == pytest.approx(1.2)
    assert found["score"] == 1


def test_a_repeated_sense_in_the_key_is_one_sense() -> None:
    given = {"policy": "conjunctive", "minimal": "true"}
    assert numbers("w w.1 1 1\n", "w w.1 1\n", **given)["total"] == 1


def test_grandparents_earn_one_by_the_product_of_the_branching_factors() -> None:
    deep = "a.b.c 4 a.b 3 a\n"
    given = {"granularity": "mixed", "sensemap": deep}
    assert numbers("w w.1 a.b.c\n", "w w.1 a\n", **given)["score"] == pytest.approx(
        1 / 12
    )
    assert numbers("w w.1 a.b.c\n", "w w.1 a.b\n", **given)["score"] == 1 / 4
    assert numbers("w w.1 a\n", "w w.1 a.b.c\n", **given)["score"] == 1


def test_the_trace_adds_up_to_the_score() -> None:
    key = "".join(f"w w.{row[0]} {row[1]}\n" for row in DISJUNCTIVE)
    answers = "".join(f"w w.{row[0]} {row[2]}\n" for row in DISJUNCTIVE)
    for grain in GRAINS:
        given = {"granularity": grain, "sensemap": MAP}
        rows = trace(key, answers, **given)
        assert [row[2] for row in rows] == pytest.approx(
            [dict(zip(GRAINS, line[3:], strict=True))[grain] for line in DISJUNCTIVE]
        )
