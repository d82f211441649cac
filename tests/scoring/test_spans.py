"""Spans, worked by hand: counts, labels, empty cells, measures."""

import json
from typing import Any

import numpy as np
import pytest

from scoring import SetupError, Source, UsageError
from scoring.engine import read_pair
from scoring.options import parse
from scoring.report import as_json
from tests.loops import loop_over
from tests.scoring.harbour import GOLD, SPANS, document, evaluate, row, source


def test_an_exact_answer_is_best() -> None:
    result = evaluate(GOLD, GOLD)
    assert row(result) == (2, 0, 0, 0, 0)
    assert {result.measures[m].value for m in ("f1", "token_f1")} == {1}


def test_clashes_are_counted_from_each_side() -> None:
    """One long span over two of the reference's: two refclashes, one hypclash."""
    gold = source({"X": [[0, 4], [5, 10]]}, name="gold")
    result = evaluate(gold, source({"X": [[0, 10]]}))
    assert row(result) == (0, 2, 0, 1, 0)
    assert row(result, level="token") == (2, 0, 0, 0, 0)


def test_a_span_that_overlaps_only_a_matched_one_clashes() -> None:
    gold = source({"X": [[0, 10]]}, name="gold")
    assert row(evaluate(gold, source({"X": [[0, 10], [0, 4]]}))) == (1, 0, 0, 1, 0)


def test_touching_is_no_overlap() -> None:
    gold = source({"X": [[0, 4]]}, name="gold")
    assert row(evaluate(gold, source({"X": [[4, 10]]}))) == (0, 0, 1, 0, 1)


def test_exact_duplicates_are_one_span() -> None:
    assert row(evaluate(GOLD, source({"PLACE": [[0, 10]] * 3}))) == (1, 0, 1, 0, 0)


def test_labels_left_on_a_token_pair_off_in_label_order() -> None:
    """On `Port` the reference says A B, the system C: A clashes, B is missing."""
    gold = source({"A": [[0, 4]], "B": [[0, 4]]}, name="gold")
    result = evaluate(gold, source({"C": [[0, 4]]}))
    assert row(result, "A", "token") == (0, 1, 0, 0, 0)
    assert row(result, "B", "token") == (0, 0, 1, 0, 0)
    assert row(result, "C", "token") == (0, 0, 0, 1, 0)
    tokens = result.tables["token"]["<all>"]
    assert tokens["tag_sensitive_accuracy"] == (4 - 1 - 1) / 4
    assert tokens["tag_blind_accuracy"] == (4 - 1) / 4
    assert tokens["tag_blind_error_rate"] == 1 / 4


def test_a_token_belongs_to_every_span_it_shares_a_character_with() -> None:
    gold = source({"X": [[3, 6]]}, name="gold")
    assert row(evaluate(gold, source({})), level="token") == (0, 0, 2, 0, 0)


def test_the_tokens_of_the_reference_count_and_not_those_of_the_submission() -> None:
    gold = source({"lex": [[0, 10], [11, 22]], "X": [[0, 10]]}, name="gold")
    system = source({"lex": [[0, 1], [2, 3]], "X": [[0, 10]]})
    result = evaluate(gold, system)
    assert result.tables["token"]["X"]["test_toks"] == 2
    assert result.remarks[-1] != evaluate(GOLD, GOLD).remarks[-1]


def test_equal_f_scores_are_one_number() -> None:
    """One of 4 right and two of 10 right, of 2 in the reference: F is 1/3 for both."""
    few = source({"PLACE": [[0, 10]], "SHIP": [[i, i + 1] for i in range(3)]})
    wrong = [[i, i + 1] for i in range(8)]
    many = source({"PLACE": [[0, 10]], "PERSON": [[18, 22]], "SHIP": wrong})
    found = [evaluate(GOLD, system).measures["f1"].value for system in (few, many)]
    assert found == [1 / 3, 1 / 3]


@pytest.mark.parametrize(
    ("empty", "expected"), [("one", 1), ("zero", 0), ("na", None), (None, 1)]
)
def test_a_ratio_over_nothing_is_what_the_task_says(empty: str, expected: Any) -> None:
    options = {"empty": empty} if empty else {}
    nothing = source({}, name="gold")
    result = evaluate(nothing, source({}), **options)
    for name in ("precision", "recall", "f1", "token_precision", "token_f1"):
        assert result.measures[name].value == expected
    precision = evaluate(GOLD, source({}), **options).measures["precision"]
    assert precision.value == expected
    f1 = evaluate(GOLD, source({}), **options).measures["f1"]
    assert f1.value == (None if expected is None else 0)


