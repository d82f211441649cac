"""Small documents about a harbour, for the tests of spans."""

import json
from typing import Any

import pytest

from scoring import Job, Plan, Refused, Result, Source
from scoring import evaluate as run
from scoring.options import parse
from scoring.scorers import get

SPANS = get("spans")
TEXT = "Port Anser hailed Mira"
PLAN = Plan(resamples=50)

Rows = dict[str, list[list[Any]]]


def document(rows: Rows, text: str = TEXT) -> bytes:
    """MAT JSON with sets of annotations by label; `LABEL:a,b` names attributes."""
    asets = []
    for key, annots in rows.items():
        label, _, names = key.partition(":")
        attrs = [{"name": name} for name in names.split(",") if name]
        asets.append({"type": label, "attrs": attrs, "annots": annots})
    return json.dumps({"signal": text, "asets": asets, "version": 2}).encode()


def source(*documents: Rows, name: str = "system") -> Source:
    return Source(name, {f"d{i}.json": document(d) for i, d in enumerate(documents)})


def evaluate(gold: Source, system: Source, **options: Any) -> Result:
    raw = {k: [v] if isinstance(v, str) else v for k, v in options.items()}
    return run(Job(SPANS, parse(SPANS.options, raw), "", PLAN), gold, system)


def row(result: Result, tag: str = "<all>", level: str = "tag") -> tuple[Any, ...]:
    """match refclash missing hypclash spurious."""
    found = result.tables[level][tag]
    names = ("match", "refclash", "missing", "hypclash", "spurious")
    return tuple(found[name] for name in names)


def refusal(gold: Source, system: Source, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as caught:
        evaluate(gold, system, **options)
    return [(problem.file, problem.message) for problem in caught.value.problems]


GOLD = source({"PLACE": [[0, 10]], "PERSON": [[18, 22]]}, name="gold")
