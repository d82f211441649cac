"""Pairs of spans of both sides, each used once, and the characters that both cover.

SemEval-2013 pairs spans of the same extent, and those that overlap. Which spans are
paired first there depends on the order of the files. Here spans that are the same are
paired with each other, and of the others as many as can be, whatever their order.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np

from scoring.counts import Flags, Integers
from scoring.errors import Problem, Refused
from scoring.formats.codes import by_value
from scoring.messages import Messages, _
from scoring.scorers.spans.corpus import Spans

MESSAGES = Messages(
    pairs=_(
        "spans in several pieces overlap in more than %(most)s pairs: too much to "
        "compare"
    )
)
MOST_PAIRS = 200_000


def exact_pairs(first: Spans, second: Spans) -> tuple[Flags, Flags]:
    """Flags of the spans of both sides that are paired with one of the same extent."""
    rows = np.concatenate([(s.start, s.end, s.form) for s in (first, second)], axis=1)
    order = np.lexsort(rows[::-1])
    fresh = np.any(np.diff(rows[:, order], axis=1, prepend=-1) != 0, axis=0)
    group = np.zeros(rows.shape[1], dtype=np.int64)
    group[order] = np.cumsum(fresh) - 1
    sides = group[: len(first)], group[len(first) :]
    size = int(group.max(initial=-1)) + 1
    numbers = [np.bincount(side, minlength=size) for side in sides]
    paired = np.minimum(*numbers)
    one, other = (_place_in_group(side) < paired[side] for side in sides)
    return one, other


def _place_in_group(group: Integers) -> Integers:
    """The place of each row among those of its group."""
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    firsts = np.searchsorted(ordered, ordered, side="left")
    places = np.zeros(len(group), dtype=np.int64)
    places[order] = np.arange(len(group)) - firsts
    return places


def most_pairs(first: Spans, second: Spans, *, labelled: bool) -> Integers:
    """Rows of the first side in as many pairs as can be, of spans that share a
    character and, where `labelled`, have the same label."""
    if not len(first) or not len(second):
        return np.zeros(0, dtype=np.int64)
    if first.form.any() or second.form.any():
        return _in_pieces(first, second, labelled=labelled)
    shift = int(max(first.end.max(), second.end.max())) + 1 if labelled else 0
    sides = [
        (s.start + s.label * shift, s.end + s.label * shift) for s in (first, second)
    ]
    ours, theirs = _stretches(sides)
    size = 1 + max(int(ours.max()), int(theirs.max()))
    own, other = (np.bincount(side, minlength=size) for side in (ours, theirs))
    # The only one of a stretch meets one of the other side, if there is any.
    alone = np.flatnonzero((own == 1)[ours] & (other > 0)[ours])
    several = (own > 1) & (other > 0)
    left = np.flatnonzero(several[ours]), np.flatnonzero(several[theirs])
    parts = [
        (start[rows].tolist(), end[rows].tolist())
        for (start, end), rows in zip(sides, left, strict=True)
    ]
    more = np.array([*_of_intervals(parts)], dtype=np.int64)
    return np.sort(np.concatenate((alone, left[0][more])))


def _stretches(
    sides: Sequence[tuple[Integers, Integers]],
) -> tuple[Integers, Integers]:
    """The stretches of text, numbered from the left, that intervals of both sides cover
    without a gap: that of each interval."""
    starts, ends = (np.concatenate(edges) for edges in zip(*sides, strict=True))
    order = np.argsort(starts, kind="stable")
    reach = np.maximum.accumulate(ends[order])
    number = np.zeros(len(starts), dtype=np.int64)
    number[order[1:]] = np.cumsum(starts[order][1:] >= reach[:-1])
    size = len(sides[0][0])
    return number[:size], number[size:]


def _of_intervals(sides: list[tuple[list[int], list[int]]]) -> Iterator[int]:
    """Rows of the first side that are paired.

    Of all spans that are left, the one that ends first can do no better than with the
    span of the other side that ends first: whatever meets that one, meets each other
    one that it could take.
    """
    ends = sorted(
        (end, start, side, row)
        for side, (starts, own) in enumerate(sides)
        for row, (start, end) in enumerate(zip(starts, own, strict=True))
    )
    begins = [
        deque(
            sorted(
                (start, end, row)
                for row, (start, end) in enumerate(zip(*own, strict=True))
            )
        )
        for own in sides
    ]
    waiting: list[list[tuple[int, int]]] = [[], []]
    done = [[False] * len(starts) for starts, _ends in sides]
    for end, _start, side, row in ends:
        if done[side][row]:
            continue
        done[side][row] = True
        other = 1 - side
        heap, coming = waiting[other], begins[other]
        while coming and coming[0][0] < end:
            _, their_end, their_row = coming.popleft()
            heappush(heap, (their_end, their_row))
        # Those that end before were asked before: they are paired, or meet nothing.
        while heap and done[other][heap[0][1]]:
            heappop(heap)
        if heap:
            _, their_row = heappop(heap)
            done[other][their_row] = True
            yield their_row if side else row


def _in_pieces(first: Spans, second: Spans, *, labelled: bool) -> Integers:
    """The pairs of `most_pairs`, by paths that alternate (Berge 1957)."""
    ours, theirs = first.pieces, second.pieces
    low, high = theirs.touched(ours.start, ours.end)
    if int((high - low).sum()) > MOST_PAIRS:
        raise Refused(Problem("size", MESSAGES("pairs", most=MOST_PAIRS)))
    ref, hyp, _shared = overlapping_pairs(first, second)
    if labelled:
        same = first.label[ref] == second.label[hyp]
        ref, hyp = ref[same], hyp[same]
    partners = {row: hyp[places].tolist() for row, places in by_value(ref)}
    of_second: dict[int, int] = {}
    of_first: dict[int, int] = {}
    for row in sorted(partners):
        _augment(row, partners, of_first, of_second)
    return np.array(sorted(of_first), dtype=np.int64)


def _augment(
    row: int,
    partners: dict[int, list[int]],
    of_first: dict[int, int],
    of_second: dict[int, int],
) -> None:
    """One pair more, that of `row`, where others can move so that it finds one."""
    came_from: dict[int, int] = {}
    queue = deque([row])
    while queue:
        here = queue.popleft()
        for there in partners[here]:
            if there in came_from:
                continue
            came_from[there] = here
            if there in of_second:
                queue.append(of_second[there])
                continue
            while True:
                own = came_from[there]
                before = of_first.get(own)
                of_first[own], of_second[there] = there, own
                if before is None:
                    return
                there = before


def overlapping_pairs(
    first: Spans, second: Spans
) -> tuple[Integers, Integers, Integers]:
    """All pairs of spans that share characters, by rows, and how many they share."""
    ours, theirs = first.pieces, second.pieces
    low, high = theirs.touched(ours.start, ours.end)
    sizes = high - low
    owner = np.repeat(np.arange(len(ours)), sizes)
    place = np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes - low, sizes)
    shared = np.minimum(ours.end[owner], theirs.end[place])
    shared = shared - np.maximum(ours.start[owner], theirs.start[place])
    real = shared > 0
    ref, hyp, shared = ours.owner[owner[real]], theirs.owner[place[real]], shared[real]
    if len(ours) == len(first) and len(theirs) == len(second):
        return ref, hyp, shared
    pairs, of = np.unique(np.stack((ref, hyp)), axis=1, return_inverse=True)
    sums = np.bincount(of.ravel(), shared, minlength=pairs.shape[1])
    return pairs[0], pairs[1], np.asarray(sums, dtype=np.int64)


Stretches = tuple[Integers, Integers]


def characters(first: Spans, second: Spans) -> tuple[Stretches, Stretches, Stretches]:
    """Places where characters begin that both sides, the first and the second have
    under a label, and how many; each character counts once for each label."""
    sides = first.pieces, second.pieces
    shift = max(int(side.end.max(initial=0)) for side in sides) + 1
    labels = first.label[sides[0].owner], second.label[sides[1].owner]
    moved = [
        (side.start + label * shift, side.end + label * shift)
        for side, label in zip(sides, labels, strict=True)
    ]
    places = np.concatenate([edge for pair in moved for edge in pair])
    steps = np.zeros((2, len(places)), dtype=np.int64)
    sizes = np.cumsum([0, *(len(side) for side in sides for _ in range(2))]).tolist()
    for number in range(4):
        step = 1 if number % 2 == 0 else -1
        steps[number // 2, sizes[number] : sizes[number + 1]] = step
    order = np.argsort(places, kind="stable")
    places = places[order]
    here = np.cumsum(steps[:, order], axis=1)[:, :-1] > 0
    lengths = np.diff(places)
    starts = places[:-1] % shift
    one, other = here if len(places) else (here[0], here[1])
    flags = (one & other, one, other)
    stretches = [(starts[flag], lengths[flag]) for flag in flags]
    return stretches[0], stretches[1], stretches[2]
