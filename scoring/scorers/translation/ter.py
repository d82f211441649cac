"""TER: edits to the closest reference, shifts of words among them, per its length.

The search for shifts is sacreBLEU's own; only the edit distances that it asks for are
counted faster here. Its beam of 25 words around the diagonal is kept: where it could
matter, sacreBLEU's distance is taken.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rapidfuzz.distance import Levenshtein

from scoring.counts import Floats, Integers, fixed_point

EDITS, LENGTH = "ter_edits", "ter_ref_len"
COLUMNS = (EDITS, LENGTH)
# The beam reaches that far from the diagonal.
BEAM = 24
SAME, CHANGED, ADDED, LEFT_OUT = " ", "s", "i", "d"

Words = list[int]


def statistics(
    system: Sequence[str],
    references: Sequence[Sequence[str | None]],
    tokenizer: Callable[[str], str],
) -> dict[str, Floats]:
    """Edits and mean length of the references of each segment, as columns; None stands
    for a reference that a segment has not got."""
    edits, lengths = np.zeros(len(system)), np.zeros(len(system))
    for row, (text, *others) in enumerate(zip(system, *references, strict=True)):
        numbers: dict[str, int] = {}
        own = _numbers(tokenizer(text.rstrip()), numbers)
        # sacreBLEU tokenizes references twice, which matters for "&amp;lt;".
        tokens = [
            _numbers(tokenizer(tokenizer(other.rstrip()).rstrip()), numbers)
            for other in others
            if other is not None
        ]
        edits[row] = min(edits_between(own, reference) for reference in tokens)
        lengths[row] = sum(map(len, tokens)) / len(tokens)
    return {EDITS: edits, **fixed_point(LENGTH, lengths)}


def columns_without_ter(segments: int) -> dict[str, Floats]:
    """The columns of a task that leaves TER out."""
    return {EDITS: np.zeros(segments), **fixed_point(LENGTH, np.zeros(segments))}


def _numbers(text: str, known: dict[str, int]) -> Words:
    return [known.setdefault(word, len(known)) for word in text.split()]


def edits_between(own: Words, reference: Words) -> int:
    """Shifts, and then edits, that turn the system's words into the reference's."""
    if not reference:
        return len(own)
    if own == reference:
        return 0
    from sacrebleu.metrics import lib_ter

    # Made for words as texts; numbers are compared faster.
    search: Any = lib_ter._shift
    distances = Distances(reference)
    words, shifts, tried = own, 0, 0
    while True:
        distances.current = words
        gain, shifted, tried = search(words, reference, distances, tried)
        if tried >= lib_ter._MAX_SHIFT_CANDIDATES or gain <= 0:
            return shifts + distances.of(words)
        words, shifts = shifted, shifts + 1


class Distances:
    """Edit distances to one reference, called as sacreBLEU's search calls its own.

    The operations are told of the `current` words only: of candidates for a shift the
    search asks for the distance alone.
    """

    def __init__(self, reference: Words) -> None:
        self.reference = reference
        self.current: Words = []
        self.beam: Any = None

    def __call__(self, words: Words) -> tuple[int, str]:
        distance = Levenshtein.distance(words, self.reference)
        wanted = words is self.current
        if self._beam_holds(words, distance):
            return distance, _operations(words, self.reference) if wanted else ""
        if not wanted and _in_beam(words, self.reference):
            return distance, ""
        return self._beam()(words)  # type: ignore[no-any-return]

    def of(self, words: Words) -> int:
        distance = Levenshtein.distance(words, self.reference)
        if self._beam_holds(words, distance) or _in_beam(words, self.reference):
            return distance
        return int(self._beam()(words)[0])

    def _beam_holds(self, words: Words, distance: int) -> bool:
        """Whether a best path surely lies in the beam: no path of this distance is
        farther from the diagonal than half of it and of the difference in length."""
        if len(self.reference) <= BEAM:
            return True
        return distance + abs(len(words) - len(self.reference)) <= 2 * BEAM

    def _beam(self) -> Any:
        if self.beam is None:
            from sacrebleu.metrics.lib_ter import BeamEditDistance

            self.beam = BeamEditDistance(self.reference)  # type: ignore[arg-type]
        return self.beam


def _in_beam(words: Words, reference: Words) -> bool:
    """Whether one best path lies in the beam, which then has the same distance. Looking
    for one takes a fraction of the beam's time."""
    size = len(words)
    if not size:
        return False
    # Words added in each row of the table, and rows that lead straight down.
    added, left_out = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    for edit in Levenshtein.editops(words, reference):
        if edit.tag != "replace":
            (added if edit.tag == "insert" else left_out)[edit.src_pos] += 1
    advanced = np.cumsum(1 - left_out) - 1 + left_out
    last = np.cumsum(added) + advanced
    first = last - added
    rows = np.arange(size + 1)
    # As sacreBLEU computes it, rounding included.
    diagonal = np.floor(rows * (len(reference) / size)).astype(np.int64)
    ends = np.minimum(diagonal + BEAM, len(reference))
    ends[-1] = len(reference)
    inside = (first >= diagonal - BEAM - 1) & (last <= ends)
    return bool(inside[1:].all())


def _operations(words: Words, reference: Words) -> str:
    """Edit operations that make the words of the reference, in sacreBLEU's letters.

    Of equally good ones a word stays or is changed rather than left out, and is left
    out rather than added, looking from the end.
    """
    rows = _distances(words, reference)
    i, j, operations = len(words), len(reference), []
    while i or j:
        here = rows[i][j]
        if i and j:
            same = words[i - 1] == reference[j - 1]
            if rows[i - 1][j - 1] + (not same) == here:
                operations.append(SAME if same else CHANGED)
                i, j = i - 1, j - 1
                continue
        if i and rows[i - 1][j] + 1 == here:
            operations.append(LEFT_OUT)
            i -= 1
        else:
            operations.append(ADDED)
            j -= 1
    return "".join(reversed(operations))


def _distances(words: Words, reference: Words) -> list[list[int]]:
    """Edit distances of all beginnings of the words and of the reference."""
    theirs = np.array(reference)
    steps = np.arange(len(reference) + 1)
    row: Integers = steps
    rows = [row]
    for word in words:
        following = row + 1
        np.minimum(following[1:], row[:-1] + (theirs != word), out=following[1:])
        row = np.minimum.accumulate(following - steps) + steps
        rows.append(row)
    return [row.tolist() for row in rows]


def length(_edits: Floats, length: Floats) -> Floats:
    """Words of the references, on average."""
    return length


def score(edits: Floats, length: Floats) -> Floats:
    """Edits per word of the references; without any such word 1 for edits, else nan,
    where sacreBLEU has 0: nothing was to be translated, or TER is not counted."""
    some = length > 0
    rate = np.divide(edits, np.where(some, length, 1.0))
    return np.where(some, rate, np.where(edits > 0, 1.0, np.nan))
