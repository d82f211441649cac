"""`texts` against rouge-score, `transcripts` against jiwer; files are read before."""

from collections.abc import Callable
from random import Random
from typing import Any

from benchmarks._timing import row
from benchmarks.translation import made
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source

TEXTS = 500
NAMES = ("rouge1", "rouge2", "rougeL")


def rows() -> list[dict[str, Any]]:
    system, references = (texts[:TEXTS] for texts in made(Random(2)))
    return [
        row(
            f"texts, all measures, {TEXTS} texts",
            counting("texts", system, references),
            ("rouge-score, ROUGE-1, 2 and L", by_rouge_score(system, references)),
            1,
        ),
        row(
            f"transcripts, words and characters, {TEXTS} segments",
            counting("transcripts", system, references),
            ("jiwer", by_jiwer(system, references)),
            1,
        ),
    ]


def counting(
    name: str, system: list[str], references: list[str]
) -> Callable[[], Counts]:
    scorer = get(name)
    options = parse(scorer.options, {})
    gold, answer = (
        Source.of_bytes(file, "\n".join(texts).encode())
        for file, texts in (("gold.txt", references), ("system.txt", system))
    )
    pair = read_pair(scorer, gold, answer, options)
    return lambda: count(scorer, pair, options)


def by_rouge_score(system: list[str], references: list[str]) -> Callable[[], object]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(NAMES))
    pairs = list(zip(references, system, strict=True))
    return lambda: [scorer.score(*pair) for pair in pairs]


def by_jiwer(system: list[str], references: list[str]) -> Callable[[], object]:
    import jiwer

    def run() -> object:
        words = jiwer.process_words(references, system)
        return words.wer, jiwer.process_characters(references, system).cer

    return run
