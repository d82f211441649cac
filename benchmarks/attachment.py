"""`attachment` on 25,000 words, against a scorer in plain Python, and how it grows."""

from typing import Any

from benchmarks._attachment_peer import Scores, scores
from benchmarks._timing import row
from benchmarks._treebanks import WORDS, pair
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers.attachment import SCORER
from scoring.source import Source

TARGET = 15
OPTIONS = parse(SCORER.options, {"labels": ["coarse"]})


def rows() -> list[dict[str, Any]]:
    gold, system = pair()
    sides = Source.of_bytes("gold.conllu", gold), Source.of_bytes("x.conllu", system)
    expected = scores(gold, system)
    for name, value in ours(*sides).items():
        if abs(expected[name] - value) > 1e-9:
            raise ValueError(f"{name}: {value} and {expected[name]}")
    work = f"attachment, all measures, {WORDS:,} words"
    peer = "plain Python", lambda: scores(gold, system)
    return [row(work, lambda: ours(*sides), peer, TARGET), growth(*sides)]


def growth(gold: Source, system: Source) -> dict[str, Any]:
    """How much longer ten times as many words take: at most 11 times."""
    few, many = (
        [Source.of_bytes(side.name, side.single() * n) for side in (gold, system)]
        for n in (4, 40)
    )
    peer = f"{40 * WORDS:,} words", lambda: ours(*many)
    work = f"attachment, {4 * WORDS:,} words"
    return {**row(work, lambda: ours(*few), peer, 0), "target": ""}


def ours(gold: Source, system: Source) -> Scores:
    counts = count(SCORER, read_pair(SCORER, gold, system, OPTIONS), OPTIONS)
    return {
        measure.name: float(measure.of(counts.totals, counts.columns))
        for measure in SCORER.measures(())
    }
