"""GLEU of texts: as nltk has it, of words by the tokenizer 13a."""

import json
from collections.abc import Sequence
from random import Random

import pytest
from nltk.translate.gleu_score import corpus_gleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.source import Source
from scoring.statistics.runs import value_of

SCORER = get("texts")
OPTIONS = parse(SCORER.options, {"gleu": ["true"]})
PIECES = ("a", "b", "A", "c.", "d,", "don't", "1,000", "(", "чай", "…", "&amp;")


def gleu(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    def file(name: str, rows: Sequence[object]) -> Source:
        lines = [
            json.dumps({"id": f"{at}", "text": row}) for at, row in enumerate(rows)
        ]
        return Source.of_bytes(name, "\n".join(lines).encode())

    gold = file("gold.jsonl", [list(row) for row in references])
    pair = read_pair(SCORER, gold, file("mine.jsonl", texts), OPTIONS)
    return value_of(count(SCORER, pair, OPTIONS), SCORER.measure("gleu"))


def of_nltk(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    split = Tokenizer13a()
    rows = [[split(text).split() for text in row] for row in references]
    return float(corpus_gleu(rows, [split(text).split() for text in texts]))


def test_texts_have_the_values_of_nltk() -> None:
    for seed in range(300):
        random = Random(seed)

        def text(least: int, random: Random = random) -> str:
            pieces = random.choices(PIECES, k=random.choice((least, 1, 3, 7, 15)))
            return random.choice((" ", "  ", "\t")).join(pieces)

        texts = [text(0) for _ in range(random.randint(1, 6))]
        # An empty reference among others is none here.
        references = [[text(1) for _ in range(random.randint(1, 3))] for _ in texts]
        expected = of_nltk(texts, references)
        assert gleu(texts, references) == pytest.approx(expected, abs=1e-12), seed


def test_a_text_worked_by_hand() -> None:
    # Of 4 words, 3 pairs, 2 triples and 1 of four, "a b" shares 2 words and a pair.
    assert gleu(["a b"], [["a b c d"]]) == pytest.approx(3 / 10)


def test_a_text_that_is_said_again_gains_nothing() -> None:
    once = gleu(["a b c"], [["a b d"]])
    assert gleu(["a b c a b c"], [["a b d"]]) < once
