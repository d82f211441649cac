"""CoNLL-U as columns: one pass over the bytes, no loop over tokens.

A `Table` knows where every field of every token line lies. Columns are cut out when
they are asked for; problems are reported with the line of the file.
"""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import MOST_PROBLEMS, Findings, Problem, Refused, ScoringError
from scoring.formats.fields import NOT_A_NUMBER, Bytes, Coded, Fields, Flags, whole
from scoring.source import normalised

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
WIDTH = 10
WORD, UNKNOWN, RANGE, EMPTY = range(4)
NEWLINE, TAB, HASH = 10, 9, 35
RANGE_ID = re.compile(r"[0-9]+-[0-9]+")
EMPTY_ID = re.compile(r"[0-9]+\.[0-9]+")
MOST_LINES = 8_000_000
BLOCK = 1 << 16


@dataclass(frozen=True)
class Table:
    """Token lines of one file, `n` of them.

    `buffer` is the text with a final newline; `stops` are the offsets of
    all tabs and newlines with -1 in front, `before` (n,) says which of them comes
    before each token line; `lines` (n,) counts from 1; `sentence_of` (n,) and
    `sentences` number the sentences from 0; `comment_fields` are the comment lines,
    `comment_sentence` the sentence each belongs to.
    """

    name: str
    buffer: Bytes
    stops: npt.NDArray[np.signedinteger]
    before: Integers
    lines: Integers
    sentence_of: Integers
    sentences: int
    comment_fields: Fields
    comment_sentence: Integers

    def field(self, column: int, rows: Integers | None = None) -> Fields:
        """Field `column` of all token lines, or of `rows`."""
        before = self.before if rows is None else self.before[rows]
        begins = _offsets(self.stops, before + column) + 1
        return Fields(self.buffer, begins, _offsets(self.stops, before + column + 1))

    def texts(self, column: int, rows: Integers | None = None) -> list[str]:
        return self.field(column, rows).texts()

    def numbers(self, column: int) -> Integers:
        """Field `column` as whole numbers (n,), NOT_A_NUMBER where it is not 0-9."""
        return self.field(column).numbers()

    def coded(self, column: int, rows: Integers | None = None) -> Coded:
        """Field `column` as codes (n,) and the list of its distinct texts."""
        return self.field(column, rows).coded()

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
        return np.flatnonzero(self.kinds == WORD)

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

    @cached_property
    def sentence_names(self) -> tuple[str, ...]:
        """sent_id of each sentence; its number, zero-padded, where that is missing.

        All are numbered when the ids are not unique.
        """
        ids = self.labels("sent_id")
        numbered = tuple(f"{i:07d}" for i in range(1, self.sentences + 1))
        if not any(ids):
            return numbered
        names = tuple(a or b for a, b in zip(ids, numbered, strict=True))
        return names if len(set(names)) == len(names) else numbered


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
    text = _text(name, data, kind)
    buffer = np.frombuffer(text, dtype=np.uint8)
    stops, ends = _stops(buffer)
    if len(ends) > MOST_LINES:
        raise kind(Problem("size", f"more than {MOST_LINES} lines", name))
    before = np.concatenate(([0], ends[:-1]))
    begins = stops[before] + 1
    blank = begins == stops[ends]
    comment = buffer[begins] == HASH
    token = np.flatnonzero(~(blank | comment))
    lines = Lines(name, buffer, begins, stops[ends], ends - before)
    _check_columns(lines, token, extra_columns, kind)
    block = np.cumsum(blank, dtype=np.int32)
    sentence_of = np.cumsum(
        np.diff(block[token], prepend=block[token[0]]) > 0, dtype=np.int64
    )
    comments = np.flatnonzero(comment)
    first_of = token[np.flatnonzero(np.diff(sentence_of, prepend=-1))]
    return Table(
        name=name,
        buffer=buffer,
        stops=stops,
        before=before[token],
        lines=token + 1,
        sentence_of=sentence_of,
        sentences=len(first_of),
        comment_fields=Fields(
            buffer,
            begins[comments].astype(np.int64),
            stops[ends[comments]].astype(np.int64),
        ),
        comment_sentence=np.searchsorted(block[first_of], block[comments]),
    )


def _text(name: str, data: bytes, kind: type[ScoringError]) -> bytes:
    try:
        text = normalised(name, data)
    except Refused as refusal:
        raise kind(refusal.problems) from None
    return text if text.endswith(b"\n") else text + b"\n"


def _stops(text: Bytes) -> tuple[npt.NDArray[np.signedinteger], Integers]:
    """-1 and the offsets of all tabs and newlines; which of them are newlines.

    The text is read in blocks that fit a processor's cache, and no further than
    MOST_LINES.
    """
    size = np.int32 if len(text) < 2**31 else np.int64
    found, newlines = [np.array([-1], dtype=size)], [np.zeros(1, dtype=np.bool_)]
    lines = 0
    for start in range(0, len(text), BLOCK):
        block = text[start : start + BLOCK]
        # Tab and newline are neighbours: one comparison finds both.
        here = np.flatnonzero(block - np.uint8(TAB) <= NEWLINE - TAB)
        newlines.append(block[here] == NEWLINE)
        found.append((here + start).astype(size, copy=False))
        lines += int(np.count_nonzero(newlines[-1]))
        if lines > MOST_LINES:
            break
    return np.concatenate(found), np.flatnonzero(np.concatenate(newlines))


def cut(buffer: Bytes, begins: Integers, ends: Integers) -> list[str]:
    """The text between each pair of offsets; no field holds a newline."""
    return Fields(buffer, begins, ends).texts()


def _offsets(of: npt.NDArray[np.signedinteger], rows: Integers) -> Integers:
    return of[rows].astype(np.int64, copy=False)


@dataclass(frozen=True)
class Lines:
    """All lines of a file, for its refusal: offsets and tabs in each, plus one."""

    name: str
    buffer: Bytes
    begins: npt.NDArray[np.signedinteger]
    ends: npt.NDArray[np.signedinteger]
    columns: Integers


def _check_columns(
    lines: Lines, token: Integers, extra: bool, kind: type[ScoringError]
) -> None:
    findings = Findings(lines.name)
    if not len(token):
        message = "no token line found; expected CoNLL-U with ten tab-separated columns"
        findings.add("no_sentences", message, line=1)
        findings.raise_if_any(kind)
    columns = lines.columns[token]
    wrong = token[(columns < WIDTH) if extra else (columns != WIDTH)]
    for line in capped(wrong, findings):
        message = (
            f"expected ten columns separated by tabs, found {lines.columns[line]}."
        )
        findings.add("columns", message, line=line + 1, hint=_hint(lines, line))
    findings.raise_if_any(kind)


def _hint(lines: Lines, line: int) -> str:
    text = lines.buffer[lines.begins[line] : lines.ends[line]].tobytes()
    spaces = b"\t" not in text and len(text.split(maxsplit=WIDTH)) >= WIDTH
    return "Separate columns with tabs, not spaces." if spaces else ""


def capped(rows: Integers | Flags, findings: Findings) -> list[int]:
    """The rows worth a message each; the rest is only counted."""
    shown: list[int] = rows[:MOST_PROBLEMS].tolist()
    findings.left_out += len(rows) - len(shown)
    return shown
