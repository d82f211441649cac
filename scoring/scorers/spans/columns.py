"""CoNLL columns: a token a line, token first and tag last, decoded as conlleval does.

IOB1, IOB2 and BIOES/BILOU/BMEWO tags (SCORING.md, `spans`), or in all of a file their
prefixes alone, as of one label, or tags as values of a feature (`Seg=B-seg`). A blank
line ends a sentence, `-DOCSTART-` begins a document (`column_lines`). The text of a
document is its tokens with a space between them and a line feed after every sentence.
Everything here is arrays over tokens: only tags other than `O` are looked at one by
one, to number them.
"""

import re
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
from scoring.scorers.spans.column_lines import TokenLines, token_lines
from scoring.source import Bytes, brief

MESSAGES = Messages(
    most_tags=_("more than %(most)s different tags"),
    tag=_("the tag is '%(tag)s'; expected O, %(expected)s"),
)

NEWLINE, SPACE, CAPITAL_O = 10, 32, 79
COSTS = ((b"\n", 2_500_000), (b"-DOCSTART-", 50_000))
OUTSIDE, BEGIN, INSIDE, END, SINGLE = range(5)
PREFIXES = {"B": BEGIN, "I": INSIDE, "E": END, "L": END, "S": SINGLE, "U": SINGLE}
PREFIXES |= {"M": INSIDE, "W": SINGLE}
SCHEMES = {"any": "BIESLU", "iob1": "BI", "iob2": "BI", "bioes": "BIESLU"}
# BMES and BMEWO say M and W for I and S, where more than B and I may stand.
LONG, MIDDLE_WHOLE = ("any", "bioes"), "MW"
# What seqeval calls the spans of tags that are a prefix alone.
NAMELESS = "_"
NO_KIND, BAD = -1, -1
# DISRPT's tags are values of a feature, "Seg=B-seg", with "_" for O in some files.
KEYED = re.compile(r"([A-Za-z]+)=(O|[BIESLU]-.+)")
NO_VALUE = "_"
MOST_TAGS = 10_000


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """The documents of every member, one unless there are `-DOCSTART-` lines. Raises
    Refused with the lines that hold no token and tag of the scheme."""
    for name, data in members.items():
        findings = Findings(name)
        lines = token_lines(name, data, findings, options.column)
        tags = _tags(lines, options, findings)
        findings.raise_if_any()
        yield from _documents(name, lines, tags, options.strict)


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
    tagged = lines.tag_begins > lines.begins
    outside = lines.ends - lines.tag_begins == 1
    outside &= lines.buffer[lines.tag_begins] == CAPITAL_O
    rows = np.flatnonzero(tagged & ~outside)
    written = Fields(lines.buffer, lines.tag_begins, lines.ends).at(rows).coded()
    codes, texts = written.codes, written.values
    if len(texts) > MOST_TAGS:
        findings.add("tag", MESSAGES("most_tags", most=MOST_TAGS))
        return tags
    allowed = SCHEMES[options.scheme] + MIDDLE_WHOLE * (options.scheme in LONG)
    texts = _values(texts)
    if texts and all(text in allowed for text in texts):
        texts = [f"{text}-{NAMELESS}" for text in texts]
    read = [_tag(text, allowed, tags.kinds) or (BAD, NO_KIND) for text in texts]
    tags.classes[rows], tags.codes[rows] = np.array(read).reshape(-1, 2)[codes].T
    expected = ", ".join(f"{prefix}-LABEL" for prefix in SCHEMES[options.scheme])
    bad = np.array([kind == (BAD, NO_KIND) for kind in read], dtype=np.bool_)
    wrong = np.flatnonzero(bad[codes]) if len(texts) else codes
    for code, places in by_value(codes[wrong]):
        message = MESSAGES("tag", tag=brief(texts[code]), expected=expected)
        line, *also = lines.numbers[rows[wrong[places]]].tolist()
        findings.add("tag", message, line=line, also=also)
    return tags


def _values(texts: list[str]) -> list[str]:
    """The tags without the name of a feature that stands before all of them."""
    matches = {text: KEYED.fullmatch(text) for text in texts if text != NO_VALUE}
    if (
        not all(matches.values())
        or len({match[1] for match in matches.values() if match}) != 1
    ):
        return texts
    values = {text: match[2] for text, match in matches.items() if match}
    return [values.get(text, "O") for text in texts]


def _tag(text: str, allowed: str, kinds: Kinds) -> tuple[int, int] | None:
    if text == "O":
        return OUTSIDE, NO_KIND
    prefix, dash, label = text.partition("-")
    if not dash or odd_label(label) or prefix not in PREFIXES:
        return None
    if prefix not in allowed:
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
