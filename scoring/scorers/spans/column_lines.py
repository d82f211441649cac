"""Lines of column formats: which are tokens, and where token and tag stand in them.

Columns are separated by tabs, or by spaces in lines without a tab, and all lines have
as many. A blank line ends a sentence and `-DOCSTART-` begins a document. Lines before
the first token of a sentence that begin with `#` and have not the columns of the
others are comments. Where sentences number their tokens from 1 as in CoNLL-U,
multiword tokens (`1-2`) and empty nodes (`1.1`) are none, and the second column holds
the tokens if a column is named for the tags; else the numbers stand for them.
"""

import re
from dataclasses import dataclass

import numpy as np

from scoring.counts import Flags, Integers
from scoring.errors import Findings, Problem, UsageError
from scoring.messages import Messages, _
from scoring.options import Option, Options
from scoring.source import Bytes, brief, whole_lines

MESSAGES = Messages(
    token=_("expected a token and its tag, separated by a tab or a space"),
    part=_("Write token, tab and tag."),
    width=_("found %(count)s columns, line %(line)s has %(expected)s"),
    width_hint=_(
        "All lines of a file have the same columns; comments begin with # and "
        "stand before the first token of a sentence."
    ),
    no_number=_("option 'column' is '%(column)s'; expected a number from 1"),
    column=_("there is no column %(column)s: lines have %(count)s"),
)

TAB, NEWLINE, SPACE, HASH, MINUS, ONE = 9, 10, 32, 35, 45, 49
DOCSTART = b"-DOCSTART-"
# The first column of a multiword token or of an empty node
NODE = re.compile(rb"^\d+[-.]\d+(?=[\t ])", re.MULTILINE)
LAST = 0  # as `column`: the tag is in the last one
COLUMN = Option(
    "column",
    "number of the column with the tag, from 1, where lines have more than two; by "
    "default the last one",
    "text",
    "",
)


def column_of(options: Options) -> int:
    """The column that the options name. Raises UsageError for what is no number."""
    text = options["column"]
    if text and not (text.isascii() and text.isdecimal() and 0 < int(text[:4]) < 1000):
        raise UsageError(Problem("option", MESSAGES("no_number", column=brief(text))))
    return int(text or LAST)


@dataclass(frozen=True)
class TokenLines:
    """Token lines (n,) of one file.

    Offsets of tokens and tags in `buffer`, line numbers, the document of each token
    and whether it is the first of its sentence; `width` is the number of columns.
    """

    buffer: Bytes
    begins: Integers
    token_ends: Integers
    tag_begins: Integers
    ends: Integers
    numbers: Integers
    document: Integers
    fresh: Flags
    documents: int
    width: int


def token_lines(
    name: str, data: bytes, findings: Findings, column: int = LAST
) -> TokenLines:
    """The token lines of a file, with the tags of a column (from 1, or LAST). Lines
    without token and tag, or with other columns than most, are noted. Raises Refused
    for what is no text."""
    lines = _FilledLines(name, data, column)
    rows = np.flatnonzero(lines.is_token)
    block = np.cumsum(lines.begins_block)[rows]
    number = np.cumsum(lines.opening)
    document = (number - lines.opening[:1].sum())[rows]
    tag = lines.tag_place(column)
    if tag >= lines.width > 2:
        message = MESSAGES("column", column=column, count=lines.width)
        findings.add("columns", message, line=int(lines.numbers[rows[0]]))
    _note_odd(lines, rows, findings)
    begins, token_ends = lines.field(rows, lines.word)
    tag_begins, ends = lines.field(rows, tag)
    return TokenLines(
        lines.buffer,
        begins,
        token_ends,
        tag_begins,
        ends,
        lines.numbers[rows],
        document,
        np.diff(block, prepend=-1) > 0,
        int(number[-1] - lines.opening[0]) + 1,
        lines.width,
    )


def _note_odd(lines: "_FilledLines", rows: Integers, findings: Findings) -> None:
    widths = lines.widths[rows]
    bare = (widths < 2) | (lines.field(rows, 0)[1] <= lines.begins[rows])
    for row in findings.capped(rows[bare]):
        message, hint = MESSAGES("token"), MESSAGES("part")
        findings.add("columns", message, line=int(lines.numbers[row]), hint=hint)
    odd = ~bare & (widths != lines.width)
    if lines.width < 2 or not odd.any():
        return
    usual = int(lines.numbers[rows[widths == lines.width][0]])
    for row in findings.capped(rows[odd]):
        count = int(lines.widths[row])
        message = MESSAGES("width", count=count, expected=lines.width, line=usual)
        line, hint = int(lines.numbers[row]), MESSAGES("width_hint")
        findings.add("columns", message, line=line, hint=hint)


def with_tag(name: str, data: bytes, tag: str | None, column: int = LAST) -> bytes:
    """The tokens of a file, each with this tag in a second column, or with its own for
    None; blank lines and lines that begin a document stay, comments do not."""
    lines = _FilledLines(name, data, column)
    rows = np.flatnonzero(lines.is_token)
    text = lines.buffer.tobytes()

    def cut_out(place: int) -> list[bytes]:
        pairs = zip(*lines.field(rows, place), strict=True)
        return [text[begin:end] for begin, end in pairs]

    words = cut_out(lines.word)
    own = lines.tag_place(column)
    tags = cut_out(own) if tag is None else [tag.encode()] * len(words)
    numbers = lines.numbers[rows].tolist()
    offered = {
        number: word + b"\t" + written
        for number, word, written in zip(numbers, words, tags, strict=True)
    }
    offered |= dict.fromkeys(lines.numbers[lines.opening].tolist(), DOCSTART)
    filled = set(lines.numbers.tolist())
    count = int(np.count_nonzero(lines.buffer == NEWLINE))
    every = range(1, count + 1)
    whole = [offered.get(i, b"") for i in every if i in offered or i not in filled]
    return b"\n".join(whole).rstrip(b"\n") + b"\n"


