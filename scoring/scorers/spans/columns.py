"""CoNLL columns: a token a line, token first and tag last, decoded as conlleval does.

IOB1, IOB2 and BIOES/BILOU tags (SCORING.md, `spans`); columns are separated by tabs,
or by spaces in lines without a tab; a blank line ends a sentence, `-DOCSTART-` begins
a document. The text of a document is its tokens with a space between them and a line
feed after every sentence. Everything here is arrays over tokens: only tags other than
`O` are looked at one by one, to number them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from scoring.counts import Flags, Integers
from scoring.errors import Findings
from scoring.formats.codes import by_value
from scoring.formats.fields import Fields
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import Document, Kinds, ReaderOptions, odd_label
from scoring.source import Bytes, brief, whole_lines

MESSAGES = Messages(
    {
        "token": _("expected a token and its tag, separated by a tab or a space"),
        "most_tags": _("more than %(most)s different tags"),
        "tag": _("the tag is '%(tag)s'; expected O, %(expected)s"),
        "part": _("Write token, tab and tag."),
    }
)

TAB, NEWLINE, SPACE, MINUS, CAPITAL_O = 9, 10, 32, 45, 79
COSTS = ((b"\n", 2_500_000), (b"-DOCSTART-", 50_000))
DOCSTART = b"-DOCSTART-"
OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
PREFIXES = {"B": BEGIN, "I": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE}
SCHEMES = {"any": "BIESLU", "iob1": "BI", "iob2": "BI", "bioes": "BIESLU"}
NO_KIND, BAD = -1, -1
MOST_TAGS = 10_000


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """The documents of every member, one unless there are `-DOCSTART-` lines. Raises
    Refused with the lines that hold no token and tag of the scheme."""
    for name, data in members.items():
        findings = Findings(name)
        lines = token_lines(name, data, findings)
        tags = _tags(lines, options, findings)
        findings.raise_if_any()
        yield from _documents(name, lines, tags, options.strict)


def token_lines(name: str, data: bytes, findings: Findings) -> "TokenLines":
    """The token lines of a file; those without a token and a tag are noted. Raises
    Refused for what is no text."""
    return _lines(_clean(name, data), findings)


def with_tag(text: str, tag: str) -> str:
    """The tokens of a file, each with this tag; lines that begin a document stay."""
    lines = (_with_tag(line, tag) for line in text.rstrip("\n").split("\n"))
    return "\n".join(lines) + "\n"


def _with_tag(line: str, tag: str) -> str:
    line = line.rstrip(" \t")
    if not line:
        return ""
    token = line.partition("\t" if "\t" in line else " ")[0]
    return token if token == DOCSTART.decode() else f"{token}\t{tag}"


def _clean(name: str, data: bytes) -> bytes:
    """Bytes with a final newline and without blanks at the ends of lines."""
    text = whole_lines(name, data)
    buffer = np.frombuffer(text, dtype=np.uint8)
    final = buffer[np.flatnonzero(buffer == NEWLINE) - 1]
    if not np.any((final == SPACE) | (final == TAB)):
        return text
    return b"\n".join(line.rstrip(b" \t") for line in text.split(b"\n"))


@dataclass(frozen=True)
class TokenLines:
    """Token lines (n,) of one file.

    Offsets of tokens and tags in `buffer`, line numbers, the document of each token
    and whether it is the first of its sentence.
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


def _lines(text: bytes, findings: Findings) -> TokenLines:
    buffer = np.frombuffer(text, dtype=np.uint8)
    ends = np.flatnonzero(buffer == NEWLINE)
    begins = np.concatenate(([0], ends[:-1] + 1))
    filled = np.flatnonzero(begins < ends)
    begins, ends = begins[filled], ends[filled]
    opening = _docstarts(text, buffer, begins)
    document = np.cumsum(opening) - opening[0]
    token = np.flatnonzero(~opening)
    numbers = filled[token] + 1
    begins, ends = begins[token], ends[token]
    token_ends, tag_begins = _fields(buffer, (begins, ends, numbers), findings)
    return TokenLines(
        buffer,
        begins,
        token_ends,
        tag_begins,
        ends,
        numbers,
        document[token],
        np.diff(numbers, prepend=-1) > 1,
        int(document[-1]) + 1,
    )


