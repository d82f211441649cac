"""Token level: what each token of the reference is tagged with, on both sides."""

from dataclasses import dataclass

import numpy as np

from scoring.counts import Integers
from scoring.scorers.spans.corpus import Extents, Spans


@dataclass(frozen=True)
class Cover:
    """Which token (n,) is covered by a span of which label; repeats count."""

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
    """Equal labels of a token match; the rest pair off as clashes in label order.

    What then is left is missing or spurious (SCORING.md, `spans`).
    """
    keys = [side.token * labels + side.label for side in (reference, system)]
    met, place = np.unique(np.concatenate(keys), return_inverse=True)
    ref, hyp = (
        np.bincount(part, minlength=len(met))
        for part in np.split(place, [len(keys[0])])
    )
    match = np.minimum(ref, hyp)
    token = met // max(labels, 1)
    ref, hyp = ref - match, hyp - match
    clashes = np.minimum(_per_token(token, ref), _per_token(token, hyp))
    refclash = np.clip(clashes - _before(token, ref), 0, ref)
    hypclash = np.clip(clashes - _before(token, hyp), 0, hyp)
    return Tallies(
        token,
        met - token * labels,
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