class _FilledLines:
    """The lines (n,) of a file that are not blank, and their columns."""

    def __init__(self, name: str, data: bytes, column: int) -> None:
        text = _clean(name, data)
        self.buffer: Bytes = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(self.buffer == NEWLINE)
        begins = np.concatenate(([0], ends[:-1] + 1))
        filled = np.flatnonzero(begins < ends)
        self.begins, self.ends, self.numbers = begins[filled], ends[filled], filled + 1
        self.opening = _docstarts(text, self.buffer, self.begins)
        self._separate()
        after = np.concatenate(([True], self.opening[:-1]))
        self.begins_block = (np.diff(self.numbers, prepend=-1) > 1) | after
        self.comment = self._comments()
        self._number_columns(text, column)

    def _separate(self) -> None:
        """Find the separators of columns: tabs, and in lines without one spaces."""
        tabs = np.flatnonzero(self.buffer == TAB)
        first, last = np.searchsorted(tabs, (self.begins, self.ends))
        self.tabbed: Flags = first < last
        before, behind = tabs, tabs + 1
        if not self.tabbed.all():
            space = self.buffer == SPACE
            edges = np.diff(space, prepend=False, append=False)
            starts, stops = np.flatnonzero(edges).reshape(-1, 2).T
            home = np.searchsorted(self.ends, starts)
            untabbed = ~self.tabbed[np.minimum(home, len(self.tabbed) - 1)]
            before = np.concatenate((before, starts[untabbed]))
            behind = np.concatenate((behind, stops[untabbed]))
            order = np.argsort(before, kind="stable")
            before, behind = before[order], behind[order]
        self._before, self._behind = before, behind
        self._first = np.searchsorted(before, self.begins)
        self.widths: Integers = np.searchsorted(before, self.ends) - self._first + 1

    def _comments(self) -> Flags:
        hashes = (self.buffer[self.begins] == HASH) & ~self.opening
        others = np.cumsum(~hashes)
        block = np.cumsum(self.begins_block) - 1
        ahead = (others - ~hashes)[self.begins_block][block]
        leading: Flags = hashes & (others == ahead)
        body = ~leading & ~self.opening
        if not body.any():
            return np.zeros_like(leading)
        usual = np.bincount(self.widths[body]).argmax()
        tabbed = np.count_nonzero(self.tabbed[body]) * 2 > np.count_nonzero(body)
        others_columns = (self.widths != usual) | (self.tabbed != tabbed)
        return np.asarray(leading & others_columns)

    def _number_columns(self, text: bytes, column: int) -> None:
        """Set how many columns there are, which holds the tokens, and what is one."""
        token = ~self.opening & ~self.comment
        counts = np.bincount(self.widths[token], minlength=1)
        # Tokens without a tag are not what makes a file, be they ever so many.
        if counts[2:].any():
            counts[:2] = 0
        self.width = int(np.flatnonzero(counts == counts.max())[-1])
        self.word, self.is_token = 0, token
        if self.width < 3:
            return
        nodes = np.zeros_like(token)
        places = [node.start() for node in NODE.finditer(text)]
        nodes[np.searchsorted(self.begins, places)] = True
        rows = np.flatnonzero(token & ~nodes)
        block = np.cumsum(self.begins_block)[rows]
        heads = rows[np.diff(block, prepend=-1) > 0]
        begins, ends = self.field(heads, 0)
        if np.all((ends - begins == 1) & (self.buffer[begins] == ONE)):
            self.word, self.is_token = int(column != LAST), token & ~nodes

    def tag_place(self, column: int) -> int:
        """The place of the tag among the columns, from 0; of two it is the last."""
        return self.width - 1 if column == LAST or self.width <= 2 else column - 1

    def field(self, rows: Integers, place: int) -> tuple[Integers, Integers]:
        """Offsets at which a column, from 0, begins and ends in these lines; of lines
        with fewer columns the last."""
        last = self.widths[rows] - 1
        column = np.minimum(place, last)
        if not len(self._before):
            return self.begins[rows], self.ends[rows]
        at = self._first[rows] + column
        most = len(self._before) - 1
        begins = np.where(
            column == 0, self.begins[rows], self._behind[np.clip(at - 1, 0, most)]
        )
        ends = np.where(
            column == last, self.ends[rows], self._before[np.minimum(at, most)]
        )
        return begins, ends


def _clean(name: str, data: bytes) -> bytes:
    """Bytes with a final newline and without blanks at the ends of lines."""
    text = whole_lines(name, data)
    buffer = np.frombuffer(text, dtype=np.uint8)
    final = buffer[np.flatnonzero(buffer == NEWLINE) - 1]
    if not np.any((final == SPACE) | (final == TAB)):
        return text
    return b"\n".join(line.rstrip(b" \t") for line in text.split(b"\n"))


def _docstarts(text: bytes, buffer: Bytes, begins: Integers) -> Flags:
    """Flags (lines,) of the lines that begin a document."""
    opening = np.zeros(len(begins), dtype=np.bool_)
    for row in np.flatnonzero(buffer[begins] == MINUS).tolist():
        place = int(begins[row])
        follows = text[place + len(DOCSTART) : place + len(DOCSTART) + 1]
        opening[row] = text.startswith(DOCSTART, place) and follows in b" \t\n"
    return opening
