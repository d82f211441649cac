"""`texts` against rouge-score, `transcripts` against jiwer and rapidfuzz."""

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
    files = "\n".join(system).encode(), "\n".join(references).encode()
    return [
        row(
            f"texts, all measures, {TEXTS} texts, from lines",
            counting("texts", *files),
            ("rouge-score, ROUGE-1, 2 and L", by_rouge_score(*files)),
            1,
        ),
        row(
            f"transcripts, words and characters, {TEXTS} segments, from lines",
            counting("transcripts", *files),
            ("jiwer", by_jiwer(*files)),
            1,
        ),
        row(
            f"transcripts, words and characters, {TEXTS} segments, from lines",
            counting("transcripts", *files),
            ("rapidfuzz, edits of both", by_rapidfuzz(*files)),
            "2 x",
        ),
    ]


def counting(name: str, system: bytes, references: bytes) -> Callable[[], Counts]:
    scorer = get(name)
    options = parse(scorer.options, {})

    def run() -> Counts:
        gold, answer = (Source.of_bytes("x.txt", data) for data in (references, system))
        return count(scorer, read_pair(scorer, gold, answer, options), options)

    return run


def lines(data: bytes) -> list[str]:
    """A file as the peers read it."""
    return data.decode().split("\n")


def by_rouge_score(system: bytes, references: bytes) -> Callable[[], object]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(list(NAMES))

    def run() -> object:
        pairs = zip(lines(references), lines(system), strict=True)
        return [scorer.score(*pair) for pair in pairs]

    return run


def by_jiwer(system: bytes, references: bytes) -> Callable[[], object]:
    import jiwer

    def run() -> object:
        pair = lines(references), lines(system)
        words = jiwer.process_words(*pair)
        return words.wer, jiwer.process_characters(*pair).cer

    return run


def by_rapidfuzz(system: bytes, references: bytes) -> Callable[[], object]:
    """Alignments alone, of which nobody has counted the edits by kind."""
    from rapidfuzz.distance.Levenshtein import editops

    def run() -> object:
        pairs = zip(lines(references), lines(system), strict=True)
        return [(editops(a.split(), b.split()), editops(a, b)) for a, b in pairs]

    return run
