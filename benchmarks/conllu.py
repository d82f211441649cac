"""Reading CoNLL-U, against `conllu.parse`.

The first row is what our scorers read: lines, columns, sentences, words, IDs and heads
as numbers and checked, relations as codes; the other fields stay where they are until
they are compared. In the second row every field is cut out too: forms and lemmas as
texts, the other columns as codes with their distinct texts.
"""

from typing import Any

import conllu

from benchmarks._timing import row
from benchmarks._treebanks import WORDS, pair
from scoring.errors import ScoringError
from scoring.scorers.treebanks import trees
from scoring.scorers.treebanks.conllu import FORM, HEAD, LEMMA, WIDTH, read
from scoring.source import Source

TARGET = 20
OTHERS = sorted(set(range(1, WIDTH)) - {FORM, LEMMA, HEAD})


def rows() -> list[dict[str, Any]]:
    gold = pair()[0]
    text, source = gold.decode(), Source.of_bytes("gold.conllu", gold)
    words = sum(len(sentence) for sentence in conllu.parse(text))
    if not len(for_scoring(source)) == len(every_field(gold)[0]) == words:
        raise ValueError("the two readers see different words")
    peer = "conllu.parse", lambda: conllu.parse(text)
    work = f"reading CoNLL-U for scoring, {WORDS:,} words"
    every = f"reading CoNLL-U, every field, {WORDS:,} words"
    return [
        row(work, lambda: for_scoring(source), peer, TARGET),
        row(every, lambda: every_field(gold), peer, TARGET),
    ]


def for_scoring(source: Source) -> Any:
    treebank = trees.read(source, ScoringError)
    return treebank.relations.codes


def every_field(data: bytes) -> list[Any]:
    table = read("gold.conllu", data)
    numbers = [table.ids, table.numbers(HEAD)]
    texts = [table.texts(FORM), table.texts(LEMMA)]
    return numbers + texts + [table.coded(column) for column in OTHERS]
