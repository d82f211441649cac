"""Worked cases and treebanks that lie beside the repository, and files of our own."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from scoring.source import Source
from tests.scoring import outside

TREEBANKS = ("English", "Finnish", "Persian")
CASES = tuple(f"{number:04d}" for number in range(1, 44))


@cache
def facts(case: str) -> dict[str, Any]:
    """`case.json` and `expected.json` of a worked case, in one mapping."""
    folder = outside.cases("conllu", case)
    texts = (folder / name for name in ("case.json", "expected.json"))
    merged: dict[str, Any] = {}
    for text in texts:
        merged |= json.loads(text.read_text(encoding="utf-8"))
    return merged


def files(case: str) -> tuple[Source, Source]:
    """Gold and prediction of a worked case."""
    folder = outside.cases("conllu", case)
    gold, system = (Source.of_path(folder / f"{n}.conllu") for n in ("gold", "pred"))
    return gold, system


def treebank(language: str, file: str) -> Source:
    """`gold` or one of the parser outputs of a UD 1.2 test set."""
    return Source.of_path(outside.published("ud12", language, f"{file}.conllu"))


def conllu(*sentences: str, name: str = "system.conllu") -> Source:
    """A file of sentences written short: words as `form/head/relation`.

    A word may be followed by `/lemma`, `/UPOS` and `/FEATS`. `#key=value` is a comment
    (`#newdoc=1` is `# newdoc id = 1`); `1-2/form` and `1.1/form` are a range line and
    an empty node.
    """
    text = "".join("\n".join(_lines(sentence)) + "\n\n" for sentence in sentences)
    return Source.of_bytes(name, text.encode())


def _lines(sentence: str) -> Iterator[str]:
    place = 0
    for item in filter(None, sentence.split(" ")):
        first, *rest = item.split("/")
        if item.startswith("#"):
            key, _, value = item[1:].partition("=")
            yield f"# {key}{' id' * (key == 'newdoc')} = {value}"
        elif first[:1].isdigit() and ("-" in first or "." in first):
            yield "\t".join([first, *rest, *"_" * (9 - len(rest))])
        else:
            place += 1
            head, relation, lemma, upos, feats = [*rest, *"_____"][:5]
            fields = (place, first, lemma, upos, "_", feats, head, relation, "_", "_")
            yield "\t".join(map(str, fields))
