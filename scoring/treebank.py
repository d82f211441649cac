"""Figures of treebanks: word dependency entropy and type/token ratio (seed 003).

Both read gold training files. WDE tells how freely a relation chooses its words: near 0
for function relations, near 1 for content relations. Its average over treebanks serves
as the relation weights of `attachment`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from scoring.errors import Findings, SetupError
from scoring.formats import trees
from scoring.formats.codes import shared_codes
from scoring.formats.conllu import FORM
from scoring.formats.surface import token_rows
from scoring.relations import coarse
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

    tokens: int
    chunks: int
    ratio: float | None


def word_entropies(source: Source) -> Entropies:
    """H(p(word | relation)) / log(vocabulary) for each relation without subtype.

    Words are forms as written, ranges and empty nodes left out; one word form in all
    gives 0 (SCORING.md, `attachment`). Raises SetupError.
    """
    found = trees.read(source, SetupError)
    forms = found.table.coded(FORM, found.table.words)
    relations, _ = shared_codes(found.relations, found.relations, coarse)
    names = list(dict.fromkeys(map(coarse, found.relations.values)))
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
    names = sorted({name for found in treebanks.values() for name in found.relations})
    return {
        name: math.fsum(
            found.relations.get(name, ABSENT) for found in treebanks.values()
        )
        / len(treebanks)
        for name in names
    }


def type_token_ratio(source: Source) -> TypeTokenRatio:
    """Mean share of distinct forms in full chunks of 1000 surface tokens. A multiword
    token is one token, its words are none. Raises SetupError."""
    found = trees.read_blind(source)
    findings = Findings(source.name)
    rows = token_rows(found, findings)
    findings.raise_if_any(SetupError)
    chunks = len(rows) // CHUNK
    if not chunks:
        return TypeTokenRatio(len(rows), 0, None)
    codes = found.table.coded(FORM, rows).codes[: chunks * CHUNK]
    ordered = np.sort(codes.reshape(chunks, CHUNK), axis=1)
    types = chunks + int(np.count_nonzero(np.diff(ordered, axis=1)))
    return TypeTokenRatio(len(rows), chunks, types / (chunks * CHUNK))
