"""Merkle trees of an append-only record: their hashes, and proofs about them.

Source: RFC 6962, section 2.1. All hashes are SHA-256.
"""

from collections.abc import Sequence
from hashlib import sha256

EMPTY = sha256().digest()


def leaf_hash(data: bytes) -> bytes:
    """The hash of an entry; no node of a tree has one that is made so."""
    return sha256(b"\x00" + data).digest()


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def _split(size: int) -> int:
    """The largest power of two below a size of 2 or more."""
    return 1 << (size - 1).bit_length() - 1


def root_hash(leaves: Sequence[bytes]) -> bytes:
    """The hash of the whole tree over these hashes of entries."""
    if not leaves:
        return EMPTY
    level = list(leaves)
    # Level by level: a hash without a neighbour goes up as it is.
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [_node(*pair) for pair in pairs] + level[len(level) & ~1 :]
    return level[0]


def inclusion(leaves: Sequence[bytes], index: int) -> list[bytes]:
    """The proof that the entry at an index is in the tree."""
    if len(leaves) <= 1:
        return []
    half = _split(len(leaves))
    if index < half:
        return [*inclusion(leaves[:half], index), root_hash(leaves[half:])]
    return [*inclusion(leaves[half:], index - half), root_hash(leaves[:half])]


def consistency(leaves: Sequence[bytes], first: int) -> list[bytes]:
    """The proof that the tree of the first so many entries is the start of this one."""
    if first in (0, len(leaves)):
        return []
    return _consistency(leaves, first, whole=True)


def _consistency(leaves: Sequence[bytes], first: int, whole: bool) -> list[bytes]:
    """`whole`: the verifier knows the hash of the first tree itself."""
    if first == len(leaves):
        return [] if whole else [root_hash(leaves)]
    half = _split(len(leaves))
    if first <= half:
        return [*_consistency(leaves[:half], first, whole), root_hash(leaves[half:])]
    rest = _consistency(leaves[half:], first - half, whole=False)
    return [*rest, root_hash(leaves[:half])]
