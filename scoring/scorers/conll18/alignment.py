"""Alignment of system words with gold words, whatever the tokens are.

The text of both files is cut where both begin a token. Most stretches between are
settled by arrays: one word on each side is a pair, and where a multiword token spans
the stretch, words are paired by the longest common subsequence of their forms. Only
where tokens differ next to a multiword token do we walk word by word, as the definition
asks for; elsewhere different tokens pair nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Integers
from scoring.errors import Problem, Refused
from scoring.formats.field_prefixes import equal
from scoring.messages import Messages, _
from scoring.scorers.conll18.surface import Surface
from scoring.scorers.treebanks.conllu import FORM

MESSAGES = Messages(
    stretch=_("overlapping multiword tokens make a stretch of very many words."),
)


def common(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Places in `first` and `second` that are paired, both rising.

    Equal words that meet are paired; otherwise a word of `first` is passed by if that
    loses nothing, else a word of `second` is. Lengths of common subsequences are kept
    as bits (Hyyro 2004): a row for every tail of `first`, in which bit j is zero where
    one more word of the tail of `second` makes the subsequence longer.
    """
    rows = _rows(first, second)
    pairs = []
    i = j = 0
    while i < len(first) and j < len(second):
        tail = (1 << (len(second) - j)) - 1
        with_word, without = rows[len(first) - i], rows[len(first) - i - 1]
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif (with_word & tail).bit_count() == (without & tail).bit_count():
            i += 1
        else:
            j += 1
    return pairs


def _rows(first: Sequence[str], second: Sequence[str]) -> list[int]:
    places: dict[str, int] = {}
    for place, word in enumerate(reversed(second)):
        places[word] = places.get(word, 0) | 1 << place
    full = (1 << len(second)) - 1
    row = full
    rows = [row]
    for word in reversed(first):
        hits = row & places.get(word, 0)
        row = ((row + hits) | (row - hits)) & full
        rows.append(row)
    return rows


@dataclass(frozen=True)
class WordOffsets:
    """Offsets of each word's token in the text, and whether that is multiword."""

    begins: list[int]
    ends: list[int]
    multiword: list[bool]

    @classmethod
    def of(cls, surface: Surface) -> "WordOffsets":
        token = surface.token_of
        return cls(
            surface.begins[token].tolist(),
            surface.ends[token].tolist(),
            surface.multiword[token].tolist(),
        )

    def passes(self, word: int, end: int) -> bool:
        """Whether a word is behind a block that ends at `end`."""
        if word >= len(self.begins):
            return True
        if self.multiword[word]:
            return self.begins[word] >= end
        return self.ends[word] > end

    def stretched(self, word: int, end: int) -> int:
        """The end of a block that takes this word in."""
        return max(end, self.ends[word]) if self.multiword[word] else end


@dataclass(frozen=True, slots=True)
class WordBlock:
    """Words of both sides that are paired by their forms."""

    gold: int
    gold_end: int
    system: int
    system_end: int


def walk(
    gold: WordOffsets, system: WordOffsets, start: tuple[int, int]
) -> tuple[list[tuple[int, int]], list[WordBlock], int]:
    """Go on from a word of each side until both begin at the same character again:
    pairs, blocks, and the gold word where that is, 0 at the end."""
    pairs: list[tuple[int, int]] = []
    blocks: list[WordBlock] = []
    g, s = start
    while g < len(gold.begins) and s < len(system.begins):
        if (g, s) != start and gold.begins[g] == system.begins[s]:
            return pairs, blocks, g
        if gold.multiword[g] or system.multiword[s]:
            block = _block(gold, system, g, s)
            g, s = block.gold_end, block.system_end
            blocks.append(block)
        elif (gold.begins[g], gold.ends[g]) == (system.begins[s], system.ends[s]):
            pairs.append((g, s))
            g, s = g + 1, s + 1
        elif gold.begins[g] <= system.begins[s]:
            g += 1
        else:
            s += 1
    return pairs, blocks, 0


