"""`conll18` against the evaluation of udtools, reading included on both sides."""

from io import StringIO
from typing import Any

from udtools import udeval

from benchmarks._timing import row
from benchmarks._treebanks import WORDS, pair
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers.conll18 import SCORER
from scoring.source import Source

TARGET = 25
OPTIONS = parse(SCORER.options, {"roots": ["any"]})
ROOTS = {"multiple_roots_okay": True}


def rows() -> list[dict[str, Any]]:
    gold, system = pair()
    return [compared(f"conll18, {WORDS:,} words", gold, system)]


def compared(work: str, gold: bytes, system: bytes) -> dict[str, Any]:
    sides = Source.of_bytes("gold.conllu", gold), Source.of_bytes("x.conllu", system)
    texts = gold.decode(), system.decode()
    scores = theirs(*texts)
    for name, value in ours(*sides).items():
        if value != scores[name]:
            raise ValueError(f"{name}: {value} and {scores[name]}")
    return row(work, lambda: ours(*sides), ("udtools", lambda: theirs(*texts)), TARGET)


def ours(gold: Source, system: Source) -> dict[str, float]:
    counts = count(SCORER, read_pair(SCORER, gold, system, OPTIONS), OPTIONS)
    return {
        measure.name: float(measure.of(counts.totals, counts.columns))
        for measure in SCORER.measures(())[:13]
    }


def theirs(gold: str, system: str) -> dict[str, float]:
    sides = (udeval.load_conllu(StringIO(t), "file", ROOTS) for t in (gold, system))
    return {
        name.lower(): figures.f1 for name, figures in udeval.evaluate(*sides).items()
    }
