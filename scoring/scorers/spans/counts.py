"""Additive counts of every unit: tags, tokens, and both over all tags."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Flags, Floats, Integers
from scoring.options import Options
from scoring.scorers.spans.corpus import (
    Extents,
    SpanAnswer,
    SpanReference,
    Spans,
    naming,
)


@dataclass(frozen=True)
class Verdicts:
    """Per span of one side: in the other side too, or else overlapping it."""

    match: Flags
    clash: Flags

    @property
    def alone(self) -> Flags:
        """Missing, or spurious."""
        return ~(self.match | self.clash)


def verdicts(reference: Spans, system: Spans) -> tuple[Verdicts, Verdicts]:
    """Judge the spans of both sides, whose label codes agree.

    A clash is counted literally from each side, also where the span overlapped is
    matched by another one (SCORING.md, `spans`).
    """
    matched = _matched(reference, system)
    sides = ((reference, system), (system, reference))
    first, second = (
        Verdicts(match, ~match & (overlaps(own, other) > 0))
        for match, (own, other) in zip(matched, sides, strict=True)
    )
    return first, second


def _matched(reference: Spans, system: Spans) -> tuple[Flags, Flags]:
    """Each side holds a span once, so equal neighbours are of different sides."""
    rows = np.concatenate(
        [(s.start, s.end, s.label) for s in (reference, system)], axis=1
    )
    order = np.lexsort(rows[::-1])
    ordered = rows[:, order]
    twins = np.all(ordered[:, 1:] == ordered[:, :-1], axis=0)
    matched = np.zeros(rows.shape[1], dtype=np.bool_)
    matched[order[1:][twins]] = matched[order[:-1][twins]] = True
    return matched[: len(reference)], matched[len(reference) :]


def overlaps(own: Extents, other: Extents) -> npt.NDArray[np.int64]:
    """Number of pieces of `other` that share a character with each of `own` (n,)."""
    begun = np.searchsorted(other.start, own.end, side="left")
    over = np.searchsorted(np.sort(other.end), own.start, side="right")
    return np.asarray(begun - over, dtype=np.int64)


@dataclass(frozen=True)
class Cover:
    """Pairs (n,) of a token and the label of a span that covers it; repeats count."""

    token: Integers
    label: Integers


def cover(tokens: Extents, spans: Spans) -> Cover:
    """Pair every span with the tokens it shares a character with."""
    low, high = tokens.touched(spans.start, spans.end)
    sizes = high - low
    owner = np.repeat(np.arange(len(spans)), sizes)
    token = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)
    shared = tokens.end[token] > spans.start[owner]
    return Cover(token[shared], spans.label[owner[shared]])


@dataclass(frozen=True)
class Tallies:
    """Per (token, label) met (n,): how often it is what, in token and label order."""

    token: Integers
    label: Integers
    match: Integers
    refclash: Integers
    missing: Integers
    hypclash: Integers
    spurious: Integers


def tallies(reference: Cover, system: Cover, labels: int) -> Tallies:
    """Equal labels of a token match; the rest pair off as clashes in label order. What
    then is left is missing or spurious (SCORING.md, `spans`)."""
    keys = [side.token * labels + side.label for side in (reference, system)]
    distinct, place = np.unique(np.concatenate(keys), return_inverse=True)
    ref, hyp = (
        np.bincount(part, minlength=len(distinct))
        for part in np.split(place, [len(keys[0])])
    )
    match = np.minimum(ref, hyp)
    token = distinct // max(labels, 1)
    ref, hyp = ref - match, hyp - match
    clashes = np.minimum(_per_token(token, ref), _per_token(token, hyp))
    refclash = np.clip(clashes - _before(token, ref), 0, ref)
    hypclash = np.clip(clashes - _before(token, hyp), 0, hyp)
    return Tallies(
        token,
        distinct - token * labels,
        match,
        refclash,
        ref - refclash,
        hypclash,
        hyp - hypclash,
    )


def _firsts(token: Integers) -> Integers:
    """For each row the first row of its token."""
    return np.searchsorted(token, token, side="left")


def _per_token(token: Integers, values: Integers) -> Integers:
    """Sum of `values` over the rows of the same token, for every row."""
    sums = np.concatenate(([0], np.cumsum(values)))
    last = np.searchsorted(token, token, side="right")
    return np.asarray(sums[last] - sums[_firsts(token)], dtype=np.int64)


def _before(token: Integers, values: Integers) -> Integers:
    """Sum of `values` over the earlier rows of the same token, for every row."""
    sums = np.concatenate(([0], np.cumsum(values)))
    return np.asarray(sums[:-1] - sums[_firsts(token)], dtype=np.int64)


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
    tally = tallies(first, second, len(tags))
    unit = gold.units.at(gold.tokens.start[tally.token])
    place = unit * len(tags) + tally.label
    size = len(gold.units.names), len(tags)
    kinds = (getattr(tally, kind) for kind in KINDS)
    return np.stack([_sums(place, size, weights) for weights in kinds], axis=2)


def _sums(
    place: Integers, size: tuple[int, int], weights: npt.NDArray[np.int64] | None = None
) -> Floats:
    sums = np.bincount(place, weights, minlength=size[0] * size[1])
    return sums.astype(np.float64).reshape(size)


def _groups(gold: SpanReference) -> dict[str, tuple[str, ...]]:
    """Sentences by document; both by folder, where they lie in folders."""
    documents = [gold.names[place] for place in gold.units.document.tolist()]
    groups = {"document": tuple(documents)} if gold.units.kind == "sentence" else {}
    folders = tuple(name.rpartition("/")[0] for name in documents)
    return {**groups, "folder": folders} if any(folders) else groups
