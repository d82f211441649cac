"""CoNLL-U as columns: one pass over the bytes, no loop over tokens.

A `Table` knows where every field of every token line lies. Columns are cut out when
they are asked for; problems are reported with the line of the file.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from scoring.counts import Integers
from scoring.errors import Findings, Refused, ScoringError
from scoring.source import normalised

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
WIDTH = 10
WORD, RANGE, EMPTY = 0, 1, 2
NEWLINE, TAB, HASH, MINUS = 10, 9, 35, 45
MOST_DIGITS = 9
NOT_A_NUMBER = -1

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Table:
    """Token lines of one file, `n` of them.

    `buffer` is the text with a final newline; `begins` and `ends` (n, 10) are the
    offsets of the fields; `lines` (n,) counts from 1; `sentence_of` (n,) and
    `sentences` number the sentences from 0; `comment_begins` and `comment_ends` are
    offsets of comment lines, `comment_sentence` the sentence each belongs to.
    """

    name: str
    buffer: Bytes
    begins: Integers
    ends: Integers
    lines: Integers
    sentence_of: Integers
    sentences: int
    comment_begins: Integers
    comment_ends: Integers
    comment_sentence: Integers

    def texts(self, column: int, rows: Integers | None = None) -> list[str]:
        """Field `column` of all token lines, or of `rows`."""
        begins, ends = self.begins[:, column], self.ends[:, column]
        if rows is not None:
            begins, ends = begins[rows], ends[rows]
        return cut(self.buffer, begins, ends)

    def numbers(self, column: int) -> Integers:
        """Field `column` as whole numbers (n,), NOT_A_NUMBER where it is not 0-9."""
        return numbers(self.buffer, self.begins[:, column], self.ends[:, column])

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        """WORD, RANGE ("1-2") or EMPTY ("1.1") of every token line."""
        kinds = np.zeros(len(self.lines), dtype=np.int8)
        odd = np.flatnonzero(self.numbers(ID) == NOT_A_NUMBER)
        for row, text in zip(odd, self.texts(ID, odd), strict=True):
            kinds[row] = EMPTY if "." in text else RANGE
        return kinds

    @cached_property
    def words(self) -> Integers:
        """Rows of ordinary words, ranges and empty nodes left out."""
        return np.flatnonzero(self.kinds == WORD)

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """Every comment with the sentence it belongs to, "#" and blanks taken off."""
        texts = cut(self.buffer, self.comment_begins, self.comment_ends)
        found = (text[1:].strip() for text in texts)
        return list(zip(self.comment_sentence.tolist(), found, strict=True))

    def labels(self, key: str, carried: bool = False) -> tuple[str, ...]:
        """The value of comment `key = value` per sentence, "" where there is none.

        `carried` keeps a value until the next one (newdoc id).
        """
        values = [""] * self.sentences
        for sentence, text in self.comments:
            name, equals, value = text.partition("=")
            if equals and name.strip() == key and sentence < self.sentences:
                values[sentence] = value.strip()
        if carried:
            for i in range(1, len(values)):
                values[i] = values[i] or values[i - 1]
        return tuple(values)

    @cached_property
    def sentence_names(self) -> tuple[str, ...]:
        """sent_id of each sentence; its number, zero-padded, where that is missing.

        All are numbered when the ids are not unique.
        """
        ids = self.labels("sent_id")
        numbered = tuple(f"{i:07d}" for i in range(1, self.sentences + 1))
        names = tuple(a or b for a, b in zip(ids, numbered, strict=True))
        return names if len(set(names)) == len(names) else numbered


def cut(buffer: Bytes, begins: Integers, ends: Integers) -> list[str]:
    """The text between each pair of offsets; no field holds a newline."""
    if not len(begins):
        return []
    sizes = ends - begins + 1
    last = np.cumsum(sizes)
    source = np.arange(last[-1]) + np.repeat(begins - last + sizes, sizes)
    fields = buffer[source]
    fields[last - 1] = NEWLINE
    return fields.tobytes().decode("utf-8").split("\n")[:-1]


def numbers(buffer: Bytes, begins: Integers, ends: Integers) -> Integers:
    """Fields of 1 to 9 ASCII digits as integers, all others NOT_A_NUMBER."""
    sizes = ends - begins
    fine = (sizes > 0) & (sizes <= MOST_DIGITS)
    values = np.zeros(len(begins), dtype=np.int64)
    for place in range(int(sizes[fine].max(initial=0))):
        inside = fine & (place < sizes)
        digits = buffer[np.where(inside, begins + place, 0)].astype(np.int64) - 48
        fine &= ~inside | ((digits >= 0) & (digits <= 9))
        values = np.where(inside, values * 10 + digits, values)
    return np.where(fine, values, NOT_A_NUMBER)


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
    ends = np.flatnonzero(buffer == NEWLINE)
    begins = np.concatenate(([0], ends[:-1] + 1))
    blank = begins == ends
    comment = ~blank & (buffer[begins] == HASH)
    token = np.flatnonzero(~blank & ~comment)
    fields = _fields(name, buffer, (begins[token], ends[token], token + 1), kind)
    block = np.cumsum(blank)
    blocks, sentence_of = np.unique(block[token], return_inverse=True)
    comments = np.flatnonzero(comment)
    return Table(
        name=name,
        buffer=buffer,
        begins=fields[0],
        ends=fields[1] if extra_columns else _exactly_ten(name, fields, token, kind),
        lines=token + 1,
        sentence_of=sentence_of.astype(np.int64),
        sentences=len(blocks),
        comment_begins=begins[comments],
        comment_ends=ends[comments],
        comment_sentence=np.searchsorted(blocks, block[comments]),
    )


def _text(name: str, data: bytes, kind: type[ScoringError]) -> bytes:
    try:
        text = normalised(name, data)
    except Refused as refusal:
        raise kind(refusal.problems) from None
    return text if text.endswith(b"\n") else text + b"\n"


Fields = tuple[Integers, Integers, Integers]


def _fields(
    name: str,
    buffer: Bytes,
    lines: Fields,
    kind: type[ScoringError],
) -> Fields:
    """Begin and end offsets (n, 10) of the first ten fields, and tabs per line."""
    begins, ends, numbered = lines
    if not len(begins):
        _refuse_without_sentences(name, kind)
    tabs = np.flatnonzero(buffer == TAB)
    first = np.searchsorted(tabs, begins)
    found = np.searchsorted(tabs, ends) - first
    if found.min() < WIDTH - 1:
        _refuse_narrow_lines(name, buffer, (begins, ends, numbered), kind)
    inner = tabs[first[:, None] + np.arange(WIDTH - 1)]
    following = np.append(tabs, len(buffer))[first + WIDTH - 1]
    last = np.minimum(following, ends)
    field_begins = np.concatenate((begins[:, None], inner + 1), axis=1)
    field_ends = np.concatenate((inner, last[:, None]), axis=1)
    return field_begins, field_ends, found


def _refuse_without_sentences(name: str, kind: type[ScoringError]) -> None:
    findings = Findings(name)
    message = "no token line found; expected CoNLL-U with ten tab-separated columns"
    findings.add("no_sentences", message)
    findings.raise_if_any(kind)


def _refuse_narrow_lines(
    name: str, buffer: Bytes, lines: Fields, kind: type[ScoringError]
) -> None:
    begins, ends, numbered = lines
    findings = Findings(name)
    for begin, end, line in zip(begins, ends, numbered, strict=True):
        text = buffer[begin:end].tobytes()
        columns = text.count(b"\t") + 1
        if columns >= WIDTH:
            continue
        spaces = columns == 1 and len(text.split()) >= WIDTH
        hint = "Separate columns with tabs, not spaces." if spaces else ""
        message = f"expected ten columns separated by tabs, found {columns}."
        findings.add("columns", message, line=int(line), hint=hint)
    findings.raise_if_any(kind)


def _exactly_ten(
    name: str, fields: Fields, token: Integers, kind: type[ScoringError]
) -> Integers:
    findings = Findings(name)
    for row in np.flatnonzero(fields[2] > WIDTH - 1):
        message = f"expected ten columns separated by tabs, found {fields[2][row] + 1}."
        findings.add("columns", message, line=int(token[row]) + 1)
    findings.raise_if_any(kind)
    return fields[1]
