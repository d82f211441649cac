"""Spans of CoNLL columns as seqeval finds them, by its lenient and its strict rules."""

import warnings
from random import Random

import pytest
from seqeval import scheme as schemes
from seqeval.metrics import f1_score, precision_score, recall_score

from scoring.engine import Job, evaluate
from scoring.errors import UsageError
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan

SPANS = get("spans")
PLAN = Plan(resamples=20, seed=1)
SCHEMES = {"iob2": schemes.IOB2, "bioes": schemes.IOBES}
PREFIXES = {"iob2": "BI", "bioes": "BIES"}
ORACLES = {"precision": precision_score, "recall": recall_score, "f1": f1_score}
Sentences = list[list[str]]


def tagged(scheme: str, seed: int) -> Sentences:
    """Tags in any order, so that most spans are not well formed."""
    random = Random(seed)
    tags = ["O", *(f"{p}-{kind}" for p in PREFIXES[scheme] for kind in ("X", "Y"))]
    return [random.choices(tags, k=random.randint(1, 9)) for _ in range(40)]


def columns(sentences: Sentences) -> Source:
    blocks = (
        "".join(f"w{i}\t{tag}\n" for i, tag in enumerate(tags)) for tags in sentences
    )
    return Source.of_bytes("file", "\n".join(blocks).encode())


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("strict", [False, True])
def test_spans_are_those_of_seqeval(scheme: str, strict: bool) -> None:
    """Seqeval looks at the scheme in strict mode only."""
    gold = tagged(scheme, 1)
    system = [
        [
            new if Random(i).random() < 0.4 else old
            for old, new in zip(*pair, strict=True)
        ]
        for i, pair in enumerate(zip(gold, [t[::-1] for t in gold], strict=True))
    ]
    mode = {"mode": "strict", "scheme": SCHEMES[scheme]} if strict else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [score(gold, system, **mode) for score in ORACLES.values()]
    raw = {"format": ["conll"], "scheme": [scheme], "strict": [str(strict)]}
    job = Job(SPANS, parse(SPANS.options, raw), "", PLAN)
    found = evaluate(job, columns(gold), columns(system)).measures
    assert 0 < expected[2] < 1
    for name, value in zip(ORACLES, expected, strict=True):
        assert found[name].value == pytest.approx(value, abs=1e-12)


def test_strict_needs_a_scheme_to_go_by() -> None:
    options = parse(SPANS.options, {"strict": ["true"]})
    with pytest.raises(UsageError, match="needs the scheme iob2 or bioes"):
        SPANS.read_gold(columns([["O"]]), options)
