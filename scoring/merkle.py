"""Merkle trees of an append-only record: their hashes, and proofs about them.

Source: RFC 6962, section 2.1; checks of proofs as in RFC 9162, sections 2.1.3 and
2.1.4. All hashes are SHA-256.
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


def includes(
    leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes
) -> bool:
    """Whether the proof shows that the entry is in the tree of that size and root."""
    if not 0 <= index < size:
        return False
    place, last, node = index, size - 1, leaf
    for step in proof:
        if last == 0:
            return False
        if place & 1 or place == last:
            node = _node(step, node)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            node = _node(node, step)
        place, last = place >> 1, last >> 1
    return last == 0 and node == root


def extends(
    first: int, root: bytes, size: int, proof: Sequence[bytes], new_root: bytes
) -> bool:
    """Whether the proof shows that a tree begins with the first one, unchanged."""
    if not 0 <= first <= size:
        return False
    if first == 0:
        return not proof and root == EMPTY
    if first == size:
        return not proof and root == new_root
    steps = list(proof)
    if first & (first - 1) == 0:
        steps.insert(0, root)
    if not steps:
        return False
    place, last = first - 1, size - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    old = new = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            old, new = _node(step, old), _node(step, new)
            while place and not place & 1:
                place, last = place >> 1, last >> 1
        else:
            new = _node(new, step)
        place, last = place >> 1, last >> 1
    return last == 0 and old == root and new == new_root
