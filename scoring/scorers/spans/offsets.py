"""Spans in JSON Lines: an object for each text, with character offsets.

`{"id": "t1", "text": "...", "spans": [{"start": 0, "end": 5, "label": "NAME"}]}`; a
span in several pieces has `"pieces": [[0, 5], [9, 12]]` in place of start and end, and
one may also be a list, `[0, 5, "NAME"]`. The list may be called `entities` or `label`,
as programs for annotation call it. Offsets are half-open, in code points. A system's
file may leave out the texts.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise, repeat
from operator import itemgetter
from typing import Any

import numpy as np

from scoring.counts import Integers
from scoring.errors import Findings, Refused
from scoring.formats import numerals, records
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import (
    NO_ATTRIBUTES,
    Document,
    Extent,
    Gaps,
    Kind,
    Kinds,
    ReaderOptions,
    check_spans,
    in_pieces,
    integers,
    odd_label,
)
from scoring.scorers.spans.weights import Weights
from scoring.source import Source, brief

MESSAGES = Messages(
    id=_("the object has no id that is a text of %(most)s characters."),
    object=_(
        'Write one object a line: {"id": "...", "text": "...", "spans": [{"start": '
        '0, "end": 5, "label": "..."}]}.'
    ),
    id_name=_("the object has no 'id', but '%(found)s'."),
    text=_("'text' is no text."),
    spans=_("'%(name)s' is no list."),
    other_list=_("no object has a list 'spans', but there is '%(name)s'."),
    nested=_(
        "the spans stand inside of '%(name)s'; expected a list 'spans' beside the id."
    ),
    tags=_("no object has a list 'spans'; '%(name)s' is a list without start and end."),
    span=_("span %(number)s lacks start, end or label, as in [0, 5, 'NAME']."),
    one_span=_("each object is one span; expected one object for each text."),
    no_label=_("the label of span %(number)s is a list or an object, not a text."),
    offsets=_(
        "span %(number)s goes from %(start)s to %(end)s; expected whole numbers from 0."
    ),
    tokens=_("'tokens' is no list of pairs of offsets within the text."),
    label=_("span %(number)s: %(reason)s"),
    weight=_("%(number)s of '%(name)s' lacks start, end or prob, a number from 0."),
    weigh=_(
        'Write "%(name)s": [{"start": 0, "end": 5, "prob": 0.8}, ...] beside the spans.'
    ),
)

ID, TEXT, TOKENS = "id", "text", "tokens"
LISTS = ("spans", "entities", "label", "labels")
LIKE_AN_ID = re.compile(r"(?i)(?:id|key|name)\Z")
GROUPS = ("genre", "language")
WEIGHT = ("prob", "weight", "severity")
COSTS = ((b"{", 2_000_000), (b"[", 2_000_000))
LONGEST_ID, MOST_DIGITS, MOST_LEVELS = 200, 9, 4
HEAD = 1 << 20


def begins(data: bytes) -> bool:
    """Whether the first line is an object of this kind."""
    line, *more = data.lstrip()[:HEAD].split(b"\n", 1)
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict) or "signal" in record:
        return False
    if more and more[0].lstrip()[:1] == b"{":
        return True
    return TEXT in record or (ID in record and any(name in record for name in LISTS))


def read(members: Mapping[str, bytes], options: ReaderOptions) -> Iterator[Document]:
    """One document per object. Raises Refused with every line that is wrong."""
    for name, data in members.items():
        findings = Findings(name)
        table = records.read(Source.of_bytes(name, data), findings, Refused)
        rows = [
            dict(zip(table.columns, cells, strict=True))
            for cells in zip(*table.columns.values(), strict=True)
        ]
        lines = table.lines.tolist()
        rows = rows or [{} for _line in lines]  # objects without any member
        _note_other_list(rows, table.columns, findings)
        columns = _columns(rows, options)
        documents = [
            _document(name, line, row, options, findings, spans)
            for line, row, spans in zip(
                lines, rows, columns or repeat(None, len(rows)), strict=True
            )
        ]
        findings.raise_if_any()
        yield from documents


def _note_other_list(
    rows: Sequence[Mapping[str, object]], names: Iterable[str], findings: Findings
) -> None:
    """Note spans under a name that nobody reads, where no text has any that is."""
    if rows and {"start", "end"} <= rows[0].keys() and "spans" not in rows[0]:
        text, hint = MESSAGES("one_span"), MESSAGES("object")
        findings.add("fields", text, line=1, hint=hint)
    if not rows or any(name in LISTS for name in rows[0]):
        return
    for fault, look in (("other_list", _spans_in), ("nested", _spans_inside)):
        members = (n for row in rows for n in row if any(look([row[n]])))
        if name := next(members, ""):
            message, hint = MESSAGES(fault, name=brief(name, 40)), MESSAGES("object")
            findings.add("spans", message, line=1, hint=hint)
            return
    for name in names if not any(name in row for name in LISTS for row in rows) else ():
        cell = rows[0].get(name)
        if name != TOKENS and isinstance(cell, list) and len(cell) > 1:
            message = MESSAGES("tags", name=brief(name, 40))
            findings.add("spans", message, line=1, hint=MESSAGES("object"))
            return


def _spans_in(cells: Iterable[object]) -> Iterator[bool]:
    """Whether each of these cells is a list that begins with a span."""
    return (
        isinstance(cell, list) and bool(cell) and _span(cell[0]) is not None
        for cell in cells
    )


def _spans_inside(cells: Iterable[object], depth: int = 0) -> Iterator[bool]:
    """Whether each of these cells holds such a list, a few levels down."""
    for cell in cells:
        own = cell[:1] if isinstance(cell, list) else ()
        own = [*cell.values()] if isinstance(cell, dict) else own
        deeper = depth < MOST_LEVELS and any(_spans_inside(own, depth + 1))
        yield any(_spans_in(own)) or deeper


@dataclass(frozen=True)
class Columns:
    """Spans (n,) of one text, and the quotes of those that have one.

    `kinds` may be those of the whole file. `fit` says that all lie within the text.
    """

    starts: Integers
    ends: Integers
    codes: Integers
    kinds: tuple[Kind, ...]
    quotes: Sequence[str]
    gaps: Sequence[Gaps] | None = None
    fit: bool = False


def _columns(
    rows: Sequence[Mapping[str, Any]], options: ReaderOptions
) -> list[Columns] | None:
    """The spans of all texts at once, where each is an object with start, end and label
    alone or with a quote; None where some are written otherwise, or wrongly."""
    lists: list[Any] = [
        next((r[n] for n in LISTS if r.get(n) is not None), []) for r in rows
    ]
    if options.attributes or not set(map(type, lists)) <= {list}:
        return None
    entries = [*chain.from_iterable(lists)]
    if set(map(type, entries)) != {dict}:
        return None
    members = set(chain.from_iterable(entries))
    if "pieces" in members:
        return None
    try:
        labels, *offsets = (
            [*map(itemgetter(name), entries)] for name in ("label", "start", "end")
        )
    except KeyError:
        return None
    digits = [*chain.from_iterable(offsets)]
    if {*map(type, digits), *map(type, labels)} != {str}:
        return None
    if not all(map(str.isdigit, digits)) or max(map(len, digits)) > MOST_DIGITS:
        return None
    places = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    if not "".join(digits).isascii() or any(map(odd_label, places)):
        return None
    kinds = tuple((label, NO_ATTRIBUTES) for label in places)
    codes = integers([*map(places.__getitem__, labels)])
    starts, ends = integers([*map(int, digits)]).reshape(2, -1)
    quotes = [_quote(entry) for entry in entries] if TEXT in members else []
    sizes = integers([*map(len, lists)])
    fit = _fit(starts, ends, rows, sizes)
    borders = pairwise(accumulate(sizes.tolist(), initial=0))
    return [
        Columns(
            starts[first:last],
            ends[first:last],
            codes[first:last],
            kinds,
            quotes[first:last],
            fit=fits,
        )
        for (first, last), fits in zip(borders, fit, strict=True)
    ]


def _fit(
    starts: Integers,
    ends: Integers,
    rows: Sequence[Mapping[str, object]],
    sizes: Integers,
) -> list[bool]:
    """Whether all spans of each row, `sizes` of them, lie within the text of the row,
    and none is empty."""
    texts = [row.get(TEXT) for row in rows]
    lengths = integers([len(t) if isinstance(t, str) else -1 for t in texts])
    row = np.repeat(np.arange(len(rows)), sizes)
    wrong = row[(starts >= ends) | (ends > lengths[row])]
    fit = np.ones(len(rows), dtype=np.bool_)
    fit[wrong] = False
    return fit.tolist()


def _quote(entry: Mapping[str, object]) -> str:
    """The text that a span is said to be; empty where nothing is said."""
    quote = entry.get(TEXT)
    return quote if isinstance(quote, str) else ""


def _document(
    name: str,
    line: int,
    row: Mapping[str, Any],
    options: ReaderOptions,
    findings: Findings,
    spans: Columns | None,
) -> Document:
    own, text = row.get(ID), row.get(TEXT)
    if not (isinstance(own, str) and 0 < len(own.strip()) <= LONGEST_ID):
        message = MESSAGES("id", most=LONGEST_ID)
        named = (n for n, cell in row.items() if n != ID and isinstance(cell, str))
        if other := next(filter(LIKE_AN_ID.search, named), ""):
            message = MESSAGES("id_name", found=other)
        findings.add("id", message, line=line, hint=MESSAGES("object"))
        own = ""
    if not isinstance(text, str | None):
        findings.add("text", MESSAGES("text"), line=line, hint=MESSAGES("object"))
        text = None
    if spans is None:
        spans = _spans(row, line, Kinds(options), findings)
    quotes = spans.quotes if any(spans.quotes) else ()
    document = Document(
        name,
        0,
        text or "",
        spans.starts,
        spans.ends,
        spans.codes,
        spans.kinds,
        tokens=_tokens(row.get(TOKENS), text, line, findings),
        gaps=spans.gaps,
        id=own.strip(),
        line=line,
        groups={g: str(row[g]) for g in GROUPS if isinstance(row.get(g), str)},
        has_text=text is not None,
        quotes=quotes,
        weights=_weights(row, options.weights, line, findings),
    )
    fine = spans.fit and not quotes and document.weights is None
    if document.has_text and not fine:
        check_spans(document, findings)
    return document


def _spans(
    row: Mapping[str, Any], line: int, kinds: Kinds, findings: Findings
) -> Columns:
    """The spans of one text; what is none is noted."""
    name = next((member for member in LISTS if row.get(member) is not None), "")
    given = row[name] if name else []
    hint = MESSAGES("object")
    if not isinstance(given, list):
        findings.add("spans", MESSAGES("spans", name=name), line=line, hint=hint)
        given = []
    spans, codes, quotes = [], [], []
    for number, entry in enumerate(given, 1):
        span = _span(entry)
        if span is None:
            message = _not_a_span(number, entry)
            findings.add("spans", message, line=line, hint=hint)
            continue
        pieces, label = span
        if reason := odd_label(label):
            message = MESSAGES("label", number=number, reason=reason)
            findings.add("label", message, line=line)
            continue
        attributes = entry if isinstance(entry, dict) else {}
        wanted = kinds.options.attributes & attributes.keys()
        code = kinds.code(label, {key: str(attributes[key]) for key in wanted})
        spans.append(in_pieces(pieces))
        codes.append(code)
        quotes.append(_quote(attributes))
    gaps = [span[2] for span in spans]
    return Columns(
        integers([span[0] for span in spans]),
        integers([span[1] for span in spans]),
        integers(codes),
        kinds.all(),
        quotes,
        gaps if any(gaps) else None,
    )


def _span(span: Any) -> tuple[list[Extent], str] | None:
    """Pieces and label; None where they are not written as they should be."""
    if isinstance(span, list):
        label = span[2] if len(span) > 2 else None
        pieces = [span[:2]]
    elif isinstance(span, dict):
        label = span.get("label", span.get("type"))
        pieces = span.get("pieces", [[span.get("start"), span.get("end")]])
    else:
        return None
    if not isinstance(label, str) or isinstance(label, records.NotFinite):
        return None
    extents = _extents(pieces)
    return (extents, label) if extents else None


def _not_a_span(number: int, span: object) -> str:
    """The fault of something that is none."""
    label = span.get("label") if isinstance(span, dict) else None
    named = isinstance(label, str) and not isinstance(label, records.NotFinite)
    if isinstance(label, list | dict):
        return MESSAGES("no_label", number=number)
    if isinstance(span, dict) and named:
        start, end = span.get("start"), span.get("end")
        if isinstance(start, str) and isinstance(end, str):
            about = {"start": brief(start, 20), "end": brief(end, 20)}
            return MESSAGES("offsets", number=number, **about)
    return MESSAGES("span", number=number)


def _extents(pieces: Any) -> list[Extent] | None:
    """Pairs of whole numbers, which the reader of records leaves as text."""
    if not isinstance(pieces, list):
        return None
    for piece in pieces:
        fine = isinstance(piece, list) and len(piece) == 2
        if not fine or not all(map(_is_offset, piece)):
            return None
    return [(int(start), int(end)) for start, end in pieces]


def _is_offset(value: Any) -> bool:
    fine = isinstance(value, str) and value.isascii() and value.isdigit()
    return fine and len(value) <= MOST_DIGITS


def _weights(
    row: Mapping[str, object], name: str, line: int, findings: Findings
) -> Weights | None:
    """The weighted stretches of one text; what is none is noted."""
    given = row.get(name) if name else None
    if given is None:
        return None
    if not isinstance(given, list):
        message = MESSAGES("spans", name=name)
        findings.add("weights", message, line=line, hint=MESSAGES("weigh", name=name))
        return None
    stretches = [*map(_weight, given)]
    for number, stretch in enumerate(stretches, 1):
        if stretch is None:
            message = MESSAGES("weight", number=number, name=name)
            hint = MESSAGES("weigh", name=name)
            findings.add("weights", message, line=line, hint=hint)
    fine = [stretch for stretch in stretches if stretch is not None]
    extents = integers([(start, end) for start, end, _ in fine]).reshape(-1, 2)
    values = np.array([value for *_, value in fine], dtype=np.float64)
    return Weights(extents[:, 0], extents[:, 1], values)


def _weight(given: object) -> tuple[int, int, float] | None:
    """Start, end and weight; None where they are not written as they should be."""
    if isinstance(given, dict):
        value = next((given[name] for name in WEIGHT if name in given), None)
        given = [given.get("start"), given.get("end"), value]
    if not isinstance(given, list) or len(given) != 3:
        return None
    start, end, value = given
    if not (_is_offset(start) and _is_offset(end) and isinstance(value, str)):
        return None
    if not numerals.is_number(value) or float(value) < 0:
        return None
    return int(start), int(end), float(value)


def _tokens(
    given: Any, text: str | None, line: int, findings: Findings
) -> Integers | None:
    if given is None or text is None:
        return None
    pairs: Sequence[Any] = given if isinstance(given, list) else [None]
    extents = _extents(
        [[p.get("start"), p.get("end")] if isinstance(p, dict) else p for p in pairs]
    )
    if extents is None or not all(0 <= a < b <= len(text) for a, b in extents):
        findings.add("tokens", MESSAGES("tokens"), line=line)
        return None
    return integers(extents).reshape(-1, 2)


def written(documents: Sequence[Document], weights: str = "") -> bytes:
    """Documents without their spans and weights."""
    rows = []
    for document in documents:
        row: dict[str, Any] = {ID: document.id, TEXT: document.text, **document.groups}
        if document.tokens is not None:
            row[TOKENS] = document.tokens.tolist()
        row |= {name: [] for name in (LISTS[0], weights) if name}
        rows.append(json.dumps(row, ensure_ascii=False))
    return "".join(f"{row}\n" for row in rows).encode()
