"""Edits found in a corrected text, so that they agree with an annotator's as far as can
be (MaxMatch, Dahlmeier and Ng 2012), by the rules of the scorer of CoNLL-2014.

The words of a sentence and of its correction are aligned in all the ways that take the
fewest changes, a substitution counted as one or as two. Changes that follow each other,
with two unchanged words between them at most, may be one edit. Of all ways through the
alignments that one is taken that has the most edits of the annotator, then the fewest
words changed or spanned, then the fewest edits.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np

from scoring.counts import Integers
from scoring.scorers.edits.m2 import NOOP, Edit

MOST_UNCHANGED = 2
OR = "||"
NONE = "-NONE-"
Words = tuple[str, ...]
Place = tuple[int, int]  # words of the sentence and of its correction before it
Found = tuple[int, int, Words, int]  # from, to, words, number of the gold's edit or NO
NO = -1
# Edits that are the annotator's, with the sign changed; words; other edits.
Cost = tuple[int, int, int]
OUTSIDE = -1


@dataclass(frozen=True)
class GoldEdit:
    """An edit of an annotator: any of its `texts` is right."""

    start: int
    end: int
    texts: tuple[Words, ...]


def gold_edits(edits: Sequence[Edit]) -> list[GoldEdit]:
    """The edits that change something, by where they are."""
    return [
        GoldEdit(
            start,
            end,
            tuple(() if text.strip() == NONE else tuple(text.split()) for text in each),
        )
        for start, end, kind, whole in sorted(edits, key=lambda edit: edit[:2])
        if kind != NOOP
        for each in [whole.split(OR)]
    ]


def apply_edits(words: Words, edits: Sequence[Edit]) -> Words:
    """The sentence as these edits make it, the first of texts taken."""
    corrected: list[str] = []
    done = 0
    for edit in gold_edits(edits):
        corrected += words[done : edit.start]
        corrected += edit.texts[0]
        done = max(done, edit.end)
    return (*corrected, *words[done:])


def _distances(first: Integers, second: Integers, substitution: int) -> Integers:
    """Fewest changes (m + 1, n + 1) of every beginning of one into one of the other."""
    size = len(second)
    steps = np.arange(size + 1)
    table = np.zeros((len(first) + 1, size + 1), dtype=np.int64)
    table[0] = steps
    for i, word in enumerate(first.tolist(), 1):
        before = table[i - 1]
        row = before + 1
        cost = np.where(second == word, 0, substitution)
        row[1:] = np.minimum(row[1:], before[:-1] + cost)
        # Insertions from the left, all at once.
        table[i] = np.minimum.accumulate(row - steps) + steps
    return table


class Lattice:
    """Places of the alignments, and the steps from each, unchanged words or not."""

    def __init__(self, words: Words, text: Words) -> None:
        self.words, self.text = words, text
        codes = {word: i for i, word in enumerate(dict.fromkeys((*words, *text)))}
        first, second = (
            np.array([codes[word] for word in side], dtype=np.int64)
            for side in (words, text)
        )
        steps: set[tuple[Place, Place]] = set()
        for substitution in (1, 2):
            steps.update(_steps(first, second, substitution))
        self.after: dict[Place, list[tuple[Place, bool]]] = defaultdict(list)
        for here, there in sorted(steps):
            both = there[0] > here[0] and there[1] > here[1]
            same = both and words[here[0]] == text[here[1]]
            self.after[here].append((there, same))
        self.places = sorted({(0, 0), *(place for step in steps for place in step)})

    def reaches(self, start: Place, end: Place) -> bool:
        """Whether changes with few unchanged words between lead from one place to the
        other, and are no unchanged words alone."""
        fewest = {start: (0, False)}
        todo = [start]
        while todo:
            here = heappop(todo)
            kept, changed = fewest[here]
            for there, same in self.after[here]:
                if there[0] > end[0] or there[1] > end[1]:
                    continue
                cost = kept + same, changed or not same
                if cost[0] > MOST_UNCHANGED:
                    continue
                if there not in fewest:
                    heappush(todo, there)
                elif fewest[there] <= cost:
                    continue
                fewest[there] = cost
        return fewest.get(end, (0, False))[1]


def _steps(
    first: Integers, second: Integers, substitution: int
) -> Iterator[tuple[Place, Place]]:
    """Steps of all alignments with the fewest changes."""
    ahead = _distances(first, second, substitution)
    back = _distances(first[::-1], second[::-1], substitution)[::-1, ::-1]
    fewest = ahead[-1, -1]
    cost = np.where(first[:, None] == second[None, :], 0, substitution)
    down = ahead[:-1] + 1 + back[1:] == fewest
    right = ahead[:, :-1] + 1 + back[:, 1:] == fewest
    across = ahead[:-1, :-1] + cost + back[1:, 1:] == fewest
    for flags, di, dj in ((down, 1, 0), (right, 0, 1), (across, 1, 1)):
        for i, j in np.argwhere(flags).tolist():
            yield (i, j), (i + di, j + dj)


State = tuple[Place, int, int]  # place, unchanged words in an edit, gold's edits used
Way = tuple[Cost, State | None, Found | None]


def found_edits(lattice: Lattice, gold: Sequence[GoldEdit]) -> list[Found]:
    """The edits of the best way, in order."""
    return _Search(lattice, gold).edits()


class _Search:
    """The best way to every place, inside of an edit that is none of the gold's and
    outside of any. Of the gold's insertions at one place each is used once."""

    def __init__(self, lattice: Lattice, gold: Sequence[GoldEdit]) -> None:
        self.lattice, self.jumps = lattice, _of_gold(lattice, gold)
        self.ways: dict[State, Way] = {}
        self.at: dict[Place, list[State]] = defaultdict(list)

    def edits(self) -> list[Found]:
        self._reach(((0, 0), OUTSIDE, 0), ((0, 0, 0), None, None))
        for place in self.lattice.places:
            for state in [one for one in self.at[place] if one[1] != OUTSIDE]:
                self._close(state)
            for state in self.at[place]:
                self._walk(state)
                if state[1] == OUTSIDE:
                    self._take(state)
        end = len(self.lattice.words), len(self.lattice.text)
        last = [state for state in self.at[end] if state[1] == OUTSIDE]
        return self._trace_edits(min(last, key=lambda state: self.ways[state][0]))

    def _reach(self, state: State, way: Way) -> None:
        cheapest = self.ways.get(state)
        if cheapest is None:
            self.at[state[0]].append(state)
        if cheapest is None or way[0] < cheapest[0]:
            self.ways[state] = way

    def _close(self, state: State) -> None:
        """End the edit that is open here."""
        place, before = state[0], state
        while before[1] != OUTSIDE:
            opened = self.ways[before][1]
            assert opened is not None
            before = opened
        start = before[0]
        text = self.lattice.text[start[1] : place[1]]
        edit = (start[0], place[0], text, NO)
        self._reach((place, OUTSIDE, state[2]), (self.ways[state][0], state, edit))

    def _walk(self, state: State) -> None:
        """Go on by one step, in an edit or not."""
        place, kept, used = state
        matched, words, edits = self.ways[state][0]
        for there, same in self.lattice.after[place]:
            left = used if there[0] == place[0] else 0
            if kept == OUTSIDE and same:
                cost = (matched, words + 1, edits)
                self._reach((there, OUTSIDE, left), (cost, state, None))
            inside = max(kept, 0) + same
            if inside <= MOST_UNCHANGED:
                cost = (matched, words + 1, edits + (kept == OUTSIDE))
                self._reach((there, inside, left), (cost, state, None))

    def _take(self, state: State) -> None:
        """Take an edit of the gold that begins here."""
        place, _kept, used = state
        matched, words, edits = self.ways[state][0]
        for there, number in self.jumps.get(place, ()):
            inserts = there[0] == place[0]
            if inserts and number < used:
                continue
            text = self.lattice.text[place[1] : there[1]]
            edit = (place[0], there[0], text, number)
            after = (there, OUTSIDE, number + 1 if inserts else 0)
            self._reach(after, ((matched - 1, words, edits), state, edit))

    def _trace_edits(self, state: State) -> list[Found]:
        edits: list[Found] = []
        at: State | None = state
        while at is not None:
            _cost, at, edit = self.ways[at]
            if edit is not None:
                edits.append(edit)
        return edits[::-1]


def _of_gold(
    lattice: Lattice, gold: Sequence[GoldEdit]
) -> dict[Place, list[tuple[Place, int]]]:
    """Places that the gold's edits lead to from each place, with their numbers."""
    jumps: dict[Place, list[tuple[Place, int]]] = defaultdict(list)
    rows = defaultdict(list)
    for i, j in lattice.places:
        rows[i].append(j)
    places = set(lattice.places)
    for number, edit in enumerate(gold):
        for j in rows[edit.start]:
            for text in dict.fromkeys(edit.texts):
                end = edit.end, j + len(text)
                if end not in places or lattice.text[j : end[1]] != text:
                    continue
                if lattice.reaches((edit.start, j), end):
                    jumps[edit.start, j].append((end, number))
    return jumps
