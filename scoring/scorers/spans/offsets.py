"""Spans in JSON Lines: an object for each text, with character offsets.

`{"id": "t1", "text": "...", "spans": [{"start": 0, "end": 5, "label": "NAME"}]}`; a
span in several pieces has `"pieces": [[0, 5], [9, 12]]` in place of start and end, and
one may also be a list, `[0, 5, "NAME"]`. The list may be called `entities` or `label`,
as programs for annotation call it. Offsets are half-open, in code points. A system's
file may leave out the texts.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.counts import Integers
from scoring.errors import Findings, Refused
from scoring.formats import records
from scoring.messages import Messages, _
from scoring.scorers.spans.annotations import (
    Document,
    Extent,
    Kinds,
    ReaderOptions,
    check_spans,
    in_pieces,
    integers,
    odd_label,
)
from scoring.source import Source

MESSAGES = Messages(
    {
        "id": _("the object has no id that is a text of %(most)s characters."),
        "object": _(
            'Write one object a line: {"id": "...", "text": "...", "spans": [{"start": '
            '0, "end": 5, "label": "..."}]}.'
        ),
        "text": _("'text' is no text."),
        "spans": _("'%(name)s' is no list."),
        "span": _("span %(number)s lacks start, end or label, as in [0, 5, 'NAME']."),
        "tokens": _("'tokens' is no list of pairs of offsets within the text."),
        "label": _("span %(number)s: %(reason)s"),
    }
)

ID, TEXT, TOKENS = "id", "text", "tokens"
LISTS = ("spans", "entities", "label", "labels")
GROUPS = ("genre", "language")
COSTS = ((b"{", 2_000_000), (b"[", 2_000_000))
LONGEST_ID, MOST_DIGITS = 200, 9
HEAD = 1 << 20


def begins(data: bytes) -> bool:
    """Whether the first line is an object of this kind."""
    line = data.lstrip()[:HEAD].split(b"\n", 1)[0]
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return False
    if not isinstance(record, dict) or "signal" in record:
        return False
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
        documents = [
            _document(name, line, row, options, findings)
            for line, row in zip(lines, rows, strict=True)
        ]
        findings.raise_if_any()
        yield from documents


def _document(
    name: str,
    line: int,
    row: Mapping[str, Any],
    options: ReaderOptions,
    findings: Findings,
) -> Document:
    hint = MESSAGES("object")
    own, text = row.get(ID), row.get(TEXT)
    if not (isinstance(own, str) and 0 < len(own.strip()) <= LONGEST_ID):
        message = MESSAGES("id", most=LONGEST_ID)
        findings.add("id", message, line=line, hint=hint)
        own = ""
    if not isinstance(text, str | None):
        findings.add("text", MESSAGES("text"), line=line, hint=hint)
        text = None
    kinds = Kinds(options)
    spans, codes, quotes = _spans(row, line, kinds, findings)
    document = Document(
        name,
        0,
        text or "",
        integers([span[0] for span in spans]),
        integers([span[1] for span in spans]),
        integers(codes),
        kinds.all(),
        tokens=_tokens(row.get(TOKENS), text, line, findings),
        lines=integers([line] * len(spans)),
        gaps=[span[2] for span in spans] if any(span[2] for span in spans) else None,
        id=own.strip(),
        line=line,
        groups={g: str(row[g]) for g in GROUPS if isinstance(row.get(g), str)},
        has_text=text is not None,
        quotes=quotes,
    )
    if document.has_text:
        check_spans(document, findings)
    return document


def _spans(
    row: Mapping[str, Any], line: int, kinds: Kinds, findings: Findings
) -> tuple[list[tuple[int, int, tuple[int, ...]]], list[int], list[str]]:
    """Starts, ends and gaps, the codes of labels, and the texts that spans quote; what
    is no span is noted."""
    name = next((member for member in LISTS if row.get(member) is not None), "")
    given = row[name] if name else []
    hint = MESSAGES("object")
    if not isinstance(given, list):
        findings.add("spans", MESSAGES("spans", name=name), line=line, hint=hint)
        return [], [], []
    spans, codes, quotes = [], [], []
    for number, entry in enumerate(given, 1):
        span = _span(entry)
        if span is None:
            message = MESSAGES("span", number=number)
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
        quote = attributes.get(TEXT)
        quotes.append(quote if isinstance(quote, str) else "")
    return spans, codes, quotes


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
    extents = _extents(pieces)
    return (extents, label) if extents and isinstance(label, str) else None


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


def written(documents: Sequence[Document]) -> bytes:
    """Documents without their spans."""
    rows = []
    for document in documents:
        row: dict[str, Any] = {ID: document.id, TEXT: document.text, **document.groups}
        if document.tokens is not None:
            row[TOKENS] = document.tokens.tolist()
        rows.append(json.dumps({**row, LISTS[0]: []}, ensure_ascii=False))
    return "".join(f"{row}\n" for row in rows).encode()
