"""Documents with spans, as every reader returns them, and the checks of them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Problem, Refused
from scoring.messages import Messages, _
from scoring.scorers.spans.weights import Weights
from scoring.source import brief

MESSAGES = Messages(
    other_text=_(
        "the text at %(start)s-%(end)s is '%(text)s', the line says '%(quote)s'"
    ),
    inclusive=_("The ends seem to be those of the last character: add 1 to each."),
    from_1=_("The offsets seem to count from 1: take 1 off each."),
    from_1_inclusive=_("The offsets seem to count from 1: take 1 off each start."),
    utf16=_(
        "The offsets seem to count UTF-16 units, as JavaScript and Java do: count "
        "characters (code points)."
    ),
    bytes=_("The offsets seem to count bytes: count characters."),
    line_ends=_(
        "The offsets seem to count line ends as two characters (CRLF): count each as "
        "one."
    ),
    label_length=_("expected a label of 1 to %(most)s characters"),
    total=_("'%(label)s' is the name of the row of sums, not a label"),
    control_character=_("the label holds a control character"),
    extent=_("%(label)s %(extent)s: expected 0 <= start < end <= %(size)s"),
    extent_bytes=_(
        "%(label)s %(extent)s ends behind the text, which has %(size)s characters: "
        "the offsets seem to count bytes"
    ),
    extent_utf16=_(
        "%(label)s %(extent)s ends behind the text, which has %(size)s characters: "
        "the offsets seem to count UTF-16 units, as JavaScript and Java do"
    ),
    cut_words=_(
        "Most spans begin or end inside a word, such as '%(text)s': do the offsets "
        "count characters?"
    ),
    padded=_("Most spans begin or end with a space, such as '%(text)s'."),
    weight=_("weight at %(extent)s: expected 0 <= start < end <= %(size)s"),
    depth=_("more than %(most)s spans cover one character"),
    most_marks=_("more than %(most)s times %(mark)s: too much to read"),
)

Kind = tuple[str, frozenset[tuple[str, str]]]
# Where the pieces of a span end and begin again, from its start; () for one piece.
Gaps = tuple[int, ...]
ONE_PIECE: Gaps = ()
NO_ATTRIBUTES: frozenset[tuple[str, str]] = frozenset()
NOT_CONTENT = frozenset({"zone", "SEGMENT", "VOTE", "untaggable"})
TOKEN = "lex"
LONGEST_LABEL = 200
MOST_DEPTH = 100
MOSTLY = 0.9
TOTAL = "<all>"
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
WHITE = (
    *range(9, 14),
    *range(28, 33),
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
)
IS_WHITE = np.isin(np.arange(WHITE[-1] + 2), WHITE)


@dataclass(frozen=True)
class ReaderOptions:
    """Wishes of the options to a reader.

    `attributes` are the names that aliases look at: no others are kept. `scheme` is
    that of CoNLL columns, of which only spans written wholly as it says count if they
    are `strict`; the tag is in that `column`, the last one where it is 0. `tokens` says
    that the tokens matter (the reference's do). `weights` is what the list of weighted
    stretches is called, empty where none is wanted.
    """

    attributes: frozenset[str] = frozenset()
    scheme: str = "any"
    tokens: bool = True
    strict: bool = False
    column: int = 0
    weights: str = ""


@dataclass(frozen=True)
class Document:
    """One text with its `n` spans, as written in `file`.

    `part` numbers the documents of a file that holds several, else it is 0. `starts`
    and `ends` (n,) are half-open offsets in code points; `codes` (n,) index `kinds`,
    which are labels with the attributes asked for. `tokens` (m, 2) are extents, None
    where the format gives none. `lines` (m,) are the lines of the tokens in the file,
    in formats with one token a line. `sentences` are the offsets at which they begin,
    None where the format parts none. `also` is a second name that pairing accepts;
    `odd` (k,) are the lines of spans of the whole file that are not written as the
    scheme asks. `gaps` (n,) are those of spans in several pieces, None where there is
    none. A document that is a record of a file has an `id`, which it is paired by, its
    `line`, and labels by grouping; without a text of its own it has that of the
    reference; `quotes` (n,) are the texts that its
    spans are said to be, empty where they say nothing. `weights` are None where there
    is no list of them.
    """

    file: str
    part: int
    text: str
    starts: Integers
    ends: Integers
    codes: Integers
    kinds: tuple[Kind, ...]
    tokens: Integers | None = None
    lines: Integers | None = None
    sentences: Integers | None = None
    also: str = ""
    odd: Integers | None = None
    gaps: Sequence[Gaps] | None = None
    id: str = ""
    line: int | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    has_text: bool = True
    quotes: Sequence[str] = ()
    weights: Weights | None = None

    @property
    def name(self) -> str:
        """The id, or the file's name with the number of the document where it holds
        several."""
        if self.id:
            return self.id
        return f"{self.file}#{self.part:06d}" if self.part else self.file


Reader = Callable[[Mapping[str, bytes], ReaderOptions], Iterable[Document]]


@dataclass
class Kinds:
    """Numbers labels with their attributes as they are met."""

    options: ReaderOptions
    known: dict[Kind, int] = field(default_factory=dict)

    def code(self, label: str, attributes: Mapping[str, str]) -> int:
        wanted = self.options.attributes & attributes.keys()
        kind = (label, frozenset((name, attributes[name]) for name in wanted))
        return self.known.setdefault(kind, len(self.known))

    def all(self) -> tuple[Kind, ...]:
        return tuple(self.known)


def odd_label(label: str) -> str:
    """The reason why `label` cannot be a tag; empty where it can."""
    if not label.strip() or len(label) > LONGEST_LABEL:
        return MESSAGES("label_length", most=LONGEST_LABEL)
    if label == TOTAL:
        return MESSAGES("total", label=TOTAL)
    if CONTROL.search(label):
        return MESSAGES("control_character")
    return ""


def check_extents(
    document: Document, findings: Findings, lines: Integers | None = None
) -> None:
    """Note every span that is empty, reversed or outside the text."""
    size = len(document.text)
    bad = (document.starts < 0) | (document.starts >= document.ends)
    bad |= document.ends > size
    if not bad.any():
        return
    name = "extent"
    if (document.starts < document.ends).all() and size < int(document.ends.max()):
        name = _name_of_extents(document, int(document.ends.max()))
    for i in findings.capped(np.flatnonzero(bad)):
        label = document.kinds[int(document.codes[i])][0]
        extent = f"{document.starts[i]}-{document.ends[i]}"
        message = MESSAGES(name, label=label, extent=extent, size=size)
        line = document.line if lines is None else int(lines[i])
        findings.add("extent", message, line=line, unit=document.name)


def _name_of_extents(document: Document, most: int) -> str:
    """The message on extents of which the largest ends behind the text: that of the
    units in which they fit, as their quotes have it where there are any."""
    text = document.text.encode("utf-8", "replace").decode()
    ways = {"utf16": len(text.encode("utf-16-le")) // 2, "bytes": len(text.encode())}
    fitting = [way for way, size in ways.items() if most <= size]
    if any(document.quotes):
        sides = document.starts.tolist(), document.ends.tolist(), document.quotes
        quoted = [span for span in zip(*sides, strict=True) if span[-1]]
        counted = _how_counted(text, quoted)
        fitting = [way for way in fitting if way == counted] or fitting
    return f"extent_{fitting[0]}" if fitting else "extent"


def check_spans(document: Document, findings: Findings) -> None:
    """Note spans of a record that do not fit its text."""
    before = len(findings.problems)
    check_extents(document, findings)
    _check_weights(document, findings)
    if document.quotes and len(findings.problems) == before:
        lines = [document.line or 0] * len(document.starts)
        check_quotes(document, document.quotes, lines, findings)


def _check_weights(document: Document, findings: Findings) -> None:
    """Note every weighted stretch that is empty, reversed or outside the text."""
    if document.weights is None:
        return
    starts, ends, size = (
        document.weights.starts,
        document.weights.ends,
        len(document.text),
    )
    for i in findings.capped(np.flatnonzero((starts >= ends) | (ends > size))):
        message = MESSAGES("weight", extent=f"{starts[i]}-{ends[i]}", size=size)
        findings.add("extent", message, line=document.line, unit=document.name)


def check_quotes(
    document: Document,
    quotes: Sequence[str],
    lines: Sequence[int],
    findings: Findings,
) -> None:
    """Note spans that quote another text than their offsets cover; white space aside,
    since lines of the text become blanks in a quote. An empty quote says nothing."""
    if not any(quotes):
        return
    gaps = document.gaps or [ONE_PIECE] * len(document.starts)
    sides = document.starts.tolist(), document.ends.tolist()
    extents = zip(*sides, gaps, strict=True)
    way = None
    for line, (start, end, own), quote in zip(lines, extents, quotes, strict=True):
        text = "".join(document.text[a:b] for a, b in pieces_of(start, end, own))
        if quote and bare(text) != bare(quote):
            about = {"start": start, "end": end, "text": brief(text)}
            message = MESSAGES("other_text", quote=brief(quote), **about)
            if way is None:
                quoted = [q for q in zip(*sides, quotes, strict=True) if q[-1]]
                way = _how_counted(document.text, quoted)
            hint = MESSAGES(way) if way else ""
            findings.add("quote", message, line=line, unit=document.id, hint=hint)


def bare(text: str) -> str:
    """The text without its white space."""
    return "".join(text.split())


def _how_counted(text: str, quoted: Sequence[tuple[int, int, str]]) -> str:
    """The way of counting by which nearly all offsets would be those of their
    quotes."""
    units, octets = text.encode("utf-16-le"), text.encode()
    lines = text.replace("\n", "\r\n")
    ways: dict[str, Callable[[int, int], str]] = {
        "inclusive": lambda a, b: text[a : b + 1],
        "from_1": lambda a, b: text[max(a - 1, 0) : b - 1],
        "from_1_inclusive": lambda a, b: text[max(a - 1, 0) : b],
        "utf16": lambda a, b: units[2 * a : 2 * b].decode("utf-16-le", "replace"),
        "bytes": lambda a, b: octets[a:b].decode("utf-8", "replace"),
        "line_ends": lambda a, b: lines[a:b],
    }
    for way, read in ways.items():
        fit = sum(bare(read(a, b)) == bare(quote) for a, b, quote in quoted)
        if fit >= MOSTLY * len(quoted):
            return way
    return ""


def check_depth(document: Document) -> None:
    """Refuse spans nested so deep that nobody can have meant it. Costs grow with the
    depth, so the cap keeps hostile files cheap."""
    if len(document.starts) <= MOST_DEPTH and document.weights is None:
        return
    sides = [(document.starts, document.ends)]
    if document.weights is not None:
        sides.append((document.weights.starts, document.weights.ends))
    if any(_depth(*side) > MOST_DEPTH for side in sides):
        message = MESSAGES("depth", most=MOST_DEPTH)
        raise Refused(Problem("depth", message, document.file, unit=document.name))


def _depth(starts: Integers, ends: Integers) -> int:
    """How many cover one character at most."""
    if len(starts) <= MOST_DEPTH:
        return len(starts)
    places = np.concatenate((starts, ends))
    steps = np.repeat(np.array([1, -1]), len(starts))
    order = np.lexsort((steps, places))
    return int(np.cumsum(steps[order]).max(initial=0))


Extent = tuple[int, int]


def in_pieces(pieces: Iterable[Extent]) -> tuple[int, int, Gaps]:
    """Start, end and gaps of a span of such pieces, those that touch taken together. A
    span with an empty piece is that piece, which `check_extents` refuses."""
    borders: list[int] = []
    for start, end in sorted(pieces):
        if start >= end:
            return start, end, ONE_PIECE
        if borders and start <= borders[-1]:
            borders[-1] = max(borders[-1], end)
        else:
            borders += [start, end]
    first = borders[0]
    return first, borders[-1], tuple(border - first for border in borders[1:-1])


def pieces_of(start: int, end: int, gaps: Gaps) -> list[Extent]:
    """The pieces of a span."""
    borders = [start, *(start + gap for gap in gaps), end]
    return list(zip(borders[::2], borders[1::2], strict=True))


Costs = Sequence[tuple[bytes, int]]


def check_costs(members: Mapping[str, bytes], costs: Costs, name: str) -> None:
    """Refuse a source that holds more of a mark than can be read in good time."""
    size = sum(map(len, members.values()))
    for mark, most in costs:
        if size <= most:
            continue
        if sum(data.count(mark) for data in members.values()) > most:
            message = MESSAGES("most_marks", most=most, mark=repr(mark.decode()))
            raise Refused(Problem("size", message, name))


def white_space_tokens(text: str) -> Integers:
    """Extents (m, 2) of the runs of characters that are not white space."""
    if text.isascii():
        points = np.frombuffer(text.encode("ascii"), dtype=np.uint8)
        white = IS_WHITE[points]
    else:
        points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
        white = IS_WHITE[np.minimum(points, WHITE[-1] + 1)]
    edges = np.flatnonzero(np.diff(white, prepend=True, append=True))
    return edges.astype(np.int64).reshape(-1, 2)


def integers(values: Sequence[int] | Sequence[tuple[int, int]]) -> Integers:
    return np.array(values, dtype=np.int64)
