"""Where the sentences of a CoNLL-U file begin, and which comments belong to them."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from scoring.counts import Integers
from scoring.formats import strips
from scoring.formats.codes import Flags
from scoring.formats.eights import told_apart
from scoring.formats.fields import WIDTH, Fields


def firsts(breaks: Integers, size: int) -> Integers:
    """The rows that sentences begin in, of `size` rows with blank lines before some.

    `breaks` are the numbers of token lines above each blank line.
    """
    inside = breaks[(breaks > 0) & (breaks < size)]
    # Two blank lines in a row end one sentence.
    return np.append(0, inside[np.diff(inside, prepend=0) > 0])


def nearest(above: Integers, blank: Flags, first: Integers) -> Integers:
    """The sentence of each comment: the one it stands in, else the next.

    Of every line that is a comment or blank, `above` says how many token lines stand
    above it; `first` are the rows that sentences begin in.
    """
    if blank.all():
        return np.zeros(0, dtype=np.int64)
    blanks = np.append(0, np.cumsum(blank))
    of_first = blanks[np.searchsorted(above, first, side="right")]
    return np.searchsorted(of_first, blanks[1:][~blank])


@dataclass(frozen=True)
class Comments:
    """The comments of a file, and the sentence each belongs to (comments,)."""

    fields: Fields
    sentence: Integers
    sentences: int

    def labels(self, key: str) -> tuple[str, ...]:
        """The value of comment `key = value` per sentence, "" where there is none."""
        rows = self._on_key(key)
        if not len(rows):
            return ("",) * self.sentences
        which, values = self._said(rows, key)
        every = range(self.sentences)
        if which == [*every]:
            return tuple(values)
        found = dict(zip(which, values, strict=True))
        return tuple(found.get(sentence, "") for sentence in every)

    def keyed(self, key: str) -> list[tuple[int, str]]:
        """Sentence and text of the comments that begin with `key`, "#" taken off."""
        rows = self._on_key(key)
        texts = (text[1:].strip() for text in self.fields.at(rows).texts())
        found = zip(self.sentence[rows].tolist(), texts, strict=True)
        return [(sentence, text) for sentence, text in found if text.startswith(key)]

    @cached_property
    def _starts(self) -> tuple[list[bytes], Integers]:
        """What comments begin with, "#" taken off, and which of it each has."""
        begins, ends = self.fields.begins, self.fields.ends
        heads = Fields(self.fields.buffer, begins, np.minimum(begins + WIDTH, ends))
        words = heads.word(0)
        sample, which = told_apart(words)
        starts = [word.tobytes()[1:].strip(b" \t\0") for word in words[sample]]
        return starts, which

    def _on_key(self, key: str) -> Integers:
        """Comments of sentences that may begin with `key`, judged by first bytes."""
        if not len(self.fields):
            return np.zeros(0, dtype=np.int64)
        starts, which = self._starts
        sought = key.encode()
        fit = [sought.startswith(x) or x.startswith(sought) for x in starts]
        return np.flatnonzero(np.array(fit)[which] & (self.sentence < self.sentences))

    def _said(self, rows: Integers, key: str) -> tuple[list[int], list[str]]:
        """Sentences of these comments and what is behind `key =`, see `value_of`."""
        which: list[int] = self.sentence[rows].tolist()
        found, usual = self.fields.at(rows), f"# {key} =".encode()
        words = len(usual) // WIDTH + 1
        starts = np.empty((len(rows), words), dtype="<u8")
        sizes = np.minimum(found.sizes, len(usual))
        heads = Fields(found.buffer, found.begins, found.begins + sizes)
        strips.fill(heads, starts)
        wanted = np.frombuffer(usual.ljust(WIDTH * words, b"\0"), dtype="<u8")
        if (starts == wanted).all():
            behind = Fields(found.buffer, found.begins + len(usual), found.ends)
            return which, [value.strip() for value in behind.texts()]
        values = (value_of(text, key) for text in found.texts())
        pairs = zip(which, values, strict=True)
        said = {i: value for i, value in pairs if value is not None}
        return [*said], [*said.values()]


def names(ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of sentences, numbers for those without one, or for all if not unique."""
    numbered = _numbered(len(ids))
    if not any(ids):
        return numbered
    found = tuple(a or b for a, b in zip(ids, numbered, strict=True))
    return found if len(set(found)) == len(found) else numbered


@lru_cache(maxsize=4)
def _numbered(size: int) -> tuple[str, ...]:
    return tuple(f"{i:07d}" for i in range(1, size + 1))


def value_of(comment: str, key: str) -> str | None:
    """What a comment says behind `key =`; None where it says nothing of the kind."""
    name, equals, value = comment[1:].partition("=")
    return value.strip() if equals and name.strip() == key else None
