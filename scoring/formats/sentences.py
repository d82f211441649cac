"""Where the sentences of a CoNLL-U file begin, and which comments belong to them."""

import numpy as np

from scoring.counts import Integers
from scoring.formats.codes import Flags
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


def on_key(comments: Fields, key: str) -> Integers:
    """Comments that may begin with `key`, judged by their first bytes."""
    if not len(comments):
        return np.zeros(0, dtype=np.int64)
    begins, ends = comments.begins, comments.ends
    heads = Fields(comments.buffer, begins, np.minimum(begins + WIDTH, ends))
    sought = key.encode()
    words, which = np.unique(heads.word(0), return_inverse=True)
    starts = [word.tobytes()[1:].strip(b" \t\0") for word in words.astype("<u8")]
    fit = [sought.startswith(start) or start.startswith(sought) for start in starts]
    return np.flatnonzero(np.array(fit)[which])


def value_of(comment: str, key: str) -> str | None:
    """What a comment says behind `key =`; None where it says nothing of the kind."""
    usual = f"# {key} ="
    if comment.startswith(usual):
        return comment[len(usual) :].strip()
    name, equals, value = comment[1:].partition("=")
    return value.strip() if equals and name.strip() == key else None
