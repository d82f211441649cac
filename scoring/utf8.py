"""Whether bytes are UTF-8, told by a few comparisons of whole blocks."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

BLOCK = 1 << 17
# A character has up to three bytes before its last one.
BEFORE = 3
PADDING = np.full(BEFORE, ord("\n"), dtype=np.uint8)
CONTINUES = -64
TWO, THREE, FOUR = 0xC0, 0xE0, 0xF0
# After these not every continuation makes a character.
PARTIAL = 0xE0, 0xED

Bytes = npt.NDArray[np.uint8]


def certain(data: bytes) -> bool:
    """True for UTF-8 of characters below U+10000; False also where it takes a decoder.

    That is the case after some first bytes, after which only a part of all
    continuations is allowed.
    """
    return all(map(_certain, _blocks(np.frombuffer(data, dtype=np.uint8))))


def _blocks(text: Bytes) -> Iterator[Bytes]:
    """Pieces of the text, each with the three bytes before it."""
    yield np.concatenate((PADDING, text[:BLOCK]))
    for start in range(BLOCK, len(text), BLOCK):
        yield text[start - BEFORE : start + BLOCK]
    yield np.concatenate((PADDING, text[-BEFORE:], PADDING))[len(text[-BEFORE:]) :]


def _certain(text: Bytes) -> bool:
    """Whether continuations stand in `text[3:]` where they must, and nowhere else."""
    highest = int(text.max())
    if highest >= FOUR or int((text - np.uint8(TWO)).min()) < 2:
        return False
    wanted = text[2:-1] >= TWO
    if highest >= THREE:
        if any((text == first).any() for first in PARTIAL):
            return False
        wanted |= text[1:-2] >= THREE
    continues = text[BEFORE:].view(np.int8) < CONTINUES
    return bool((wanted == continues).all())
