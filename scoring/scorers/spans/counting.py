"""The additive counts of every unit: tags, tokens, and both over all tags."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Floats, Integers
from scoring.options import Options
from scoring.scorers.spans.corpus import SpanAnswer, SpanReference
from scoring.scorers.spans.labels import naming
from scoring.scorers.spans.matching import verdicts
from scoring.scorers.spans.tokens import cover, tallies

KINDS = ("match", "refclash", "missing", "hypclash", "spurious")
TAG_LEVEL, TOKEN_LEVEL = "", "token_"
DOCUMENTS, TOKENS, IF_EMPTY = "test_docs", "test_toks", "if_empty"
EMPTY = {"one": 1.0, "zero": 0.0, "na": -1.0}


def column(level: str, kind: str, tag: str | None = None) -> str:
    """Name of the count `kind` at a level, of one tag or of all."""
    return f"{level}{kind}" if tag is None else f"{level}{kind}[{tag}]"


def tags_of(columns: Sequence[str]) -> list[str]:
    """The tags that a table of counts knows, in its order."""
    mark = column(TAG_LEVEL, KINDS[0]) + "["
    return [name[len(mark) : -1] for name in columns if name.startswith(mark)]


def merged_tags(gold: SpanReference, system: SpanAnswer, options: Options) -> list[str]:
    """The rows: the tags the task lists, or else all labels of both sides."""
    listed = naming(options).tags or {*gold.spans.labels, *system.spans.labels}
    return sorted(listed)


def count(gold: SpanReference, system: SpanAnswer, options: Options) -> Counts:
    """One row per unit of the gold; a span counts where it begins.

    `if_empty` is of the sign of what an empty ratio is worth (1, 0, or -1 for n/a),
    so that the counts themselves say how the task reads an empty denominator.
    """
    tags, units = merged_tags(gold, system, options), gold.units
    size = len(units.names)
    levels = (
        (TAG_LEVEL, tag_level(gold, system, tags)),
        (TOKEN_LEVEL, token_level(gold, system, tags)),
    )
    names = [DOCUMENTS, TOKENS, IF_EMPTY]
    tokens = np.bincount(units.at(gold.tokens.start), minlength=size)
    empty = np.full(size, EMPTY[options["empty"]])
    parts: list[Floats] = [np.stack((units.firsts, tokens, empty), axis=1)]
    for level, table in levels:
        names += [column(level, kind) for kind in KINDS]
        names += [column(level, kind, tag) for tag in tags for kind in KINDS]
        parts += [table.sum(axis=1), table.reshape(size, len(tags) * len(KINDS))]
    return Counts(
        units.names, tuple(names), np.concatenate(parts, axis=1), _groups(gold)
    )


def tag_level(gold: SpanReference, system: SpanAnswer, tags: Sequence[str]) -> Floats:
    """Spans by unit, tag and kind: shape (units, tags, 5)."""
    spans = [side.spans.relabelled(tags) for side in (gold, system)]
    ref, hyp = verdicts(*spans)
    size = len(gold.units.names), len(tags)
    first, second = (
        gold.units.at(side.start) * len(tags) + side.label for side in spans
    )
    return np.stack(
        [
            _sums(first[ref.match], size),
            _sums(first[ref.clash], size),
            _sums(first[ref.alone], size),
            _sums(second[hyp.clash], size),
            _sums(second[hyp.alone], size),
        ],
        axis=2,
    )


def token_level(gold: SpanReference, system: SpanAnswer, tags: Sequence[str]) -> Floats:
    """Tokens by unit, tag and kind: shape (units, tags, 5)."""
    spans = [side.spans.relabelled(tags) for side in (gold, system)]
    first, second = (cover(gold.tokens, side) for side in spans)
    found = tallies(first, second, len(tags))
    unit = gold.units.at(gold.tokens.start[found.token])
    place = unit * len(tags) + found.label
    size = len(gold.units.names), len(tags)
    kinds = (getattr(found, kind) for kind in KINDS)
    return np.stack([_sums(place, size, weights) for weights in kinds], axis=2)


def _sums(
    place: Integers,
    size: tuple[int, int],
    weights: npt.NDArray[np.int64] | None = None,
) -> Floats:
    found = np.bincount(place, weights, minlength=size[0] * size[1])
    return found.astype(np.float64).reshape(size)


def _groups(gold: SpanReference) -> dict[str, tuple[str, ...]]:
    """Sentences by document; both by folder, where they lie in folders."""
    documents = [gold.names[place] for place in gold.units.document.tolist()]
    found = {"document": tuple(documents)} if gold.units.kind == "sentence" else {}
    folders = tuple(name.rpartition("/")[0] for name in documents)
    return {**found, "folder": folders} if any(folders) else found
