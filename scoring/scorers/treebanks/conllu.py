"""CoNLL-U as columns: one pass over the bytes, no loop over tokens.

A `ConlluTable` knows where every field of every token line lies. Columns are cut out
when they are asked for; problems are reported with the line of the file.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.errors import Problem, Refused, ScoringError
from scoring.formats import field_prefixes
from scoring.formats.codes import Coded, merge_codes
from scoring.formats.field_prefixes import Prefixes, distinct
from scoring.formats.fields import NEWLINE as NEWLINE
from scoring.formats.fields import (
    NOT_A_NUMBER,
    WORD_BYTES,
    Fields,
    in_a_row,
    whole,
)
from scoring.messages import Messages, _
from scoring.scorers.treebanks import lines
from scoring.scorers.treebanks.lines import (
    ALL_STOPS,
    FieldPrefixes,
    Lines,
    Offsets,
    Prefetch,
)
from scoring.source import Bytes

MESSAGES = Messages(
    no_token=_("no token line found; expected CoNLL-U with ten tab-separated columns"),
)


def firsts(breaks: Integers, size: int) -> Integers:
    """The rows that sentences begin in, of `size` rows with blank lines before some.
    `breaks` are the numbers of token lines above each blank line."""
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
        which, values = self._values_of_key(rows, key)
        every = range(self.sentences)
        if which == [*every]:
            return tuple(values)
        by_sentence = dict(zip(which, values, strict=True))
        return tuple(by_sentence.get(sentence, "") for sentence in every)

    def keyed(self, key: str) -> list[tuple[int, str]]:
        """Sentence and text of the comments that begin with `key`, "#" taken off."""
        rows = self._on_key(key)
        texts = (text[1:].strip() for text in self.fields.at(rows).texts())
        pairs = zip(self.sentence[rows].tolist(), texts, strict=True)
        return [(sentence, text) for sentence, text in pairs if text.startswith(key)]

    @cached_property
    def _starts(self) -> tuple[list[bytes], Integers]:
        """Beginnings of comments, "#" taken off, and which of them each has."""
        begins, ends = self.fields.begins, self.fields.ends
        prefixes = Fields(
            self.fields.buffer, begins, np.minimum(begins + WORD_BYTES, ends)
        )
        words = field_prefixes.fill(prefixes, np.empty((len(prefixes), 1), "<u8"))[:, 0]
        sample, which = distinct(words)
        starts = [word.tobytes()[1:].strip(b" \t\0") for word in words[sample]]
        return starts, which

    def on_keys(self, keys: Collection[str]) -> Integers:
        """Comments of sentences that may begin with one of the keys."""
        return np.unique(np.concatenate([self._on_key(key) for key in keys]))

    def _on_key(self, key: str) -> Integers:
        """Comments of sentences that may begin with `key`, judged by first bytes."""
        if not len(self.fields):
            return np.zeros(0, dtype=np.int64)
        starts, which = self._starts
        sought = key.encode()
        fit = [sought.startswith(x) or x.startswith(sought) for x in starts]
        return np.flatnonzero(np.array(fit)[which] & (self.sentence < self.sentences))

    def _values_of_key(self, rows: Integers, key: str) -> tuple[list[int], list[str]]:
        """Sentences of these comments and what is behind `key =`, see `value_of`."""
        which: list[int] = self.sentence[rows].tolist()
        comments, usual = self.fields.at(rows), f"# {key} =".encode()
        words = len(usual) // WORD_BYTES + 1
        starts = np.empty((len(rows), words), dtype="<u8")
        sizes = np.minimum(comments.sizes, len(usual))
        prefixes = Fields(comments.buffer, comments.begins, comments.begins + sizes)
        field_prefixes.fill(prefixes, starts)
        wanted = np.frombuffer(usual.ljust(WORD_BYTES * words, b"\0"), dtype="<u8")
        if (starts == wanted).all():
            behind = Fields(
                comments.buffer, comments.begins + len(usual), comments.ends
            )
            return which, [value.strip() for value in behind.texts()]
        values = (value_of(text, key) for text in comments.texts())
        pairs = zip(which, values, strict=True)
        by_sentence = {i: value for i, value in pairs if value is not None}
        return [*by_sentence], [*by_sentence.values()]


def unique_names(ids: tuple[str, ...]) -> tuple[str, ...]:
    """The ids of sentences, numbers for those without one, or for all if not unique."""
    numbered = tuple(f"{i:07d}" for i in range(1, len(ids) + 1))
    if not any(ids):
        return numbered
    names = tuple(a or b for a, b in zip(ids, numbered, strict=True))
    return names if len(set(names)) == len(names) else numbered


def value_of(comment: str, key: str) -> str | None:
    """Value behind `key =` in a comment; None where there is none."""
    name, equals, value = comment[1:].partition("=")
    return value.strip() if equals and name.strip() == key else None


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

    `token` (n,) are their places in `all_lines`; `first` (sentences,) are the
    rows that sentences begin in; `comment_fields` are the comment lines,
    `comment_sentence` the sentence each belongs to, `comment_lines` their numbers from
    1; `prefetched` are the prefixes of the fields that were asked for.
    """

    all_lines: Lines
    token: Integers
    first: Integers
    comment_fields: Fields
    comment_sentence: Integers
    comment_lines: Integers
    prefetched: FieldPrefixes

    def __len__(self) -> int:
        return len(self.token)

    @property
    def name(self) -> str:
        return self.all_lines.name

    @property
    def buffer(self) -> Bytes:
        return self.all_lines.buffer

    @cached_property
    def before(self) -> Integers:
        """Index of the stop in `all_lines` that comes before each token line (n,)."""
        return self.all_lines.before[self.token]

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
        begins = _offsets(self.all_lines.stops, before + column) + 1
        return Fields(
            self.buffer, begins, _offsets(self.all_lines.stops, before + column + 1)
        )

    def _too_few(self, rows: Integers | slice | None) -> TypeGuard[Integers]:
        """Whether looking for all stops takes longer than cutting these rows."""
        few = isinstance(rows, np.ndarray) and len(rows) * MANY < len(self)
        return few and not self.all_lines.has_stops()

    def _cut_out(self, column: int, rows: Integers) -> Fields:
        text, begins, ends = self.all_lines.text, [], []
        for begin in self.all_lines.begins[self.token[rows]].tolist():
            for _tab in range(column):
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
        prefixes = self.prefixes(column, rows)
        text, odd = (
            field_prefixes.join_fields(prefixes),
            field_prefixes.unfinished_rows(prefixes),
        )
        if not len(odd):
            return text
        texts = text.split("\n")
        for place, whole_text in zip(odd, self.texts(column, rows[odd]), strict=True):
            texts[place] = whole_text
        return "\n".join(texts)

    def numbers(self, column: int, rows: Integers | None = None) -> Integers:
        """Field `column` as whole numbers (n,), NOT_A_NUMBER where it is not 0-9."""
        return self._numbers(column, rows, Fields.numbers)

    def whole(self, column: int, rows: Integers | None = None) -> Integers:
        """The numbers of `numbers` and all others that Python reads as whole (n,)."""
        return self._numbers(column, rows, Fields.whole)

    def _numbers(
        self, column: int, rows: Integers | None, read: Callable[[Fields], Integers]
    ) -> Integers:
        digits = self.prefetched.digits.get(column)
        if digits is None:
            parts = [read(self.field(column, part)) for part in self.parts(rows)]
            return in_a_row(parts, np.int64)
        values, odd = field_prefixes.numbers(digits)
        if len(odd):
            values[odd] = read(self.field(column, odd))
        return values if rows is None else values[rows]

    def coded(self, column: int, rows: Integers | slice | None = None) -> Coded:
        """Field `column` as codes (n,) and the list of its distinct texts."""
        if isinstance(rows, slice):
            return self._code_column(column, rows)
        return merge_codes(
            [self._code_column(column, part) for part in self.parts(rows)]
        )

    def _code_column(self, column: int, rows: Integers | slice) -> Coded:
        coded, odd = field_prefixes.code_fields(self.prefixes(column, rows))
        if not len(odd):
            return coded
        rest = self.field(column, np.arange(len(self))[rows][odd]).coded()
        coded.codes[odd] = rest.codes + len(coded.values)
        return Coded(coded.codes, coded.values + rest.values)

    def prefixes(self, column: int, rows: Integers | slice) -> Prefixes:
        """Prefixes of field `column`, see `scoring.formats.field_prefixes`."""
        prefixes = self.prefetched.prefixes.get(column)
        if prefixes is not None:
            return prefixes[rows]
        return field_prefixes.prefixes_of(self.field(column, rows))

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
        texts = (text[1:].strip() for text in self.comment_fields.texts())
        return list(zip(self.comment_sentence.tolist(), texts, strict=True))

    def labels(self, key: str) -> tuple[str, ...]:
        """The value of comment `key = value` per sentence, "" where there is none."""
        return self.said.labels(key)

    def keyed(self, key: str) -> list[tuple[int, str]]:
        """Sentence and text of the comments that begin with `key`, "#" taken off."""
        return self.said.keyed(key)

    @cached_property
    def said(self) -> Comments:
        return Comments(self.comment_fields, self.comment_sentence, self.sentences)

    def first_line(self, sentence: int) -> int:
        """Line on which a sentence begins, its comments included."""
        line = self.lines[np.searchsorted(self.sentence_of, sentence)]
        above = self.comment_lines[self.comment_sentence == sentence]
        return int(min([line, *above[:1]]))

    @cached_property
    def sentence_names(self) -> tuple[str, ...]:
        """sent_id of each sentence; its number, zero-padded, where that is missing. All
        are numbered when the ids are not unique."""
        return unique_names(self.labels("sent_id"))


