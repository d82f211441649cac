"""Reading CoNLL-U, against `conllu.parse`.

Ours is what scorers read: lines, columns, sentences, words, IDs and heads as numbers,
relations as codes; other fields stay where they are until they are compared.
"""

from typing import Any

import conllu

from benchmarks._timing import row
from benchmarks._treebanks import WORDS, pair
from scoring.errors import ScoringError
from scoring.scorers.treebanks import trees
from scoring.source import Source

TARGET = 20


def rows() -> list[dict[str, Any]]:
    gold = pair()[0]
    text, source = gold.decode(), Source.of_bytes("gold.conllu", gold)
    words = sum(len(sentence) for sentence in conllu.parse(text))
    if len(for_scoring(source)) != words:
        raise ValueError("the two readers see different words")
    peer = "conllu.parse", lambda: conllu.parse(text)
    work = f"reading CoNLL-U for scoring, {WORDS:,} words"
    return [row(work, lambda: for_scoring(source), peer, TARGET)]


def for_scoring(source: Source) -> Any:
    treebank = trees.read(source, ScoringError)
    return treebank.relations.codes
