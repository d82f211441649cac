"""Both UNL directions against worked cases and figures from outside."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scoring.engine import count, read_pair
from scoring.errors import Refused
from scoring.options import parse
from scoring.scorer import Scorer
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring import outside
from tests.scoring.unls import GRAPH, TEXT

DIRECTIONS = {"unlization": GRAPH, "nlization": TEXT}
NAMES = {
    "id": "sentence",
    "relations": "relation_discrepancy",
    "uw": "uw_discrepancy",
    "overall": "overall_discrepancy",
}
# SOURCES.md of the data: correct, returned, expected, precision, recall, F.
FIGURES = {
    "unlization_sys_a": (73, 81, 86, 0.9012, 0.8488, 0.8743),
    "unlization_sys_b": (25, 64, 86, 0.3906, 0.2907, 0.3333),
    "nlization_sys_a": (63, 82, 86, 0.7683, 0.7326, 0.7500),
    "nlization_sys_b": (21, 67, 86, 0.3134, 0.2442, 0.2745),
}


def scored(
    scorer: Scorer, gold: Path, system: Path, language: str = "en"
) -> tuple[dict[str, float], dict[str, dict[str, Any]]]:
    """Counts and measures in one, and rows of the details by sentence."""
    options = parse(scorer.options, {"language": [language]})
    pair = read_pair(scorer, Source.of_path(gold), Source.of_path(system), options)
    counts = count(scorer, pair, options)
    found = counts.as_numbers() | {
        m.name: float(m.of(counts.totals, counts.columns)) for m in scorer.measures(())
    }
    details = scorer.details(*pair, options)
    rows = (dict(zip(details.columns, row, strict=True)) for row in details.rows)
    return found, {str(row["sentence"]): row for row in rows}


@loop_over("direction", DIRECTIONS)
@loop_over("case", [f"{number:04}" for number in range(16)])
def test_a_worked_case_comes_out(case: str, direction: str) -> None:
    folder = outside.cases("unl", case)
    facts = json.loads((folder / "case.json").read_text())
    run = next(r for r in facts["runs"] if r["options"]["direction"] == direction)
    pair = folder / "expected.unl", folder / "actual.unl"
    if "error" in run:
        with pytest.raises(Refused, match="sentence '1' again"):
            scored(DIRECTIONS[direction], *pair)
        return
    found, rows = scored(DIRECTIONS[direction], *pair, run["options"]["lang"])
    expected = run["expected"]
    for name in ("correct", "returned", "expected", "precision", "recall"):
        assert found[name] == pytest.approx(expected[name], abs=1e-12)
    assert found["f1"] == pytest.approx(expected["fmeasure"], abs=1e-12)
    for sentence in expected["sentences"]:
        compare(sentence, rows[sentence["id"]])


def compare(expected: dict[str, Any], row: dict[str, Any]) -> None:
    """Every number of a sentence, and whether there is a reason."""
    for name, value in expected.items():
        if name == "why":
            assert row["why"]
        elif isinstance(value, str):
            assert row[NAMES.get(name, name)] == value
        else:
            assert row[NAMES.get(name, name)] == pytest.approx(float(value), abs=1e-12)


@pytest.mark.published
@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_of_the_data_come_out(name: str) -> None:
    scorer = DIRECTIONS[name.partition("_")[0]]
    data = outside.published("unl")
    found, _ = scored(scorer, data / "ugoa1_gold.unl", data / f"{name}.unl")
    *counts, precision, recall, f1 = FIGURES[name]
    assert [found[c] for c in ("correct", "returned", "expected")] == counts
    rates = [found[m] for m in ("precision", "recall", "f1")]
    assert rates == pytest.approx([precision, recall, f1], abs=5e-5)


@pytest.mark.published
@pytest.mark.parametrize("scorer", DIRECTIONS.values(), ids=lambda s: str(s.name))
def test_the_gold_corpus_is_all_correct_against_itself(
    scorer: Scorer, tmp_path: Path
) -> None:
    """Its texts are the originals, which only as {en} are an answer."""
    gold = outside.published("unl", "ugoa1_gold.unl")
    answers = tmp_path / "answers.unl"
    answers.write_text(re.sub(r"\{(/?)org(:en)?\}", r"{\1en}", gold.read_text()))
    measured, _ = scored(scorer, gold, answers)
    rates = [measured[name] for name in ("precision", "recall", "f1")]
    assert rates == [1, 1, 1]
    assert measured["correct"] == 86


@pytest.mark.published
def test_the_originals_of_a_corpus_are_no_answers() -> None:
    gold = outside.published("unl", "ugoa1_gold.unl")
    measured, _ = scored(TEXT, gold, gold)
    assert (measured["correct"], measured["returned"]) == (0, 0)
