"""Every unit with its spans and their verdicts, as the details table has them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.counts import Integers
from scoring.formats.codes import Flags, of_texts
from scoring.inspecting import Inspection, ItemTable, Layers, Picture, Piece
from scoring.options import Options
from scoring.scorers.spans.corpus import SpanAnswer, SpanReference
from scoring.scorers.spans.detail import Row, judged

VERDICTS = ("match", "tagclash", "spanclash", "bothclash", "missing", "spurious")
COLUMNS = ("verdict", "gold_tag", "gold_text", "system_tag", "system_text")


def inspection(gold: SpanReference, system: SpanAnswer, options: Options) -> Inspection:
    """An item per row of the details table; a unit is as long as its tokens."""
    rows = list(judged(gold, system, options))
    kinds = np.array([VERDICTS.index(str(row[1])) for _, row in rows], dtype=np.int64)
    wrong: dict[str, Flags] = {
        name: kinds == place for place, name in enumerate(VERDICTS) if place
    }
    units = gold.units
    sizes = np.bincount(units.at(gold.tokens.start), minlength=len(units.names))
    shown = SpanItems(gold, rows)
    return Inspection(sizes, shown.unit_of, wrong, shown.picture, shown.layers)


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
        """Of each row: where the gold's span begins, or else the system's."""
        starts = [row[3] if isinstance(row[3], int) else row[6] for _, row in self.rows]
        places = [
            int(self.gold.bases[document]) + int(start or 0)
            for (document, _), start in zip(self.rows, starts, strict=True)
        ]
        return self.gold.units.at(np.array(places, dtype=np.int64))

    @cached_property
    def by_unit(self) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {}
        for unit, (_, row) in zip(self.unit_of.tolist(), self.rows, strict=True):
            found.setdefault(unit, []).append(row)
        return found

    def picture(self, unit: int) -> Picture:
        """The text with the spans of both sides, and a row per pair of spans."""
        rows = self.by_unit.get(unit, [])
        cells = tuple((row[1], row[2], row[8], row[5], row[9]) for row in rows)
        marks = tuple(() if row[1] == "match" else (str(row[1]),) for row in rows)
        start, text = self._text(unit)
        pieces = _pieces(rows, 2, start), _pieces(rows, 5, start)
        return Picture(ItemTable(COLUMNS, cells, marks), text=text, pieces=pieces)

    def _text(self, unit: int) -> tuple[int, str]:
        """Where the unit begins in the text of its document, and its own text."""
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
    """Spans of the side whose label, start and end begin at `first`, each once.

    A span that is met again was left over from a clash and is shown by its first row.
    """
    found: dict[tuple[int, int, str], Piece] = {}
    for row in rows:
        label, start, end = row[first : first + 3]
        if isinstance(start, int) and isinstance(end, int):
            piece = Piece(start - offset, end - offset, str(label), str(row[1]))
            found.setdefault((start, end, str(label)), piece)
    return tuple(sorted(found.values(), key=lambda p: (p.start, p.end, p.label)))