def _block(gold: WordOffsets, system: WordOffsets, g: int, s: int) -> WordBlock:
    """The words around a multiword token, at `g`, at `s` or at both."""
    if gold.multiword[g]:
        end = gold.ends[g]
        s += not system.multiword[s] and system.begins[s] < gold.begins[g]
    else:
        end = system.ends[s]
        g += gold.begins[g] < system.begins[s]
    first = g, s
    while not (gold.passes(g, end) and system.passes(s, end)):
        over = s >= len(system.begins)
        if g < len(gold.begins) and (over or gold.begins[g] <= system.begins[s]):
            end = gold.stretched(g, end)
            g += 1
        else:
            end = system.stretched(s, end)
            s += 1
    return WordBlock(first[0], g, first[1], s)


Pairs = tuple[Integers, Integers]
MOST_CELLS = 10**8


@dataclass(frozen=True)
class Stretches:
    """Parts of the text between places where both sides begin a token (k,).

    `gold` and `system` hold the first word of each stretch and, one more, the number
    of words (k + 1,); `tokens` (k,) are the first gold tokens. `single`: there is one
    token on each side; `multiword`: a multiword token is among them; `opening`: one
    comes first; `spanned`: one is all there is on its side.
    """

    gold: Integers
    system: Integers
    tokens: Integers
    single: Flags
    multiword: Flags
    opening: Flags
    spanned: Flags

    @property
    def sizes(self) -> Pairs:
        """Words of each stretch on both sides."""
        return np.diff(self.gold), np.diff(self.system)


def align(gold: Surface, system: Surface, stretches: Stretches) -> Pairs:
    """Rows of paired words in gold and system, both rising. Raises Refused where
    overlapping multiword tokens make one stretch of very many words."""
    plain = np.flatnonzero(stretches.single & ~stretches.multiword)
    if not stretches.multiword.any():
        return stretches.gold[plain], stretches.system[plain]
    walked, blocks, done = _walk((gold, system), stretches)
    plain = plain[~done[plain]]
    spanned = np.flatnonzero(stretches.spanned & ~done)
    same, unlike = _same_words((gold, system), stretches, spanned)
    pairs = [
        (stretches.gold[plain], stretches.system[plain]),
        walked,
        same,
        _by_forms((gold, system), [*blocks, *unlike]),
    ]
    left, right = (np.concatenate(side) for side in zip(*pairs, strict=True))
    order = np.argsort(left)
    return left[order], right[order]


def cut(gold: Surface, system: Surface) -> Stretches:
    """Cut the text where both sides begin a token."""
    begun = np.zeros((2, len(gold.characters)), dtype=np.bool_)
    begun[0][gold.begins] = True
    begun[1][system.begins] = True
    both = begun[0] & begun[1]
    firsts = [np.flatnonzero(both[side.begins]) for side in (gold, system)]
    parts = [_tokens_of(*side) for side in zip((gold, system), firsts, strict=True)]
    return Stretches(
        gold=np.append(gold.first_words[firsts[0]], len(gold.token_of)),
        system=np.append(system.first_words[firsts[1]], len(system.token_of)),
        tokens=firsts[0],
        single=parts[0].one & parts[1].one,
        multiword=parts[0].multiword | parts[1].multiword,
        opening=parts[0].opening | parts[1].opening,
        spanned=parts[0].spanning | parts[1].spanning,
    )


@dataclass(frozen=True)
class StretchTokens:
    """Tokens of one side in each stretch (k,)."""

    one: Flags
    multiword: Flags
    opening: Flags

    @property
    def spanning(self) -> Flags:
        return self.one & self.opening


def _tokens_of(side: Surface, firsts: Integers) -> StretchTokens:
    return StretchTokens(
        one=np.diff(firsts, append=len(side.ends)) == 1,
        multiword=np.logical_or.reduceat(side.multiword, firsts),
        opening=side.multiword[firsts],
    )


