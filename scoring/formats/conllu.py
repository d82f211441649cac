"""CoNLL-U as columns: one pass over the bytes, no loop over tokens.

A `Table` knows where every field of every token line lies. Columns are cut out when
they are asked for; problems are reported with the line of the file.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import Problem, Refused, ScoringError
from scoring.formats import eights, lines, sentences, strips
from scoring.formats.codes import Coded, merged
from scoring.formats.eights import Heads
from scoring.formats.fields import NEWLINE as NEWLINE
from scoring.formats.fields import NOT_A_NUMBER, Bytes, Fields, in_a_row, whole
from scoring.formats.lines import ALL_STOPS, Beginnings, Lines, Offsets, Prefetch
from scoring.formats.lines import capped as capped
from scoring.formats.sentences import Comments

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
WIDTH = 10
WORD, UNKNOWN, RANGE, EMPTY = range(4)
RANGE_ID = re.compile(r"[0-9]+-[0-9]+")
EMPTY_ID = re.compile(r"[0-9]+\.[0-9]+")
ROWS = 1 << 15
# Where one row in this many is asked for, only these lines are looked at.
MANY = 64


@dataclass(frozen=True)
class ConlluTable:
    """Token lines of one file, `n` of them.

    `token` (n,) are their places in the lines `found`; `first` (sentences,) are the
    rows that sentences begin in; `comment_fields` are the comment lines,
    `comment_sentence` the sentence each belongs to, `comment_lines` their numbers from
    1; `kept` are the beginnings of the fields that were asked for.
    """

    found: Lines
    token: Integers
    first: Integers
    comment_fields: Fields
    comment_sentence: Integers
    comment_lines: Integers
    kept: Beginnings

    def __len__(self) -> int:
        return len(self.token)

    @property
    def name(self) -> str:
        return self.found.name

    @property
    def buffer(self) -> Bytes:
        return self.found.buffer

    @cached_property
    def before(self) -> Integers:
        """Which of the stops in `found` comes before each token line (n,)."""
        return self.found.before[self.token]

    @cached_property
    def lines(self) -> Integers:
        """The line of each token line in the file (n,), from 1."""
        return self.token + 1

    @property
    def sentences(self) -> int:
        return len(self.first)

    @cached_property
    def sentence_of(self) -> Integers:
        """The sentence of each token line (n,), from 0."""
        return np.repeat(np.arange(self.sentences), self.sizes)

    @cached_property
    def sizes(self) -> Integers:
        """Token lines per sentence (sentences,)."""
        return np.diff(self.first, append=len(self))

    @cached_property
    def places(self) -> Integers:
        """Position of each token line in its sentence (n,), from 1."""
        return np.arange(1, len(self) + 1) - np.repeat(self.first, self.sizes)

    @cached_property
    def plain(self) -> bool:
        """Whether all token lines are words with IDs 1, 2, 3, ... in each sentence."""
        return bool((self.ids == self.places).all())

    def field(self, column: int, rows: Integers | slice | None = None) -> Fields:
        """Field `column` of all token lines, or of `rows`."""
        if column < WIDTH - 1 and self._too_few(rows):
            return self._cut_out(column, rows)
        before = self.before if rows is None else self.before[rows]
        begins = _offsets(self.found.stops, before + column) + 1
        return Fields(
            self.buffer, begins, _offsets(self.found.stops, before + column + 1)
        )

    def _too_few(self, rows: Integers | slice | None) -> TypeGuard[Integers]:
        """Whether looking for all stops takes longer than cutting these rows."""
        few = isinstance(rows, np.ndarray) and len(rows) * MANY < len(self)
        return few and not self.found.has_stops()

    def _cut_out(self, column: int, rows: Integers) -> Fields:
        text, begins, ends = self.found.text, [], []
        for begin in self.found.begins[self.token[rows]].tolist():
            for _ in range(column):
                begin = text.index(b"\t", begin) + 1
            begins.append(begin)
            ends.append(text.index(b"\t", begin))
        offsets = np.array([begins, ends], dtype=np.int64)
        return Fields(self.buffer, offsets[0], offsets[1])

    def parts(self, rows: Integers | None = None) -> Iterator[Integers | slice]:
        """All rows, or these, some thousands at a time."""
        size = len(self) if rows is None else len(rows)
        for start in range(0, size, ROWS):
            part = slice(start, start + ROWS)
            yield part if rows is None else rows[part]

    def texts(self, column: int, rows: Integers | None = None) -> list[str]:
        return self.field(column, rows).texts()

    def joined(self, column: int, rows: Integers) -> str:
        """Field `column` of `rows`, each followed by a newline."""
        heads = self.beginnings(column, rows)
        found, odd = eights.joined(heads), eights.unfinished(heads)
        if not len(odd):
            return found
        texts = found.split("\n")
        for place, text in zip(odd, self.texts(column, rows[odd]), strict=True):
            texts[place] = text
        return "\n".join(texts)

    def numbers(self, column: int, rows: Integers | None = None) -> Integers:
        """Field `column` as whole numbers (n,), NOT_A_NUMBER where it is not 0-9."""
        return self._numbers(column, rows, Fields.numbers)

    def whole(self, column: int, rows: Integers | None = None) -> Integers:
        """As `numbers`, what Python reads as a whole number included."""
        return self._numbers(column, rows, Fields.whole)

    def _numbers(
        self,
        column: int,
        rows: Integers | None,
        read: Callable[[Fields], Integers],
    ) -> Integers:
        digits = self.kept.digits.get(column)
        if digits is None:
            found = [read(self.field(column, part)) for part in self.parts(rows)]
            return in_a_row(found, np.int64)
        values, odd = eights.numbers(digits)
        if len(odd):
            values[odd] = read(self.field(column, odd))
        return values if rows is None else values[rows]

    def coded(self, column: int, rows: Integers | slice | None = None) -> Coded:
        """Field `column` as codes (n,) and the list of its distinct texts."""
        if isinstance(rows, slice):
            return self._coded(column, rows)
        return merged([self._coded(column, part) for part in self.parts(rows)])

    def _coded(self, column: int, rows: Integers | slice) -> Coded:
        found, odd = eights.coded(self.beginnings(column, rows))
        if not len(odd):
            return found
        rest = self.field(column, np.arange(len(self))[rows][odd]).coded()
        found.codes[odd] = rest.codes + len(found.values)
        return Coded(found.codes, found.values + rest.values)

    def beginnings(self, column: int, rows: Integers | slice) -> Heads:
        """The first bytes of field `column`, see `scoring.formats.eights`."""
        heads = self.kept.heads.get(column)
        if heads is not None:
            return heads[rows]
        return strips.beginnings_of(self.field(column, rows))

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
        every = self.plain or len(self.words) == len(self)
        return None if every else self.words

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """Every comment with the sentence it belongs to, "#" and blanks taken off."""
        found = (text[1:].strip() for text in self.comment_fields.texts())
        return list(zip(self.comment_sentence.tolist(), found, strict=True))

    def labels(self, key: str) -> tuple[str, ...]:
        """The value of comment `key = value` per sentence, "" where there is none."""
        return self._comments.labels(key)

    def keyed(self, key: str) -> list[tuple[int, str]]:
        """Sentence and text of the comments that begin with `key`, "#" taken off."""
        return self._comments.keyed(key)

    @cached_property
    def _comments(self) -> Comments:
        return Comments(self.comment_fields, self.comment_sentence, self.sentences)

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
        return sentences.names(self.labels("sent_id"))


def _identity(text: str) -> int:
    if RANGE_ID.fullmatch(text):
        return -RANGE
    return -EMPTY if EMPTY_ID.fullmatch(text) else whole(text)


def read(
    name: str,
    data: bytes,
    kind: type[ScoringError] = Refused,
    extra_columns: bool = False,
    kept: Prefetch = ALL_STOPS,
) -> ConlluTable:
    """Read CoNLL-U bytes (UTF-8, BOM and CRLF accepted, double blank lines too).

    What is in `kept` is fetched at once.
    Raises `kind` when lines have not exactly ten tab-separated columns
    (`extra_columns`: at least ten), or when the file holds no sentence.
    """
    found = lines.read(name, data, kind, kept)
    others = found.blank | found.comment
    token = np.flatnonzero(~others)
    if not len(token):
        message = "no token line found; expected CoNLL-U with ten tab-separated columns"
        raise kind(Problem("no_sentences", message, name, 1))
    lines.check_columns(found, token, kind, extra_columns)
    return _table(found, token, np.flatnonzero(others))


def _table(found: Lines, token: Integers, others: Integers) -> ConlluTable:
    """`token` and `others` are the lines that are token lines and that are none."""
    blank = found.blank[others]
    # So many token lines stand above each of the others.
    above = others - np.arange(len(others))
    first = sentences.firsts(above[blank], len(token))
    comments = others[~blank]
    begins = found.begins[comments].astype(np.int64)
    return ConlluTable(
        found=found,
        token=token,
        first=first,
        comment_fields=Fields(found.buffer, begins, found.ends(comments)),
        comment_sentence=sentences.nearest(above, blank, first),
        comment_lines=comments + 1,
        kept=found.kept.of(token),
    )


def _offsets(of: Offsets, rows: Integers | slice) -> Integers:
    return of[rows].astype(np.int64, copy=False)
