"""Worked cases and treebanks that lie beside the repository, and files of our own."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from scoring.source import Source

SHARED = Path(__file__).parents[3] / "shared"
TREEBANKS = ("English", "Finnish", "Persian")
CASES = tuple(f"{number:04d}" for number in range(1, 44))


def shared(*parts: str) -> Path:
    """A path below ../shared; the test is skipped where that is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"../shared is absent ({'/'.join(parts)})")
    return path


@cache
def facts(case: str) -> dict[str, Any]:
    """`case.json` and `expected.json` of a worked case, in one mapping."""
    folder = shared("cases", "conllu", case)
    texts = (folder / name for name in ("case.json", "expected.json"))
    merged: dict[str, Any] = {}
    for text in texts:
        merged |= json.loads(text.read_text(encoding="utf-8"))
    return merged


def files(case: str) -> tuple[Source, Source]:
    """Gold and prediction of a worked case."""
    folder = shared("cases", "conllu", case)
    gold, system = (Source.of_path(folder / f"{n}.conllu") for n in ("gold", "pred"))
    return gold, system


def treebank(language: str, file: str) -> Source:
    """`gold` or one of the parser outputs of a UD 1.2 test set."""
    return Source.of_path(shared("data", "ud12", language, f"{file}.conllu"))


def conllu(*sentences: str, name: str = "system.conllu") -> Source:
    """A file of sentences written short: words as `form/head/relation`.

    A word may be followed by `/lemma`, `/UPOS` and `/FEATS`. A comment begins with
    `#`; `1-2/form` and `1.1/form` are a range line and an empty node.
    """
    text = "\n".join("\n".join(_lines(sentence)) + "\n" for sentence in sentences)
    return Source.of_bytes(name, text.encode())


def _lines(sentence: str) -> list[str]:
    lines, place = [], 0
    for item in sentence.split("\n") if "\n" in sentence else sentence.split():
        if item.startswith("#"):
            lines.append(item)
            continue
        first, *rest = item.split("/")
        if first[:1].isdigit() and ("-" in first or "." in first):
            lines.append("\t".join([first, *rest, *"_" * (9 - len(rest))]))
            continue
        place += 1
        head, relation, lemma, upos, feats = [*rest, *("_" * 5)][:5]
        fields = (place, first, lemma, upos, "_", feats, head, relation, "_", "_")
        lines.append("\t".join(map(str, fields)))
    return lines