def _walk(
    sides: tuple[Surface, Surface], stretches: Stretches
) -> tuple[Pairs, list[WordBlock], Flags]:
    """Pairs and blocks found by walking, and which stretches that has settled."""
    done = np.zeros(len(stretches.single), dtype=np.bool_)
    next_opens = np.append(stretches.opening[1:], False)
    settled = stretches.single | stretches.spanned
    unclear = np.flatnonzero(~settled & (stretches.multiword | next_opens))
    pairs: list[tuple[int, int]] = []
    blocks: list[WordBlock] = []
    if len(unclear):
        gold, system = (WordOffsets.of(surface) for surface in sides)
    for stretch in unclear.tolist():
        if done[stretch]:
            continue
        start = int(stretches.gold[stretch]), int(stretches.system[stretch])
        more_pairs, more_blocks, last = walk(gold, system, start)
        pairs += more_pairs
        blocks += more_blocks
        end = np.searchsorted(stretches.gold, last) if last else len(done)
        done[stretch : int(end)] = True
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return (both[:, 0], both[:, 1]), blocks, done


def _same_words(
    sides: tuple[Surface, Surface], stretches: Stretches, spanned: Integers
) -> tuple[Pairs, list[WordBlock]]:
    """Words of the stretches that a multiword token spans. The same forms on both sides
    are paired as they come; the others are blocks."""
    sizes = [size[spanned] for size in stretches.sizes]
    firsts = stretches.gold[spanned], stretches.system[spanned]
    level = sizes[0] == sizes[1]
    rows = [_spread(first[level], sizes[0][level]) for first in firsts]
    fields = (
        side.trees.field(FORM, row) for side, row in zip(sides, rows, strict=True)
    )
    agree = equal(*fields)
    starts = np.cumsum(sizes[0][level]) - sizes[0][level]
    alike = np.zeros(len(spanned), dtype=np.bool_)
    if len(starts):
        alike[level] = np.logical_and.reduceat(agree, starts)
    equal_words = np.repeat(alike[level], sizes[0][level])
    blocks = [
        WordBlock(g, g + n, s, s + m)
        for g, n, s, m in zip(
            *(
                part[~alike].tolist()
                for part in (firsts[0], sizes[0], firsts[1], sizes[1])
            ),
            strict=True,
        )
    ]
    return (rows[0][equal_words], rows[1][equal_words]), blocks


def _spread(firsts: Integers, sizes: Integers) -> Integers:
    """first, first + 1, ... for each first and size, one after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total) + np.repeat(firsts - ends + sizes, sizes)


def _by_forms(sides: tuple[Surface, Surface], blocks: list[WordBlock]) -> Pairs:
    """Pair the words of each block by their lower-cased forms."""
    gold, system = sides
    pairs: list[tuple[int, int]] = []
    forms = (
        _forms(gold, [(block.gold, block.gold_end) for block in blocks]),
        _forms(system, [(block.system, block.system_end) for block in blocks]),
    )
    for block, left, right in zip(blocks, *forms, strict=True):
        if len(left) * len(right) > MOST_CELLS:
            line = int(system.trees.lines[block.system])
            message = MESSAGES("stretch")
            raise Refused(Problem("alignment", message, system.name, line))
        pairs += [(block.gold + g, block.system + s) for g, s in common(left, right)]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _forms(side: Surface, extents: list[tuple[int, int]]) -> list[list[str]]:
    bounds = np.array(extents, dtype=np.int64).reshape(-1, 2)
    sizes = bounds[:, 1] - bounds[:, 0]
    texts = side.trees.field(FORM, _spread(bounds[:, 0], sizes)).texts()
    lowered = [text.lower() for text in texts]
    ends = np.cumsum(sizes).tolist()
    return [
        lowered[end - size : end]
        for end, size in zip(ends, sizes.tolist(), strict=True)
    ]
