"""CoNLL 2018 scores against worked cases and the counts of another program."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.errors import Refused
from scoring.options import parse
from scoring.scorers.conll18 import SCORER, SCORES
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.conllu_cases import CASES, TREEBANKS, facts, files, treebank

NUMBERS = (*range(4, 7), *range(8, 16), *range(23, 27), *range(28, 34), 41, 42)
BOTH = {f"{number:04}" for number in NUMBERS}
REFUSED = {"single": {*BOTH, "0007"}, "any": BOTH}
KEYS = {"single": "conll18", "any": "conll18_any_roots"}
RUNS = [(case, roots) for roots in KEYS for case in CASES]
STORED = Path(__file__).with_name("udtools_counts.json")


def counted(gold: Source, system: Source, roots: str) -> Counts:
    options = parse(SCORER.options, {"roots": [roots]})
    return count(SCORER, read_pair(SCORER, gold, system, options), options)


def rows(counts: Counts) -> dict[str, dict[str, float | None]]:
    return SCORER.tables(counts, {})["scores"]


@loop_over(("case", "roots"), [run for run in RUNS if run[0] not in REFUSED[run[1]]])
def test_worked_cases_come_out(case: str, roots: str) -> None:
    expected = facts(case)[KEYS[roots]]
    found = counted(*files(case), roots)
    for score in SCORES:
        wanted, row = expected[score.title], rows(found)[score.name]
        assert [row[key] for key in ("correct", "gold", "system")] == [
            wanted[key] for key in ("correct", "gold", "system")
        ]
        if score.name != "words":
            # The cases leave out what is 1 by definition.
            assert row["aligned"] == wanted["aligned"]
            assert row["aligned_accuracy"] == wanted["aligned_accuracy"]
        for part, key in (
            ("", "f1"),
            ("_precision", "precision"),
            ("_recall", "recall"),
        ):
            measure = SCORER.measure(score.name + part)
            assert measure.of(found.totals, found.columns) == wanted[key]


@loop_over(("case", "roots"), [run for run in RUNS if run[0] in REFUSED[run[1]]])
def test_bad_files_of_worked_cases_are_refused_at_their_line(
    case: str, roots: str
) -> None:
    expected = facts(case)[KEYS[roots]]["error"]
    gold, system = files(case)
    with pytest.raises(Refused) as refusal:
        counted(gold, system, roots)
    problem = refusal.value.problems[0]
    assert problem.file == system.name
    assert expected["line"] in (None, problem.line)


@loop_over("pair", json.loads(STORED.read_text("utf-8"))["pairs"])
def test_counts_of_udtools_come_out(pair: dict[str, Any]) -> None:
    sides = (Source.of_bytes(n, pair[n].encode()) for n in ("gold", "system"))
    found = rows(counted(*sides, "any"))
    for name, counts in pair["counts"].items():
        assert [found[name][key] for key in ("correct", "gold", "system")] == counts


UDTOOLS = {
    ("English", "malt-default"): (25096, 21441, 20706, 10452, 10216, 10452),
    ("English", "malt-default-coarse"): (25096, 21389, 20650, 10424, 10171, 10424),
    ("English", "malt-optimized"): (25096, 21622, 20984, 10621, 10406, 10621),
    ("Finnish", "malt-default"): (9140, 6539, 6037, 3768, 3673, 3768),
    ("Finnish", "malt-default-coarse"): (9140, 6567, 6058, 3771, 3671, 3771),
    ("Finnish", "malt-optimized"): (9140, 7295, 7076, 4419, 4320, 4419),
    ("Persian", "malt-default"): (16022, 13307, 12828, 7435, 7267, 7435),
    ("Persian", "malt-default-coarse"): (16022, 13255, 12769, 7397, 7235, 7397),
    ("Persian", "malt-optimized"): (16022, 13348, 12863, 7405, 7216, 7405),
}


@pytest.mark.published
@pytest.mark.parametrize(("language", "system"), UDTOOLS)
def test_counts_of_udtools_on_real_parser_outputs_come_out(
    language: str, system: str
) -> None:
    sides = treebank(language, "gold"), treebank(language, system)
    found = rows(counted(*sides, "any"))
    names = ("words", "uas", "las", "clas", "mlas", "blex")
    assert tuple(found[name]["correct"] for name in names) == UDTOOLS[language, system]


@pytest.mark.published
@pytest.mark.parametrize("language", TREEBANKS)
def test_several_roots_are_refused_with_each_sentence(language: str) -> None:
    sides = treebank(language, "gold"), treebank(language, "malt-default")
    with pytest.raises(Refused, match="roots; this task expects one") as refusal:
        counted(*sides, "single")
    assert len(refusal.value.problems) > 10
