"""Details table, a verdict for every span; the same rows unit by unit."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Flags, Integers
from scoring.formats.codes import of_texts
from scoring.inspection import Inspection, ItemTable, Layers, Picture, Piece
from scoring.options import Options
from scoring.scorer import Cell, Details
from scoring.scorers.spans.annotations import pieces_of
from scoring.scorers.spans.corpus import SpanAnswer, SpanReference, Spans, alike
from scoring.scorers.spans.counts import Verdicts, merged_tags, verdicts
from scoring.scorers.spans.pairs import overlapping_pairs

COLUMNS = (
    "file",
    "type",
    "reflabel",
    "refstart",
    "refend",
    "hyplabel",
    "hypstart",
    "hypend",
    "refcontent",
    "hypcontent",
)
NOBODY = -1
SKIPPED = " … "  # between the pieces of a span
Row = tuple[Cell, ...]


def details(gold: SpanReference, system: SpanAnswer, options: Options) -> Details:
    """Documents in order; in each the matches, the clashes, then what stands alone."""
    return Details(COLUMNS, (row for _, row in detail_rows(gold, system, options)))


def detail_rows(
    gold: SpanReference, system: SpanAnswer, options: Options
) -> Iterator[tuple[int, Row]]:
    """Rows of the details table, each with the place of its document."""
    tags = merged_tags(gold, system, options)
    sides = alike(gold.spans, system.spans, tags)
    printer = RowWriter(gold, system, sides)
    return _rows(len(gold.names), printer)


@dataclass(frozen=True)
class RowWriter:
    """Turns a pair of spans into a row; NOBODY leaves a side empty."""

    gold: SpanReference
    system: SpanAnswer
    sides: tuple[Spans, Spans]

    def row(self, document: int, kind: str, ref: int, hyp: int) -> Row:
        left = self._side(document, self.sides[0], ref)
        right = self._side(document, self.sides[1], hyp)
        file = self.system.files[document]
        return (file, kind, *left[:3], *right[:3], left[3], right[3])

    def _side(self, document: int, spans: Spans, i: int) -> Row:
        if i == NOBODY:
            return ("", "", "", "")
        base = int(self.gold.bases[document])
        start, end = int(spans.start[i]) - base, int(spans.end[i]) - base
        text, gaps = self.gold.texts[document], spans.forms[int(spans.form[i])]
        content = SKIPPED.join(text[a:b] for a, b in pieces_of(start, end, gaps))
        return spans.labels[int(spans.label[i])], start, end, content

    def clash(self, document: int, ref: int, hyp: int) -> Row:
        first, second = self.sides
        place = (first.start[ref], first.end[ref], first.form[ref]) != (
            second.start[hyp],
            second.end[hyp],
            second.form[hyp],
        )
        label = first.label[ref] != second.label[hyp]
        kind = "bothclash" if place and label else "spanclash" if place else "tagclash"
        return self.row(document, kind, ref, hyp)


def _rows(documents: int, printer: RowWriter) -> Iterator[tuple[int, Row]]:
    judged = verdicts(*printer.sides)
    borders = [
        np.searchsorted(side.document, np.arange(documents + 1)).tolist()
        for side in printer.sides
    ]
    for document in range(documents):
        parts = tuple(np.arange(b[document], b[document + 1]) for b in borders)
        for row in _document(document, printer, judged, (parts[0], parts[1])):
            yield document, row


def _document(
    document: int,
    printer: RowWriter,
    judged: tuple[Verdicts, Verdicts],
    parts: tuple[Integers, Integers],
) -> Iterator[Row]:
    """Rows of one document; `parts` are the indices of its spans on both sides."""
    match, clash, alone = (
        [part[getattr(v, kind)[part]] for v, part in zip(judged, parts, strict=True)]
        for kind in ("match", "clash", "alone")
    )
    for ref, hyp in zip(*(side.tolist() for side in match), strict=True):
        yield printer.row(document, "match", ref, hyp)
    for ref, hyp in _clashes(printer.sides, parts, (clash[0], clash[1])):
        yield printer.clash(document, ref, hyp)
    for ref in alone[0].tolist():
        yield printer.row(document, "missing", ref, NOBODY)
    for hyp in alone[1].tolist():
        yield printer.row(document, "spurious", NOBODY, hyp)


def _clashes(
    sides: tuple[Spans, Spans],
    parts: tuple[Integers, Integers],
    clash: tuple[Integers, Integers],
) -> Iterator[tuple[int, int]]:
    """Clashing spans in pairs, best first, each once; then the spans left over. A span
    left over comes with its best counterpart, whatever became of that."""
    ref, hyp, inner = _overlapping(sides, parts)
    order = _best_first(sides, ref, hyp, inner)
    pairs = list(zip(ref[order].tolist(), hyp[order].tolist(), strict=True))
    free = set(clash[0].tolist()), set(clash[1].tolist())
    for reference, answer in pairs:
        if reference in free[0] and answer in free[1]:
            free[0].remove(reference)
            free[1].remove(answer)
            yield reference, answer
    for reference, answer in pairs:
        if reference in free[0]:
            free[0].remove(reference)
            yield reference, answer
        if answer in free[1]:
            free[1].remove(answer)
            yield reference, answer


def _overlapping(
    sides: tuple[Spans, Spans], parts: tuple[Integers, Integers]
) -> tuple[Integers, Integers, Integers]:
    """All pairs of the document's spans that share characters, and how many."""
    first, second = (side.at(part) for side, part in zip(sides, parts, strict=True))
    ref, hyp, shared = overlapping_pairs(first, second)
    return parts[0][ref], parts[1][hyp], shared