@pytest.mark.parametrize(("empty", "expected"), [("one", 1), ("zero", 0), ("na", None)])
def test_a_text_without_tokens_has_the_accuracy_the_task_says(
    empty: str, expected: Any
) -> None:
    blank = Source("gold", {"d0.json": document({}, " \n ")})
    measures = evaluate(blank, Source("s", dict(blank.files)), empty=empty).measures
    assert measures["tag_blind_accuracy"].value == expected
    error = measures["tag_blind_error_rate"].value
    assert error == (None if expected is None else 1 - expected)


def test_a_tag_that_nobody_used_has_a_row_and_no_resamples() -> None:
    result = evaluate(GOLD, GOLD, tags="PERSON,SHIP")
    assert list(result.tables["tag"]) == ["PERSON", "SHIP", "<all>"]
    ship = result.measures["precision[SHIP]"]
    assert (ship.value, ship.mean, ship.left_out) == (1, None, 50)
    assert result.measures["precision"].left_out == 0


def test_tags_that_no_gold_span_has_are_an_error_of_the_task() -> None:
    with pytest.raises(SetupError, match="no span of the reference has a tag"):
        evaluate(GOLD, GOLD, tags="SHIPS,QUAYS")
    assert "no span of the gold has the tag SHIP" in (
        evaluate(GOLD, GOLD, tags="PERSON,SHIP").remarks
    )
    assert evaluate(source({}, name="gold"), GOLD, tags="SHIPS").units


def test_only_the_tags_of_the_task_are_scored() -> None:
    assert row(evaluate(GOLD, source({"SHIP": [[0, 22]]}), tags="PERSON")) == (
        0,
        0,
        1,
        0,
        0,
    )


def test_the_first_alias_that_fits_wins_and_classes_come_after() -> None:
    rows = {"NAME:kind,port": [[0, 10, "place", "yes"], [18, 22, "person"]]}
    gold = source({"HARBOUR": [[0, 10]], "WHO": [[18, 22]]}, name="gold")
    options = {
        "alias": ["PORT=NAME[kind=place,port=yes]", "SITE=NAME[kind=place]", "P=NAME"],
        "equivalence": ["HARBOUR=PORT,QUAY", "WHO=P"],
    }
    assert row(evaluate(gold, source(rows), **options)) == (2, 0, 0, 0, 0)
    swapped = options | {"alias": ["SITE=NAME[kind=place]", *options["alias"]]}
    assert row(evaluate(gold, source(rows), **swapped)) == (1, 1, 0, 1, 0)


@loop_over(
    ("option", "value"),
    [
        ("alias", "<all>=PERSON"),
        ("equivalence", "<all>=PERSON"),
        ("tags", "<all>"),
        ("alias", "PERSON"),
        ("alias", "=NAME"),
        ("alias", "P=NAME[kind]"),
        ("alias", "P=NAME[kind=x"),
        ("alias", "P=NAME[=x]"),
        ("equivalence", "PLACE"),
        ("equivalence", "PLACE="),
        ("equivalence", "=A,B"),
        ("format", "pdf"),
        ("scheme", "iob3"),
        ("empty", "two"),
    ],
)
def test_an_option_of_another_form_is_a_usage_error(option: str, value: str) -> None:
    with pytest.raises(UsageError, match=option):
        evaluate(GOLD, GOLD, **{option: value})


def test_a_label_cannot_be_in_two_classes() -> None:
    with pytest.raises(UsageError, match="in two classes"):
        evaluate(GOLD, GOLD, equivalence=["A=X,Y", "B=Y"])


def test_a_system_that_never_used_a_tag_still_has_its_measure() -> None:
    options = parse(SPANS.options, {})
    counts = [
        SPANS.count(*read_pair(SPANS, GOLD, system, options), options)
        for system in (source({"SHIP": [[0, 4]]}), source({}))
    ]
    measure = SPANS.measure("recall[SHIP]", counts[0].columns)
    assert float(measure.of(counts[1].totals, counts[1].columns)) == 1
    assert np.isnan(measure.resampled(counts[1].totals, counts[1].columns))


def test_the_report_holds_both_tables_and_no_infinity() -> None:
    found = json.loads(as_json(evaluate(GOLD, source({}), empty="na")))
    assert list(found["tables"]) == ["tag", "token"]
    assert found["tables"]["tag"]["<all>"]["precision"] is None
    assert found["counts"]["test_docs"] == 1
