"""The overlap of texts in units with other texts, and with each other.

Three things are looked at. A text is *found* where another text is the same, token by
token. It is *nearly found* where one other text has at least NEAR of its distinct
n-grams of NEAR_ORDER tokens; one that stands in a longer text whole is so, too. And the
*share* of distinct n-grams of `order` tokens that stand anywhere in the other texts is
what papers on language models report (of 13 tokens, mostly). Nothing is drawn at
random. The memory that it takes is that of the units, and of one block of other texts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.contamination.tokens import Codes, Tokens, tokens_of
from scoring.counts import Flags, Floats, Integers

NEAR, NEAR_ORDER = 0.8, 5
LEAST = NEAR_ORDER  # tokens of a text that is compared: shorter ones are everywhere
# An n-gram of more of the texts in units is a phrase of the task, and tells nothing.
MOST_SHARED = 50
NOWHERE = -1
SLACK = 1e-9


@dataclass(frozen=True)
class Block:
    """Some texts of one file, and the line that each begins in."""

    file: str
    texts: Sequence[str]
    lines: Sequence[int]


@dataclass(frozen=True)
class Index:
    """Distinct n-grams (g,) of texts, sorted, and the texts that have each:
    `texts[starts[i] : starts[i + 1]]`."""

    grams: Codes
    starts: Integers
    texts: Integers

    @classmethod
    def of(cls, grams: Codes, text: Integers, texts: int) -> "Index":
        distinct, code = np.unique(grams, return_inverse=True)
        pairs = np.unique(code.astype(np.int64) * max(texts, 1) + text)
        owner, own = np.divmod(pairs, max(texts, 1))
        sizes = np.bincount(owner, minlength=len(distinct))
        return cls(distinct, np.concatenate(([0], np.cumsum(sizes))), own)

    def places(self, grams: Codes) -> Integers:
        """The place of each n-gram, NOWHERE for one that no text has."""
        if not len(self.grams):
            return np.full(len(grams), NOWHERE)
        place = np.searchsorted(self.grams, grams)
        place[place == len(self.grams)] = 0
        return np.where(self.grams[place] == grams, place, NOWHERE)

    def distinct(self, texts: int) -> Integers:
        """How many n-grams each text has (n,)."""
        return np.bincount(self.texts, minlength=texts).astype(np.int64)


@dataclass
class Overlap:
    """Texts in units, compared with blocks of others one after the other.

    `unit` (n,) is the unit of each text, from 0 to `units`.
    """

    texts: Sequence[str]
    unit: Integers
    units: int
    order: int
    places: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.tokens = tokens_of(self.texts)
        size = len(self.texts)
        self.compared: Flags = self.tokens.sizes >= LEAST
        self.whole = self.tokens.whole()
        rows = np.flatnonzero(self.compared)
        self.sorted = rows[np.argsort(self.whole[rows], kind="stable")]
        self.long = Index.of(*self.tokens.grams(self.order), size)
        self.seen = np.zeros(len(self.long.grams), dtype=np.bool_)
        short = Index.of(*self.tokens.grams(NEAR_ORDER), size)
        often = np.diff(short.starts) > MOST_SHARED
        rare = ~np.repeat(often, np.diff(short.starts))
        sizes = np.where(often, 0, np.diff(short.starts))
        starts = np.concatenate(([0], np.cumsum(sizes)))
        self.near = Index(short.grams, starts, short.texts[rare])
        self.phrases = int(often.sum())
        self.grams = self.near.distinct(size)
        # Of the other texts: the place of one that is the same, and of the nearest.
        self.found = np.full(size, NOWHERE)
        self.nearest = np.full(size, NOWHERE)
        self.nearness = np.zeros(size)

    def look(self, block: Block) -> int:
        """Compare the next block of other texts; how many tokens it has."""
        tokens = tokens_of(block.texts)
        first = len(self.places)
        used: dict[int, int] = {}

        def place_of(own: int) -> int:
            """The place of a text of the block, kept when it is first named."""
            if own not in used:
                used[own] = first + len(used)
                self.places.append((block.file, block.lines[own]))
            return used[own]

        for text, own in zip(*self._same(tokens), strict=True):
            if self.found[text] == NOWHERE:
                self.found[text] = place_of(own)
        place = self.long.places(tokens.grams(self.order)[0])
        self.seen[place[place != NOWHERE]] = True
        for text, own, share in zip(*self._nearest(tokens), strict=True):
            if share > self.nearness[text]:
                self.nearness[text] = share
                self.nearest[text] = place_of(own)
        return len(tokens.codes)

    def _same(self, tokens: Tokens) -> tuple[list[int], list[int]]:
        """Texts that the block has, each with the first text there that is the same."""
        whole = tokens.whole()
        long = np.flatnonzero(tokens.sizes >= LEAST)
        distinct, first = np.unique(whole[long], return_index=True)
        if not len(distinct):
            return [], []
        keys = self.whole[self.sorted]
        place = np.searchsorted(distinct, keys)
        place[place == len(distinct)] = 0
        same = distinct[place] == keys
        return self.sorted[same].tolist(), long[first[place[same]]].tolist()

    def _nearest(
        self, tokens: Tokens, apart: Integers | None = None
    ) -> tuple[list[int], list[int], list[float]]:
        """The nearest texts: of each that shares n-grams with the block, the text there
        with most of them, and the share. `apart` (texts of the block,): the unit of
        each, where a text of the same unit counts nothing."""
        grams, own = tokens.grams(NEAR_ORDER)
        place = self.near.places(grams)
        there = place != NOWHERE
        pairs = np.unique(own[there] * max(len(self.near.grams), 1) + place[there])
        own, gram = np.divmod(pairs, max(len(self.near.grams), 1))
        begin = self.near.starts[gram]
        times = self.near.starts[gram + 1] - begin
        shift = np.arange(int(times.sum())) - np.repeat(np.cumsum(times) - times, times)
        text = self.near.texts[np.repeat(begin, times) + shift]
        own = np.repeat(own, times)
        if apart is not None:
            other = apart[own] != self.unit[text]
            text, own = text[other], own[other]
        pairs, common = np.unique(text * tokens.texts + own, return_counts=True)
        text, own = np.divmod(pairs, max(tokens.texts, 1))
        share = common / self.grams[text]
        order = np.lexsort((own, -share, text))
        text, own, share = text[order], own[order], share[order]
        first = np.diff(text, prepend=-1) != 0
        return text[first].tolist(), own[first].tolist(), share[first].tolist()

    def inside(self) -> tuple[Integers, Floats]:
        """The nearest text of another unit to each text, NOWHERE without one, and the
        share of its n-grams that this has: 1 where it is the same."""
        twin, share = np.full(len(self.texts), NOWHERE), np.zeros(len(self.texts))
        text, own, nearness = self._nearest(self.tokens, self.unit)
        twin[text], share[text] = own, nearness
        keys = self.whole[self.sorted]
        starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]) != 0)
        ends = np.append(starts[1:], len(keys))
        several = ends - starts > 1
        for start, end in zip(starts[several], ends[several], strict=True):
            run = self.sorted[start:end]
            others = run[self.unit[run] != self.unit[run[0]]]
            if len(others):
                first = self.unit[run] == self.unit[run[0]]
                twin[run], share[run] = np.where(first, others[0], run[0]), 1.0
        return twin, share

    def unit_counts(self) -> tuple[Integers, Integers]:
        """Numbers of distinct n-grams of each unit (units,), and of those that were
        seen."""
        return self._grams_by_unit(np.ones_like(self.seen)), self._grams_by_unit(
            self.seen
        )

    def place_of(self, place: int) -> str:
        """A file and a line, as "books.txt:12"."""
        file, line = self.places[place]
        return f"{file}:{line}"

    def _grams_by_unit(self, flags: Flags) -> Integers:
        flagged = np.repeat(flags, np.diff(self.long.starts))
        gram = np.repeat(np.arange(len(flags)), np.diff(self.long.starts))[flagged]
        unit = self.unit[self.long.texts[flagged]]
        pairs = np.unique(gram * max(self.units, 1) + unit)
        return np.bincount(pairs % max(self.units, 1), minlength=self.units).astype(
            np.int64
        )


@dataclass(frozen=True)
class UnitOverlap:
    """One unit, by its place: `found` is the place of another text that is the same,
    `near` of the nearest, "" where there is none; `share` of its n-grams in the other
    texts, None where it has none of that length; `twin` is another unit with the same
    text, or nearly, and `twin_share` how near."""

    unit: int
    found: str
    near: str
    near_share: float
    share: float | None
    twin: int | None
    twin_share: float


def unit_overlaps(overlap: Overlap) -> Iterator[UnitOverlap]:
    """Every unit of which there is something to tell, in their order."""
    twins, twin_shares = overlap.inside()
    every, seen = overlap.unit_counts()
    order = np.argsort(overlap.unit, kind="stable")
    ends = np.cumsum(np.bincount(overlap.unit, minlength=overlap.units))
    for unit, texts in enumerate(np.split(order, ends[:-1])):
        if not len(texts):
            continue
        texts_near = texts[overlap.found[texts] != NOWHERE]
        near = texts[np.argmax(overlap.nearness[texts])]
        own = texts[np.argmax(twin_shares[texts])]
        is_near = bool(overlap.nearness[near] >= NEAR - SLACK)
        has_twin = bool(twin_shares[own] >= NEAR - SLACK)
        if len(texts_near) or is_near or has_twin or seen[unit]:
            yield UnitOverlap(
                unit,
                overlap.place_of(overlap.found[texts_near[0]])
                if len(texts_near)
                else "",
                overlap.place_of(overlap.nearest[near]) if is_near else "",
                float(overlap.nearness[near]),
                float(seen[unit] / every[unit]) if every[unit] else None,
                int(overlap.unit[twins[own]]) if has_twin else None,
                float(twin_shares[own]),
            )