def _identity(text: str) -> int:
    if RANGE_ID.fullmatch(text):
        return -RANGE
    return -EMPTY if EMPTY_ID.fullmatch(text) else whole(text)


def read(
    name: str,
    data: bytes,
    kind: type[ScoringError] = Refused,
    extra_columns: bool = False,
    prefetch: Prefetch = ALL_STOPS,
) -> ConlluTable:
    """Read CoNLL-U bytes (UTF-8, BOM and CRLF accepted, double blank lines too).

    What is in `prefetch` is fetched at once.
    Raises `kind` when lines have not exactly ten tab-separated columns
    (`extra_columns`: at least ten), or when the file holds no sentence.
    """
    file_lines = lines.read(name, data, kind, prefetch)
    others = file_lines.blank | file_lines.comment
    token = np.flatnonzero(~others)
    if not len(token):
        message = MESSAGES("no_token")
        raise kind(Problem("no_sentences", message, name, 1))
    lines.check_columns(file_lines, token, kind, extra_columns)
    return _table(file_lines, token, np.flatnonzero(others))


def _table(file_lines: Lines, token: Integers, others: Integers) -> ConlluTable:
    """`token` and `others` are the lines that are token lines and that are none."""
    blank = file_lines.blank[others]
    # So many token lines stand above each of the others.
    above = others - np.arange(len(others))
    first = firsts(above[blank], len(token))
    comments = others[~blank]
    begins = file_lines.begins[comments].astype(np.int64)
    return ConlluTable(
        all_lines=file_lines,
        token=token,
        first=first,
        comment_fields=Fields(file_lines.buffer, begins, file_lines.ends(comments)),
        comment_sentence=nearest(above, blank, first),
        comment_lines=comments + 1,
        prefetched=file_lines.prefetched.of(token),
    )