def _best_first(
    sides: tuple[Spans, Spans], ref: Integers, hyp: Integers, inner: Integers
) -> Integers:
    """Order of clashes: by overlap over union, then the same label, then position."""
    first, second = sides
    sizes = first.sizes[ref] + second.sizes[hyp]
    other = first.label[ref] != second.label[hyp]
    return np.lexsort((hyp, ref, other, -inner / (sizes - inner)))


VERDICTS = ("match", "tagclash", "spanclash", "bothclash", "missing", "spurious")
ITEM_COLUMNS = ("verdict", "gold_tag", "gold_text", "system_tag", "system_text")


def inspection(gold: SpanReference, system: SpanAnswer, options: Options) -> Inspection:
    """An item per row of the details table; a unit is as long as its tokens."""
    rows = list(detail_rows(gold, system, options))
    kinds = np.array([VERDICTS.index(str(row[1])) for _, row in rows], dtype=np.int64)
    wrong: dict[str, Flags] = {
        name: kinds == place for place, name in enumerate(VERDICTS) if place
    }
    units = gold.units
    sizes = np.bincount(units.at(gold.tokens.start), minlength=len(units.names))
    items = SpanItems(gold, rows)
    return Inspection(sizes, items.unit_of, wrong, items.picture, items.layers)


@dataclass(frozen=True)
class SpanItems:
    """The rows of all documents, each with its document, by units."""

    gold: SpanReference
    rows: list[tuple[int, Row]]

    def layers(self) -> Layers:
        gold, system = (
            of_texts([str(row[side]) for _, row in self.rows]) for side in (2, 5)
        )
        return {"tag": (gold, system)}

    @cached_property
    def unit_of(self) -> Integers:
        """Unit of each row: where the gold's span begins, or else the system's."""
        starts = [row[3] if isinstance(row[3], int) else row[6] for _, row in self.rows]
        places = [
            int(self.gold.bases[document]) + int(start or 0)
            for (document, _), start in zip(self.rows, starts, strict=True)
        ]
        return self.gold.units.at(np.array(places, dtype=np.int64))

    @cached_property
    def by_unit(self) -> dict[int, list[Row]]:
        by_unit: dict[int, list[Row]] = {}
        for unit, (_, row) in zip(self.unit_of.tolist(), self.rows, strict=True):
            by_unit.setdefault(unit, []).append(row)
        return by_unit

    def picture(self, unit: int) -> Picture:
        """The text with the spans of both sides, and a row per pair of spans."""
        rows = self.by_unit.get(unit, [])
        cells = ((row[1], row[2], row[8], row[5], row[9]) for row in rows)
        sheet = ItemTable.by_verdict(ITEM_COLUMNS, cells)
        start, text = self._text(unit)
        pieces = _pieces(rows, 2, start), _pieces(rows, 5, start)
        return Picture(sheet, text=text, pieces=pieces)

    def _text(self, unit: int) -> tuple[int, str]:
        """Offset of the unit in the text of its document, and its own text."""
        units = self.gold.units
        document = int(units.document[unit])
        base, text = int(self.gold.bases[document]), self.gold.texts[document]
        start = int(units.starts[unit]) - base
        last = unit + 1 == len(units.names) or int(units.document[unit + 1]) != document
        end = len(text) if last else int(units.starts[unit + 1]) - base
        # What parts sentences belongs to neither.
        whole = units.kind == "document"
        return start, text[start:end] if whole else text[start:end].rstrip("\n")


def _pieces(rows: list[Row], first: int, offset: int) -> tuple[Piece, ...]:
    """Spans of the side whose label, start and end begin at `first`, each once. A span
    that is met again was left over from a clash and is shown by its first row."""
    pieces: dict[tuple[int, int, str], Piece] = {}
    for row in rows:
        label, start, end = row[first : first + 3]
        if isinstance(start, int) and isinstance(end, int):
            piece = Piece(start - offset, end - offset, str(label), str(row[1]))
            pieces.setdefault((start, end, str(label)), piece)
    return tuple(sorted(pieces.values(), key=lambda p: (p.start, p.end, p.label)))
