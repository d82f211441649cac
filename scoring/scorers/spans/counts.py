"""Additive counts of every unit: tags, tokens, and both over all tags."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Counts, Flags, Floats, Integers, fixed_point
from scoring.options import Options
from scoring.scorers.spans import weights
from scoring.scorers.spans.corpus import (
    Extents,
    SpanAnswer,
    SpanReference,
    Spans,
    alike,
    naming,
)
from scoring.scorers.spans.pairs import (
    characters,
    exact_pairs,
    most_pairs,
    overlapping_pairs,
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
    matched = _match(reference, system)
    sides = ((reference, system), (system, reference))
    first, second = (
        Verdicts(match, ~match & meets(own, other))
        for match, (own, other) in zip(matched, sides, strict=True)
    )
    return first, second


def _match(reference: Spans, system: Spans) -> tuple[Flags, Flags]:
    """Each side holds a span once, so equal neighbours are of different sides."""
    rows = np.concatenate(
        [(s.start, s.end, s.label, s.form) for s in (reference, system)], axis=1
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


def meets(own: Spans, other: Spans) -> Flags:
    """Flags of the spans of which a piece shares a character with one of `other`."""
    pieces = own.pieces
    touched = overlaps(pieces, other.pieces) > 0
    flags = np.zeros(len(own), dtype=np.bool_)
    flags[pieces.owner[touched]] = True
    return flags


def cover(tokens: Extents, spans: Spans) -> tuple[Integers, Integers]:
    """Tokens (n,), each with the label of a span that it shares a character with; an
    equal pair may stand there several times."""
    pieces = spans.pieces
    low, high = tokens.touched(pieces.start, pieces.end)
    sizes = high - low
    place = np.repeat(np.arange(len(pieces)), sizes)
    token = np.arange(len(place)) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)
    shared = tokens.end[token] > pieces.start[place]
    token, owner = token[shared], pieces.owner[place[shared]]
    if len(pieces) > len(spans):  # Two pieces may lie in one token.
        token, owner = np.unique(np.stack((token, owner)), axis=1)
    return token, spans.label[owner]


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


def tallies(*sides: tuple[Integers, Integers], labels: int) -> Tallies:
    """Compare what `cover` gives of the reference and of the system. Equal labels of a
    token match; the rest pair off as clashes in label order. What then is left is
    missing or spurious (SCORING.md, `spans`)."""
    keys = [token * labels + label for token, label in sides]
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
    """The first row of the token of each row."""
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
    sides = alike(gold.spans, system.spans, tags)
    judged = verdicts(*sides)
    levels = (
        (TAG_LEVEL, tag_level(gold, sides, judged, tags)),
        (TOKEN_LEVEL, token_level(gold, sides, tags)),
    )
    credits: dict[str, Integers | Floats] = {**_credits(gold, sides, judged)}
    credits |= _shares_of_characters(*(credits[name] for name in CHARACTERS))
    if options["severities"]:
        credits |= _severities(gold, sides)
    if options["plagdet"]:
        credits |= _detections(gold, sides)
    if options["weights"]:
        lengths = np.array([len(text) for text in gold.texts])
        ours, theirs = (side.weights or weights.NOTHING for side in (gold, system))
        credits |= weights.counts(ours, theirs, gold.bases, lengths)
    names = [DOCUMENTS, TOKENS, IF_EMPTY, *credits]
    tokens = np.bincount(units.at(gold.tokens.start), minlength=size)
    empty = np.full(size, EMPTY[options["empty"]])
    first = (units.firsts, tokens, empty, *credits.values())
    parts: list[Floats] = [np.stack(first, axis=1)]
    for level, table in levels:
        names += [column(level, kind) for kind in KINDS]
        names += [column(level, kind, tag) for tag in tags for kind in KINDS]
        parts += [table.sum(axis=1), table.reshape(size, len(tags) * len(KINDS))]
    return Counts(
        units.names, tuple(names), np.concatenate(parts, axis=1), _groups(gold)
    )


Sides = tuple[Spans, Spans]
# Pairs of the same extent; these twice and those that overlap once; those of the same
# label that overlap; characters of both sides and of each.
# Tables that were stored before they were counted lack them: so their brackets, and a
# column that is 1 in every unit where they were.
EXACT, PARTIAL, TYPED = "exact[pairs]", "partial[pairs]", "typed[pairs]"
CHARACTERS = ("both[characters]", "gold[characters]", "system[characters]")
COUNTED = "counted[pairs]"
# The mean over units has columns of its own for the same reason.
IOU, IOU_UNITS = "iou[characters]", "iou_units[characters]"
SEVERITIES = ("both[severities]", "gold[severities]", "system[severities]")
SEVERITIES_COUNTED = "counted[severities]"
DETECTED = ("cases[detected]", "pairs[detected]")
DETECTED_COUNTED = "counted[detected]"


def _credits(
    gold: SpanReference, sides: Sides, judged: tuple[Verdicts, Verdicts]
) -> dict[str, Integers]:
    """The credit of pairs of spans and of their characters, by unit (units,)."""
    first, second = sides
    ref, hyp = judged
    unit, size = gold.units.at(first.start), len(gold.units.names)

    def by_unit(rows: Flags | Integers) -> Integers:
        return np.bincount(unit[rows], minlength=size)

    def overlapping(left: Flags, right: Flags, *, labelled: bool) -> Integers:
        rows = np.flatnonzero(left)
        others = second.at(np.flatnonzero(right))
        return by_unit(rows[most_pairs(first.at(rows), others, labelled=labelled)])

    same, theirs = exact_pairs(first, second)
    exact = by_unit(same)
    # What overlaps, and is not paired yet.
    left, right = ~same & ~ref.alone, ~theirs & ~hyp.alone
    columns = {
        EXACT: exact,
        PARTIAL: 2 * exact + overlapping(left, right, labelled=False),
        TYPED: by_unit(ref.match) + overlapping(ref.clash, hyp.clash, labelled=True),
        COUNTED: np.ones(size, dtype=np.int64),
    }
    for name, (starts, lengths) in zip(
        CHARACTERS, characters(first, second), strict=True
    ):
        sums = np.bincount(gold.units.at(starts), lengths, minlength=size)
        columns[name] = sums.astype(np.int64)
    return columns


def _shares_of_characters(
    both: Integers | Floats, gold: Integers | Floats, system: Integers | Floats
) -> dict[str, Floats]:
    """The share of the characters of either side that both have, 1 where neither has
    any, by unit (units,)."""
    either = np.asarray(gold + system - both, dtype=np.float64)
    shares = np.divide(both, either, out=np.ones_like(either), where=either > 0)
    return {**fixed_point(IOU, shares), IOU_UNITS: np.ones(len(shares))}


def _severities(gold: SpanReference, sides: Sides) -> dict[str, Integers]:
    """Characters by unit (units,), half ones as one: each as often as spans of a side
    cover it; those of the same label on both sides, and half for other labels."""
    first, second = sides
    pieces = first.pieces, second.pieces
    edges = np.unique(np.concatenate([e for p in pieces for e in (p.start, p.end)]))
    stretches = Extents(np.zeros(len(edges), np.int64)[1:], edges[:-1], edges[1:])
    covers = cover(stretches, first), cover(stretches, second)
    tally = tallies(*covers, labels=len(first.labels))
    unit = gold.units.at(stretches.start[tally.token])
    lengths = (stretches.end - stretches.start)[tally.token]

    def by_unit(number: Integers) -> Integers:
        sums = np.bincount(unit, lengths * number, minlength=len(gold.units.names))
        return sums.astype(np.int64)

    ref, hyp = tally.refclash + tally.missing, tally.hypclash + tally.spurious
    both = 2 * tally.match + tally.refclash
    values = both, 2 * (tally.match + ref), 2 * (tally.match + hyp)
    columns = {
        name: by_unit(number) for name, number in zip(SEVERITIES, values, strict=True)
    }
    return columns | {SEVERITIES_COUNTED: np.ones(len(gold.units.names), np.int64)}


def _detections(gold: SpanReference, sides: Sides) -> dict[str, Integers]:
    """Numbers by unit (units,): spans of the gold that one of the system under the same
    label shares a character with, and how many such pairs there are."""
    first, second = sides
    ref, hyp, _shared = overlapping_pairs(first, second)
    ref = ref[first.label[ref] == second.label[hyp]]
    unit, size = gold.units.at(first.start), len(gold.units.names)
    values = np.unique(ref), ref
    columns = {
        name: np.bincount(unit[rows], minlength=size)
        for name, rows in zip(DETECTED, values, strict=True)
    }
    return columns | {DETECTED_COUNTED: np.ones(size, np.int64)}


def tag_level(
    gold: SpanReference,
    spans: Sides,
    judged: tuple[Verdicts, Verdicts],
    tags: Sequence[str],
) -> Floats:
    """Spans by unit, tag and kind: shape (units, tags, 5)."""
    ref, hyp = judged
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


def token_level(gold: SpanReference, spans: Sides, tags: Sequence[str]) -> Floats:
    """Tokens by unit, tag and kind: shape (units, tags, 5)."""
    covers = (cover(gold.tokens, side) for side in spans)
    tally = tallies(*covers, labels=len(tags))
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
    for name, labels in gold.groups.items():
        groups[name] = tuple(labels[place] for place in gold.units.document.tolist())
    folders = tuple(name.rpartition("/")[0] for name in documents)
    if gold.groups:
        return groups
    return {**groups, "folder": folders} if any(folders) else groups