def _docstarts(text: bytes, buffer: Bytes, begins: Integers) -> Flags:
    """Flags (lines,) of the lines that begin a document."""
    opening = np.zeros(len(begins), dtype=np.bool_)
    for row in np.flatnonzero(buffer[begins] == MINUS).tolist():
        place = int(begins[row])
        follows = text[place + len(DOCSTART) : place + len(DOCSTART) + 1]
        opening[row] = text.startswith(DOCSTART, place) and follows in b" \t\n"
    return opening


def _fields(
    buffer: Bytes, lines: tuple[Integers, Integers, Integers], findings: Findings
) -> tuple[Integers, Integers]:
    """Offsets at which tokens end and tags begin; lines without both are noted."""
    begins, ends, numbers = lines
    token_ends, tag_begins = _around(np.flatnonzero(buffer == TAB), begins, ends)
    without = np.flatnonzero(token_ends < 0)
    if len(without):
        spaces = np.flatnonzero(buffer == SPACE)
        around = _around(spaces, begins[without], ends[without])
        token_ends[without], tag_begins[without] = around
    for row in np.flatnonzero(token_ends <= begins).tolist():
        message, hint = MESSAGES("token"), MESSAGES("part")
        findings.add("columns", message, line=int(numbers[row]), hint=hint)
    return token_ends, tag_begins


def _around(
    separators: Integers, begins: Integers, ends: Integers
) -> tuple[Integers, Integers]:
    """The first separator of each line and the place after its last; -1 if none."""
    if not len(separators):
        return np.full(len(begins), -1), np.full(len(begins), -1)
    if len(separators) == len(begins) and np.all(
        (begins <= separators) & (separators < ends)
    ):
        return separators, separators + 1
    first = np.searchsorted(separators, begins)
    last = np.searchsorted(separators, ends) - 1
    has_any = first <= last
    token_ends = separators[np.minimum(first, len(separators) - 1)]
    return np.where(has_any, token_ends, -1), np.where(
        has_any, separators[last] + 1, -1
    )


@dataclass(frozen=True)
class Tags:
    """Tags of the tokens: `classes` and `codes` (n,), the latter into `kinds`."""

    classes: npt.NDArray[np.int8]
    codes: Integers
    kinds: Kinds


def _tags(lines: TokenLines, options: ReaderOptions, findings: Findings) -> Tags:
    """Number the tags; those that do not fit the scheme are noted, each once with its
    first line and how often it stands there."""
    size = len(lines.begins)
    tags = Tags(np.zeros(size, np.int8), np.full(size, NO_KIND), Kinds(options))
    # Lines without a token and a tag have been noted.
    tagged = lines.token_ends > lines.begins
    outside = lines.ends - lines.tag_begins == 1
    outside &= lines.buffer[lines.tag_begins] == CAPITAL_O
    rows = np.flatnonzero(tagged & ~outside)
    written = Fields(lines.buffer, lines.tag_begins, lines.ends).at(rows).coded()
    codes, texts = written.codes, written.values
    if len(texts) > MOST_TAGS:
        findings.add("tag", MESSAGES("most_tags", most=MOST_TAGS))
        return tags
    read = [_tag(text, options.scheme, tags.kinds) or (BAD, NO_KIND) for text in texts]
    tags.classes[rows], tags.codes[rows] = np.array(read).reshape(-1, 2)[codes].T
    expected = ", ".join(f"{prefix}-LABEL" for prefix in SCHEMES[options.scheme])
    bad = np.array([kind == (BAD, NO_KIND) for kind in read], dtype=np.bool_)
    wrong = np.flatnonzero(bad[codes]) if len(texts) else codes
    for code, places in by_value(codes[wrong]):
        message = MESSAGES("tag", tag=brief(texts[code]), expected=expected)
        line, *also = lines.numbers[rows[wrong[places]]].tolist()
        findings.add("tag", message, line=line, also=also)
    return tags


def _tag(text: str, scheme: str, kinds: Kinds) -> tuple[int, int] | None:
    prefix, dash, label = text.partition("-")
    if not dash or odd_label(label) or prefix not in PREFIXES:
        return None
    if prefix not in SCHEMES[scheme]:
        return None
    return PREFIXES[prefix], kinds.code(label, {})


