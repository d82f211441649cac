"""wde and sttr: figures of treebanks, from their gold training files (seed 003).

Word dependency entropy tells how freely a relation chooses its words: near 0 for
function relations, near 1 for content relations. Its average over treebanks serves as
the relation weights of `attachment`. The other is the standardised type/token ratio.
"""

import argparse
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from scoring import report
from scoring.commands import (
    argument,
    check_standard_input,
    command,
    layouts,
    source_of,
)
from scoring.errors import Findings, Problem, SetupError, UsageError
from scoring.formats.codes import shared_codes
from scoring.scorers.conll18.surface import token_rows
from scoring.scorers.treebanks import trees
from scoring.scorers.treebanks.conllu import FORM
from scoring.scorers.treebanks.relations import coarse
from scoring.source import Source

ABSENT = 0.5
CHUNK = 1000


@dataclass(frozen=True)
class Entropies:
    """WDE of each relation that a treebank has, in [0, 1]."""

    words: int
    vocabulary: int
    relations: dict[str, float]


@dataclass(frozen=True)
class TypeTokenRatio:
    """Standardised type/token ratio; None below one full chunk of tokens."""

    sttr: float | None
    chunks: int
    tokens: int


def word_entropies(source: Source) -> Entropies:
    """H(p(word | relation)) / log(vocabulary) for each relation without subtype.

    Words are forms as written, ranges and empty nodes left out; one word form in all
    gives 0 (SCORING.md, `attachment`). Raises SetupError.
    """
    treebank = trees.read(source, SetupError)
    forms = treebank.table.coded(FORM, treebank.table.words)
    relations, _ = shared_codes(treebank.relations, treebank.relations, coarse)
    names = list(dict.fromkeys(map(coarse, treebank.relations.values)))
    size = len(forms.values)
    pairs, counts = np.unique(relations * size + forms.codes, return_counts=True)
    bounds = np.searchsorted(pairs, np.arange(len(names) + 1) * size)
    values = {}
    for i, name in enumerate(names):
        values[name] = _entropy(counts[bounds[i] : bounds[i + 1]].tolist(), size)
    return Entropies(len(relations), size, dict(sorted(values.items())))


def _entropy(counts: list[int], vocabulary: int) -> float:
    """Entropy of words met `counts` times, as a share of the largest there could be."""
    if vocabulary < 2:
        return 0.0
    total = sum(counts)
    # Exact sums: the order of words must not show in the last digit.
    surprise = math.fsum(count * math.log(total / count) for count in counts)
    return surprise / total / math.log(vocabulary)


def average(treebanks: Mapping[str, Entropies]) -> dict[str, float]:
    """Averaged WDE over treebanks; a relation that one lacks counts 0.5 there."""
    relations = [treebank.relations for treebank in treebanks.values()]
    names = sorted({name for own in relations for name in own})
    return {
        name: math.fsum(own.get(name, ABSENT) for own in relations) / len(relations)
        for name in names
    }


def type_token_ratio(source: Source) -> TypeTokenRatio:
    """Mean share of distinct forms in full chunks of 1000 surface tokens. A multiword
    token is one token, its words are none. Raises SetupError."""
    treebank = trees.read_blind(source)
    findings = Findings(source.name)
    rows = token_rows(treebank, findings)
    findings.raise_if_any(SetupError)
    chunks = len(rows) // CHUNK
    if not chunks:
        return TypeTokenRatio(None, 0, len(rows))
    codes = treebank.table.coded(FORM, rows).codes[: chunks * CHUNK]
    ordered = np.sort(codes.reshape(chunks, CHUNK), axis=1)
    types = chunks + int(np.count_nonzero(np.diff(ordered, axis=1)))
    return TypeTokenRatio(types / (chunks * CHUNK), chunks, len(rows))


Row = tuple[object, ...]
ARGUMENTS = (
    argument(
        "treebanks",
        nargs="+",
        metavar="NAME=FILE",
        help="gold training file, and what to call it",
    ),
    layouts("text", "json", "csv"),
)


def _sources(called: argparse.Namespace) -> dict[str, Source]:
    paths: dict[str, Path] = {}
    for text in called.treebanks:
        name, equals, path = text.partition("=")
        if not (name and equals and path):
            message = f"expected NAME=FILE, found '{text}'"
            raise UsageError(Problem("treebanks", message))
        if name in paths:
            message = f"the name '{name}' stands for two files"
            raise UsageError(Problem("treebanks", message))
        paths[name] = Path(path)
    check_standard_input(list(paths.values()))
    return {name: source_of(path) for name, path in paths.items()}


@command(
    "wde",
    "word dependency entropy of relations, and its average",
    *ARGUMENTS,
    example="english=en-train.conllu finnish=fi-train.conllu --format csv",
)
def print_entropies(called: argparse.Namespace) -> int:
    treebanks = {name: word_entropies(s) for name, s in _sources(called).items()}
    mean = average(treebanks)
    if called.format == "json":
        numbers = {
            name: {
                "words": treebank.words,
                "vocabulary": treebank.vocabulary,
                "wde": treebank.relations,
            }
            for name, treebank in treebanks.items()
        }
        print(report.answer_json("wde", treebanks=numbers, average=mean))
        return 0
    # Relation and average first: the CSV can serve as weights of `attachment`.
    rows: list[Row] = [("relation", "weight", *treebanks)]
    for relation in sorted(mean, key=lambda relation: (mean[relation], relation)):
        own = (t.relations.get(relation) for t in treebanks.values())
        rows.append((relation, mean[relation], *own))
    print(_table(rows, called.format), end="")
    if called.format == "text":
        for name, treebank in treebanks.items():
            print(f"{name}: {treebank.words} words, {treebank.vocabulary} distinct")
    return 0


@command(
    "sttr",
    "standardised type/token ratio of treebanks",
    *ARGUMENTS,
    example="english=en-train.conllu finnish=fi-train.conllu",
)
def print_type_token_ratios(called: argparse.Namespace) -> int:
    treebanks = {name: type_token_ratio(s) for name, s in _sources(called).items()}
    if called.format == "json":
        numbers = {name: asdict(treebank) for name, treebank in treebanks.items()}
        print(report.answer_json("sttr", treebanks=numbers))
        return 0
    rows: list[Row] = [("treebank", "sttr", "chunks", "tokens")]
    rows += [(n, t.sttr, t.chunks, t.tokens) for n, t in treebanks.items()]
    print(_table(rows, called.format), end="")
    return 0


def _table(rows: list[Row], layout: str) -> str:
    """CSV, or aligned text with rounded numbers; None is n/a in both."""
    if layout == "csv":
        return report.csv_text(
            [["n/a" if cell is None else cell for cell in row] for row in rows]
        )
    lines = report.align_columns([tuple(map(_cell, row)) for row in rows])
    return "".join(f"{line}\n" for line in lines)


def _cell(value: object) -> str:
    if value is None or isinstance(value, float):
        return report.score_text(value)
    return str(value)
