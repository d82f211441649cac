"""Checks of proofs about Merkle trees, as in RFC 9162, sections 2.1.3 and 2.1.4."""

from collections.abc import Sequence

from scoring.merkle import EMPTY, _node


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