def _chunks(tags: Tags, fresh: Flags) -> tuple[Integers, Integers]:
    """First and last tokens of the chunks, by conlleval's rules.

    A chunk begins at B or S, and at I or E after O, after E or S, after another label
    and at the start of a sentence; it ends where the next token is O or begins one.
    """
    classes, codes = tags.classes, tags.codes
    before = np.roll(classes, 1)
    changes = codes != np.roll(codes, 1)
    closed = fresh | (before == OUTSIDE) | (before == END) | (before == SINGLE)
    opens = (classes == BEGIN) | (classes == SINGLE)
    opens |= (classes != OUTSIDE) & (closed | changes)
    stops = np.append((opens | fresh | (classes == OUTSIDE))[1:], True)
    return np.flatnonzero(opens), np.flatnonzero((classes != OUTSIDE) & stops)


def _whole(tags: Tags, first: Integers, last: Integers) -> Flags:
    """Flags of the chunks that are written as the scheme asks: from B on, in BIOES to
    E or else S alone. Within a chunk there is nothing but I."""
    begins, ends = tags.classes[first], tags.classes[last]
    if tags.kinds.options.scheme != "bioes":
        return np.asarray((begins == BEGIN) | (begins == SINGLE))
    return np.asarray((begins == SINGLE) | ((begins == BEGIN) & (ends == END)))


def _says_where_spans_begin(tags: Tags) -> bool:
    """Whether the scheme, or the file where that leaves it open, begins each span with
    a B or S: in IOB1 B means that two spans touch."""
    scheme = tags.kinds.options.scheme
    if scheme != "any":
        return scheme != "iob1"
    classes = tags.classes
    before = np.concatenate(([OUTSIDE], classes[:-1]))
    return bool(((classes == BEGIN) & (before == OUTSIDE)).any())


@dataclass(frozen=True)
class ColumnText:
    """The text of a file as bytes; token extents (n,) in bytes and in code points."""

    text: Bytes
    begins: Integers
    ends: Integers
    starts: Integers
    stops: Integers


def _text(lines: TokenLines) -> ColumnText:
    edges = np.zeros(len(lines.buffer) + 1, dtype=np.bool_)
    edges[lines.begins] = edges[lines.token_ends + 1] = True
    inside = np.logical_xor.accumulate(edges[:-1])
    text = lines.buffer[inside]
    sizes = lines.token_ends - lines.begins + 1
    ends = np.cumsum(sizes) - 1
    begins = ends - sizes + 1
    text[ends] = np.where(np.append(lines.fresh[1:], True), NEWLINE, SPACE)
    further = np.flatnonzero((text & 0xC0) == 0x80)
    starts, stops = (place - _before(further, place) for place in (begins, ends))
    return ColumnText(text, begins, ends, starts, stops)


def _before(further: Integers, places: Integers) -> Integers:
    """How many of `further`, of which there are few, stand before each place."""
    after = np.searchsorted(places, further, side="right")
    return np.cumsum(np.bincount(after, minlength=len(places) + 1))[: len(places)]


def _documents(
    name: str, lines: TokenLines, tags: Tags, strict: bool
) -> Iterator[Document]:
    text = _text(lines)
    first, last = _chunks(tags, lines.fresh)
    whole = _whole(tags, first, last)
    odd = lines.numbers[first[~whole]]
    if strict:
        first, last = first[whole], last[whole]
    bounds = np.searchsorted(lines.document, np.arange(lines.documents + 1))
    chunks = np.searchsorted(first, bounds)
    kinds = tags.kinds.all()
    for part in range(lines.documents):
        tokens = slice(int(bounds[part]), int(bounds[part + 1]))
        spans = slice(int(chunks[part]), int(chunks[part + 1]))
        written, extents = _cut_out(text, tokens)
        begin = int(bounds[part])
        yield Document(
            name,
            part + 1 if lines.documents > 1 else 0,
            written,
            extents[first[spans] - begin, 0],
            extents[last[spans] - begin, 1],
            tags.codes[first[spans]],
            kinds,
            extents,
            lines.numbers[tokens],
            extents[lines.fresh[tokens], 0],
            odd=odd if part == 0 and _says_where_spans_begin(tags) else None,
        )


def _cut_out(text: ColumnText, tokens: slice) -> tuple[str, Integers]:
    """One document: its text and the extents (m, 2) of its tokens in it."""
    begins, ends = text.begins[tokens], text.ends[tokens]
    if not len(begins):
        return "", np.zeros((0, 2), dtype=np.int64)
    written = text.text[begins[0] : ends[-1] + 1].tobytes().decode("utf-8")
    starts, stops = text.starts[tokens], text.stops[tokens]
    return written, np.stack((starts, stops), axis=1) - starts[0]
