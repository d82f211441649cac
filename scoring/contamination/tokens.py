"""Texts as numbers: one for each token, each n-gram and each text, without a loop.

A token is a run of letters, marks and digits, composed (NFKC) and case-folded; a
character of a script without spaces is one by itself. Punctuation counts nothing. Equal
ones have equal numbers of 64 bits on every machine. That different ones share a number
is left to chance, which has one in 18 quintillion for two of them.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.scorers.texts.inspection import ALONE

Codes = npt.NDArray[np.uint64]
MODULUS = 1 << 64
# Odd, and so with an inverse: of characters in tokens, and of tokens in n-grams.
OF_TOKENS, OF_GRAMS = 0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F
SEPARATOR, PART, BY_ITSELF = 0, 1, 2
POINTS = 0x110000
NEWLINE = "\n"


@dataclass(frozen=True)
class Tokens:
    """The tokens (t,) of texts (n,) in a row: numbers, and the text of each."""

    codes: Codes
    text: Integers
    texts: int

    @cached_property
    def sizes(self) -> Integers:
        """How many tokens each text has (n,)."""
        return np.bincount(self.text, minlength=self.texts).astype(np.int64)

    def grams(self, order: int) -> tuple[Codes, Integers]:
        """The n-grams of this order, and the text that each is in."""
        if len(self.codes) < order:
            return np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.int64)
        begin = np.arange(len(self.codes) - order + 1)
        inside = self.text[begin] == self.text[begin + order - 1]
        begin = begin[inside]
        return _run_codes(self.codes, begin, begin + order, OF_GRAMS), self.text[begin]

    def whole(self) -> Codes:
        """A number for each text (n,), of all its tokens."""
        ends = np.cumsum(self.sizes)
        return _run_codes(self.codes, ends - self.sizes, ends, OF_GRAMS)


def tokens_of(texts: Sequence[str]) -> Tokens:
    """The tokens of texts; a line feed in a text is a blank."""
    joined = NEWLINE.join(text.replace(NEWLINE, " ") for text in texts)
    # Composed twice: what folding makes of a character may be one to compose.
    plain = unicodedata.normalize("NFKC", joined).casefold()
    plain = unicodedata.normalize("NFKC", plain)
    points = np.frombuffer(plain.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    kinds = _kinds()[points]
    part, alone = kinds == PART, kinds == BY_ITSELF
    before = np.concatenate(([False], part[:-1]))
    after = np.concatenate((part[1:], [False]))
    begin = np.flatnonzero(alone | (part & ~before))
    end = np.flatnonzero(alone | (part & ~after)) + 1
    codes = _run_codes(_mix(points.astype(np.uint64)), begin, end, OF_TOKENS)
    lines = np.cumsum(points == ord(NEWLINE))
    return Tokens(codes, lines[begin].astype(np.int64), len(texts))


def _run_codes(codes: Codes, begin: Integers, end: Integers, base: int) -> Codes:
    """A number for each run of codes from `begin` up to `end`: its polynomial in
    `base`, as a difference of sums from the first code on."""
    powers = _powers(base, len(codes) + 1)
    sums = np.zeros(len(codes) + 1, dtype=np.uint64)
    np.cumsum(codes * powers[:-1], out=sums[1:])
    shifts = _powers(pow(base, -1, MODULUS), len(codes) + 1)
    return _mix((sums[end] - sums[begin]) * shifts[begin])


def _powers(base: int, size: int) -> Codes:
    steps = np.full(size, base, dtype=np.uint64)
    steps[:1] = 1
    return np.cumprod(steps, dtype=np.uint64)


def _mix(codes: Codes) -> Codes:
    """Numbers without a pattern for numbers with one (the last steps of SplitMix64)."""
    mixed = codes + np.uint64(OF_TOKENS)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)), dtype=np.uint64)


_known: list[npt.NDArray[np.uint8]] = []


def _kinds() -> npt.NDArray[np.uint8]:
    """SEPARATOR, PART or BY_ITSELF for every character; made once."""
    if not _known:
        category, points = unicodedata.category, map(chr, range(POINTS))
        words = (category(point)[0] in "LMN" for point in points)
        kinds = np.fromiter(words, dtype=np.uint8, count=POINTS)
        basic = "".join(map(chr, range(0xD800))) + "".join(
            map(chr, range(0xF900, 0xFB00))
        )
        alone = [ord(character) for character in re.findall(f"[{ALONE}]", basic)]
        alone = [point for point in alone if kinds[point]]
        kinds[alone] = BY_ITSELF
        # The further planes of Han: 2 and 3.
        kinds[0x20000:0x40000] *= BY_ITSELF
        _known.append(kinds)
    return _known[0]
