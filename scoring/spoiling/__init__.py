"""Copies of gold with mistakes: what a system's file could look like before any came.

A copy keeps the format and the texts and changes a share of the answers, so that a
scorer takes it like a submission. Which answers, the seed decides.
"""

from collections.abc import Callable, Mapping
from random import Random

from scoring.formats.bundle import members
from scoring.options import Options
from scoring.scorer import Scorer
from scoring.source import Source, decode
from scoring.spoiling.conllu import spoiled_trees
from scoring.spoiling.senses import spoiled_senses
from scoring.spoiling.spans import spoiled_spans
from scoring.spoiling.unl import spoiled_unl

Spoiler = Callable[[Mapping[str, str], float, Random], Mapping[str, str]]

BY_FORMAT: dict[str, Spoiler] = {
    "CoNLL-U": spoiled_trees,
    "SENSEVAL answers": spoiled_senses,
    "UNL": spoiled_unl,
    "CoNLL columns": spoiled_spans,
}


class CannotSpoil(ValueError):
    """Nobody has said how a copy with mistakes is made in this scorer's formats."""


def spoiled(
    scorer: Scorer, gold: Source, options: Options, share: float, seed: int
) -> Source:
    """A copy of the gold in which about `share` (0 to 1) of the answers are wrong.

    At least one is for a share above 0, where there is any answer. The same seed
    gives the same bytes. Raises CannotSpoil, and Refused for a gold that is no text.
    """
    if scorer.spoil is not None:
        return scorer.spoil(gold, options, share, seed)
    known = (BY_FORMAT[name] for name in scorer.formats if name in BY_FORMAT)
    spoiler = next(known, None)
    if spoiler is None:
        raise CannotSpoil(scorer.name)
    texts = {name: decode(name, data) for name, data in _filled(gold).items()}
    found = spoiler(texts, share, Random(seed))
    files = {name: b"" for name in members(gold)}
    return Source(gold.name, {**files, **_bytes(found)})


def _filled(gold: Source) -> dict[str, bytes]:
    """Members with something in them: an empty one has no answer to spoil."""
    return {name: data for name, data in members(gold).items() if data.strip()}


def _bytes(texts: Mapping[str, str]) -> dict[str, bytes]:
    return {name: text.encode() for name, text in texts.items()}
