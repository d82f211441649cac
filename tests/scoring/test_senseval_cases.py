"""Senses against answers from outside: worked cases and the figures of SENSEVAL-3."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.engine import count, read_pair
from scoring.errors import Refused
from scoring.options import Options, parse
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring import outside
from tests.scoring.senses import GRAINS, SCORER

CASES = [f"{number:04}" for number in range(16)]
FLAGS = {
    "minimal": ("minimal", "true"),
    "discard_unknown_ids": ("unknown_senses", "discard"),
}

# SOURCES.md of the data: scorer2 with a sorted map, correct per grain and attempted.
CORRECT = {
    "sys_a": (791, 852, 836.67, 3944),
    "sys_b": (1541, 1669, 1647.50, 2311),
    "sys_c": (2127, 2442, 2313, 3944),
    "sys_d": (2370, 2652, 2549.83, 3944),
    "ensemble_weighted": (1911.95, 2153.85, 2066.19, 3944),
    "ensemble_appearance": (1784.40, 2003.80, 1925.57, 3617.40),
}
# Precision and recall, fine, coarse and mixed.
RATES = {
    "sys_a": "201 201 216 216 212 212",
    "sys_b": "667 391 722 423 713 418",
    "sys_c": "539 539 619 619 586 586",
    "sys_d": "601 601 672 672 647 647",
    "ensemble_weighted": "485 485 546 546 524 524",
    "ensemble_appearance": "493 452 554 508 532 488",
}
MINIMAL = {
    "sys_a": "195 195 212 212 208 208",
    "sys_b": "660 393 719 428 709 422",
    "sys_c": "528 528 611 611 576 576",
    "sys_d": "589 589 663 663 636 636",
}
CONJUNCTIVE = {
    "sys_b": "666811 362418 722198 402363 712895 387465",
    "sys_d": "600913 557385 672414 639344 646509 599679",
    "ensemble_appearance": "493282 419661 553934 483076 532307 452861",
}


def run_options(folder: Path, run: dict[str, Any]) -> Options:
    """Options of a run of case.json as the scorer takes them."""
    raw: dict[str, list[str | Source]] = {"sensemap": [file(folder, "sensemap")]}
    for name, value in run["options"].items():
        if name in ("instances", "senses"):
            raw[name] = [file(folder, name)]
        elif name in FLAGS:
            raw[FLAGS[name][0]] = [FLAGS[name][1]]
        else:
            raw[name] = [value]
    return parse(SCORER.options, raw)


def file(folder: Path, name: str) -> Source:
    return Source.of_path(folder / name)


@loop_over("case", CASES)
def test_worked_case(case: str) -> None:
    folder = outside.cases("senseval", case)
    for run in json.loads((folder / "case.json").read_text())["runs"]:
        options = run_options(folder, run)
        if "error" in run:
            check_refusal(folder, options, run["error"])
        else:
            check_numbers(folder, options, run["expected"])


def check_refusal(folder: Path, options: Options, error: str) -> None:
    """The line of the refusal holds what the case complains of."""
    with pytest.raises(Refused) as caught:
        read_pair(SCORER, file(folder, "key"), file(folder, "answers"), options)
    lines = (folder / "answers").read_text("utf-8-sig").split("\n")
    complained = error.rpartition(" ")[2].strip("'")
    named = [lines[problem.line - 1] for problem in caught.value.problems]
    assert any(complained in line for line in named)


def check_numbers(folder: Path, options: Options, expected: dict[str, Any]) -> None:
    pair = read_pair(SCORER, file(folder, "key"), file(folder, "answers"), options)
    counts = count(SCORER, pair, options)
    for name, value in counts.as_numbers().items():
        assert value == pytest.approx(expected[name], abs=1e-9)
    measures = {
        m.name: m.of(counts.totals, counts.columns) for m in SCORER.measures(())
    }
    for name, key in {
        "precision": "precision",
        "recall": "recall",
        "attempted": "attempted_rate",
    }.items():
        value = float("nan") if expected[key] is None else expected[key]
        assert measures[name] == pytest.approx(value, abs=1e-9, nan_ok=True)
    rows = {
        f"{row[0]} {row[1]}": row[2:4] for row in SCORER.details(*pair, options).rows
    }
    assert rows.keys() == expected["per_instance"].keys()
    for name, values in expected["per_instance"].items():
        assert rows[name] == pytest.approx(values, abs=1e-9)


def scored(system: str, **given: str) -> tuple[dict[str, float], float, float]:
    """Counts, precision and recall of one of the real runs."""
    data = outside.published("senseval3")
    raw: dict[str, list[str | Source]] = {k: [v] for k, v in given.items()}
    raw["sensemap"] = [file(data, "EnglishLS.sensemap")]
    options = parse(SCORER.options, raw)
    key, answers = file(data, "EnglishLS.test.key"), file(data, f"{system}.txt")
    counts = count(SCORER, read_pair(SCORER, key, answers, options), options)
    found = {
        m.name: float(m.of(counts.totals, counts.columns)) for m in SCORER.measures(())
    }
    return counts.as_numbers(), found["precision"], found["recall"]


@pytest.mark.published
@pytest.mark.parametrize("system", CORRECT)
def test_senseval3_as_the_organisers_scored_it(system: str) -> None:
    *correct, attempted = CORRECT[system]
    rates = RATES[system].split()
    for place, grain in enumerate(GRAINS):
        counts, precision, recall = scored(system, granularity=grain)
        assert counts["score"] == pytest.approx(correct[place], abs=0.005)
        assert counts["attempted"] == pytest.approx(attempted, abs=0.005)
        assert counts["total"] == counts["instances"] == 3944
        shown = [f"{precision:.3f}"[2:], f"{recall:.3f}"[2:]]
        assert shown == rates[2 * place : 2 * place + 2]


@pytest.mark.published
@pytest.mark.parametrize("system", MINIMAL)
def test_senseval3_minimal(system: str) -> None:
    rates = MINIMAL[system].split()
    for place, grain in enumerate(GRAINS):
        counts, precision, recall = scored(system, granularity=grain, minimal="true")
        assert counts["total"] == 3640
        shown = [f"{precision:.3f}"[2:], f"{recall:.3f}"[2:]]
        assert shown == rates[2 * place : 2 * place + 2]


@pytest.mark.published
@pytest.mark.parametrize("system", CONJUNCTIVE)
def test_senseval3_conjunctive(system: str) -> None:
    rates = CONJUNCTIVE[system].split()
    for place, grain in enumerate(GRAINS):
        given = {"granularity": grain, "policy": "conjunctive"}
        counts, precision, recall = scored(system, **given)
        assert counts["total"] == (4148 if grain == "coarse" else 4252)
        shown = [f"{precision:.6f}"[2:], f"{recall:.6f}"[2:]]
        assert shown == rates[2 * place : 2 * place + 2]


@pytest.mark.published
def test_votes_as_weights_are_no_probabilities_of_appearance() -> None:
    with pytest.raises(Refused, match=r"ensemble_weighted\.txt:1: .* above 1"):
        scored("ensemble_weighted", policy="conjunctive")
