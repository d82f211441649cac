"""`semarkup` against worked cases from outside."""

import json
from pathlib import Path
from typing import Any

import pytest

from scoring.engine import count, read_pair
from scoring.errors import ScoringError
from scoring.options import parse
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring import outside
from tests.scoring.markups import SCORER

NUMBERS = tuple(f"{number:04}" for number in range(1, 51))


def path(*parts: str) -> Path:
    return outside.cases("semarkup", *parts)


def scored(case: str, track: str) -> dict[str, float]:
    """Measures and the number of tokens."""
    raw: dict[str, Any] = {
        "taxonomy": [Source.of_path(path("taxonomy.csv"))],
        "feats_weights": [Source.of_path(path("feats_weights.json"))],
        "track": [track],
    }
    options = parse(SCORER.options, raw)
    files = [Source.of_path(path(case, f"{name}.conllu")) for name in ("gold", "pred")]
    counts = count(SCORER, read_pair(SCORER, *files, options), options)
    found = {
        m.name: float(m.of(counts.totals, counts.columns)) for m in SCORER.measures(())
    }
    return found | {"tokens": counts.total("tokens")}


@loop_over("track", ["hard", "base"])
@loop_over("case", NUMBERS)
def test_a_worked_case_comes_out(case: str, track: str) -> None:
    expected = json.loads(path(case, "expected.json").read_text())[track]
    if "error" in expected:
        check_refusal(case, track, expected["error"])
        return
    wanted = {**expected["scores"], "total": expected["total"]}
    assert scored(case, track) == pytest.approx(
        wanted | {"tokens": expected["tokens"]}, abs=1e-12
    )


def check_refusal(case: str, track: str, error: dict[str, Any]) -> None:
    """The address is the right line, or the sentence is named."""
    with pytest.raises(ScoringError) as caught:
        scored(case, track)
    problems = caught.value.problems
    lines = {problem.line for problem in problems}
    named = {problem.unit for problem in problems}
    assert error["line"] in (None, *lines) or (error["sent_id"] in named | {None})
