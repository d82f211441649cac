"""CoNLL-U as columns: one pass over the bytes, no loop over tokens.

A `Table` knows where every field of every token line lies. Columns are cut out when
they are asked for; problems are reported with the line of the file.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import Problem, Refused, ScoringError
from scoring.formats import lines
from scoring.formats.codes import Coded, merged
from scoring.formats.fields import NEWLINE as NEWLINE
from scoring.formats.fields import NOT_A_NUMBER, Bytes, Fields, in_a_row, whole
from scoring.formats.lines import Lines, Offsets
from scoring.formats.lines import capped as capped

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
WIDTH = 10
WORD, UNKNOWN, RANGE, EMPTY = range(4)
RANGE_ID = re.compile(r"[0-9]+-[0-9]+")
EMPTY_ID = re.compile(r"[0-9]+\.[0-9]+")
ROWS = 1 << 15


@dataclass(frozen=True)
class Table:
    """Token lines of one file, `n` of them.

    `buffer` is the text with a final newline; `stops` are the offsets of all tabs and
    newlines with -1 in front, `before` (n,) says which of them comes before each
    token line; `lines` (n,) counts from 1; `sentence_of` (n,) and
    `sentences` number the sentences from 0; `comment_fields` are the comment lines,
    `comment_sentence` the sentence each belongs to, `comment_lines` their numbers.
    """

    name: str
    buffer: Bytes
    stops: Offsets
    before: Integers
    lines: Integers
    sentence_of: Integers
    sentences: int
    comment_fields: Fields
    comment_sentence: Integers
    comment_lines: Integers

    def field(self, column: int, rows: Integers | slice | None = None) -> Fields:
        """Field `column` of all token lines, or of `rows`."""
        before = self.before if rows is None else self.before[rows]
        begins = _offsets(self.stops, before + column) + 1
        return Fields(self.buffer, begins, _offsets(self.stops, before + column + 1))

    def parts(self, rows: Integers | None = None) -> Iterator[Integers | slice]:
        """All rows, or these, some thousands at a time."""
        size = len(self.lines) if rows is None else len(rows)
        for start in range(0, size, ROWS):
            part = slice(start, start + ROWS)
            yield part if rows is None else rows[part]

    def texts(self, column: int, rows: Integers | None = None) -> list[str]:
        return self.field(column, rows).texts()

    def numbers(self, column: int, rows: Integers | None = None) -> Integers:
        """Field `column` as whole numbers (n,), NOT_A_NUMBER where it is not 0-9."""
        found = [self.field(column, part).numbers() for part in self.parts(rows)]
        return in_a_row(found, np.int64)

    def whole(self, column: int, rows: Integers | None = None) -> Integers:
        """As `numbers`, what Python reads as a whole number included."""
        found = [self.field(column, part).whole() for part in self.parts(rows)]
        return in_a_row(found, np.int64)

    def coded(self, column: int, rows: Integers | None = None) -> Coded:
        """Field `column` as codes (n,) and the list of its distinct texts."""
        return merged([self.field(column, part).coded() for part in self.parts(rows)])

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        """WORD, RANGE ("1-2"), EMPTY ("1.1") or UNKNOWN for every token line."""
        kinds = np.minimum(self.ids, 0)
        return np.negative(kinds).astype(np.int8)

    @cached_property
    def ids(self) -> Integers:
        """The ID of every word (n,); for other lines their kind, negative."""
        ids = self.numbers(ID)
        odd = np.flatnonzero(ids == NOT_A_NUMBER)
        if len(odd):
            ids[odd] = self.coded(ID, odd).mapped(_identity)
        return ids

    @cached_property
    def words(self) -> Integers:
        """Rows of ordinary words, ranges and empty nodes left out."""
        return np.flatnonzero(self.ids > NOT_A_NUMBER)

    @property
    def some_words(self) -> Integers | None:
        """`words`, or None where every token line is a word: no need to pick."""
        return None if len(self.words) == len(self.lines) else self.words

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """Every comment with the sentence it belongs to, "#" and blanks taken off."""
        found = (text[1:].strip() for text in self.comment_fields.texts())
        return list(zip(self.comment_sentence.tolist(), found, strict=True))

    def labels(self, key: str, carried: bool = False) -> tuple[str, ...]:
        """The value of comment `key = value` per sentence, "" where there is none.

        `carried` keeps a value until the next one.
        """
        values = [""] * self.sentences
        for sentence, text in self.keyed(key):
            name, equals, value = text.partition("=")
            if equals and name.strip() == key:
                values[sentence] = value.strip()
        if carried:
            for i in range(1, len(values)):
                values[i] = values[i] or values[i - 1]
        return tuple(values)

    def keyed(self, key: str) -> list[tuple[int, str]]:
        """Sentence and text of the comments that begin with `key`, "#" taken off."""
        rows = self._comments_on(key)
        rows = rows[self.comment_sentence[rows] < self.sentences]
        sentences = self.comment_sentence[rows].tolist()
        texts = self.comment_fields.at(rows).texts()
        found = zip(sentences, (text[1:].strip() for text in texts), strict=True)
        return [(sentence, text) for sentence, text in found if text.startswith(key)]

    def _comments_on(self, key: str) -> Integers:
        """Comments that may begin with `key`, judged by their first bytes."""
        if not len(self.comment_fields):
            return np.zeros(0, dtype=np.int64)
        begins, ends = self.comment_fields.begins, self.comment_fields.ends
        heads = Fields(self.buffer, begins, np.minimum(begins + 8, ends))
        sought = key.encode()
        words, which = np.unique(heads.word(0), return_inverse=True)
        starts = [word.tobytes()[1:].strip(b" \t\0") for word in words.astype("<u8")]
        fit = [sought.startswith(start) or start.startswith(sought) for start in starts]
        return np.flatnonzero(np.array(fit)[which])

    def first_line(self, sentence: int) -> int:
        """Line on which a sentence begins, its comments included."""
        line = self.lines[np.searchsorted(self.sentence_of, sentence)]
        above = self.comment_lines[self.comment_sentence == sentence]
        return int(min([line, *above[:1]]))

    @cached_property
    def sentence_names(self) -> tuple[str, ...]:
        """sent_id of each sentence; its number, zero-padded, where that is missing.

        All are numbered when the ids are not unique.
        """
        ids = self.labels("sent_id")
        numbered = _numbered(self.sentences)
        if not any(ids):
            return numbered
        names = tuple(a or b for a, b in zip(ids, numbered, strict=True))
        return names if len(set(names)) == len(names) else numbered


@lru_cache(maxsize=4)
def _numbered(size: int) -> tuple[str, ...]:
    return tuple(f"{i:07d}" for i in range(1, size + 1))


def _identity(text: str) -> int:
    if RANGE_ID.fullmatch(text):
        return -RANGE
    return -EMPTY if EMPTY_ID.fullmatch(text) else whole(text)


def read(
    name: str,
    data: bytes,
    kind: type[ScoringError] = Refused,
    extra_columns: bool = False,
) -> Table:
    """Read CoNLL-U bytes (UTF-8, BOM and CRLF accepted, double blank lines too).

    Raises `kind` when lines have not exactly ten tab-separated columns
    (`extra_columns`: at least ten), or when the file holds no sentence.
    """
    found = lines.read(name, data, kind)
    token = np.flatnonzero(~(found.blank | found.comment))
    if not len(token):
        message = "no token line found; expected CoNLL-U with ten tab-separated columns"
        raise kind(Problem("no_sentences", message, name, 1))
    lines.check_columns(found, token, kind, extra_columns)
    return _table(found, token)


def _table(found: Lines, token: Integers) -> Table:
    block = np.cumsum(found.blank, dtype=np.int32)
    of_token = block[token]
    sentence_of = np.cumsum(np.diff(of_token, prepend=of_token[0]) > 0, dtype=np.int64)
    first = np.flatnonzero(np.diff(sentence_of, prepend=-1))
    comments = np.flatnonzero(found.comment)
    begins, ends = _offsets(found.begins, comments), _offsets(found.ends, comments)
    return Table(
        name=found.name,
        buffer=found.buffer,
        stops=found.stops,
        before=found.before[token],
        lines=token + 1,
        sentence_of=sentence_of,
        sentences=len(first),
        comment_fields=Fields(found.buffer, begins, ends),
        comment_sentence=np.searchsorted(of_token[first], block[comments]),
        comment_lines=comments + 1,
    )


def _offsets(of: Offsets, rows: Integers | slice) -> Integers:
    return of[rows].astype(np.int64, copy=False)