def _offsets(of: Offsets, rows: Integers | slice) -> Integers:
    return of[rows].astype(np.int64, copy=False)


Labels = tuple[str, ...]
# What `groupings` and names of sentences are made of.
GROUPING_KEYS = "sent_id", "newdoc", "genre", "meta::genre"
BANDS = (10, 20, 30, 40)


def groupings(table: ConlluTable | Comments, sizes: Integers) -> dict[str, Labels]:
    """A label per sentence and grouping; `sizes` (sentences,) are words in each.
    Documents and genres are left out where the file has none."""
    groups = {"length": lengths(sizes)}
    document, genre = documents(table), genres(table)
    if document:
        groups["document"] = document
    if any(genre):
        groups["genre"] = genre
    return groups


def documents(table: ConlluTable | Comments) -> Labels:
    """The document of each sentence, empty where no comment says `newdoc`. A document
    without an id, or with an id met before, is called by its number."""
    begins = _newdocs(table)
    if not begins:
        return ()
    begins = begins if 0 in begins else {0: "", **begins}
    uses = Counter(begins.values())
    names = [
        name if name and uses[name] == 1 else f"document {i}"
        for i, name in enumerate(begins.values(), 1)
    ]
    return _labels_from_starts(dict(zip(begins, names, strict=True)), table.sentences)


def genres(table: ConlluTable | Comments) -> Labels:
    """The genre of each sentence: `genre` or `meta::genre`, up to the next document."""
    own = table.labels("genre")
    if table.keyed("meta::genre"):
        others = table.labels("meta::genre")
        own = tuple(a or b for a, b in zip(own, others, strict=True))
    if not any(own):
        return own
    begins = _newdocs(table)
    starts = {i: name for i, name in enumerate(own) if name or i in begins}
    return _labels_from_starts(starts, table.sentences)


def lengths(sizes: Integers) -> Labels:
    """Bands of ten words: 1-10, 11-20, 21-30, 31-40, 41+."""
    names = [*(f"{top - 9}-{top}" for top in BANDS), f"{BANDS[-1] + 1}+"]
    bands = np.clip((sizes - 1) // 10, 0, len(BANDS))
    return tuple(np.array(names, dtype=object)[bands].tolist())


def _newdocs(table: ConlluTable | Comments) -> dict[int, str]:
    """The sentences that begin a document, with its id or ""."""
    begins = {}
    for sentence, text in table.keyed("newdoc"):
        name, _, value = text.partition("=")
        if name.split() in (["newdoc"], ["newdoc", "id"]):
            begins[sentence] = value.strip()
    return begins


def _labels_from_starts(starts: dict[int, str], size: int) -> Labels:
    labels, label = [], ""
    for i in range(size):
        label = starts.get(i, label)
        labels.append(label)
    return tuple(labels)
