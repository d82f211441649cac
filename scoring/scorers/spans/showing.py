"""Every document with its spans and their verdicts, as the details table has them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from scoring.formats.codes import Flags, of_texts
from scoring.inspecting import Inspection, Layers, Picture, Piece, Sheet
from scoring.options import Options
from scoring.scorers.spans.corpus import Answer, Reference
from scoring.scorers.spans.detail import Row, judged

VERDICTS = ("match", "tagclash", "spanclash", "bothclash", "missing", "spurious")
COLUMNS = ("verdict", "gold_tag", "gold_text", "system_tag", "system_text")


def inspection(gold: Reference, system: Answer, options: Options) -> Inspection:
    """An item per row of the details table; a document is as long as its tokens."""
    rows = list(judged(gold, system, options))
    kinds = np.array([VERDICTS.index(str(row[1])) for _, row in rows], dtype=np.int64)
    wrong: dict[str, Flags] = {
        name: kinds == place for place, name in enumerate(VERDICTS) if place
    }
    sizes = np.bincount(gold.tokens.document, minlength=len(gold.names))
    shown = Documents(gold, rows)
    unit_of = np.array([document for document, _ in rows], dtype=np.int64)
    return Inspection(sizes, unit_of, wrong, shown.picture, shown.layers)


@dataclass(frozen=True)
class Documents:
    """The rows of all documents, each with its document."""

    gold: Reference
    rows: list[tuple[int, Row]]

    def layers(self) -> Layers:
        gold, system = (
            of_texts([str(row[side]) for _, row in self.rows]) for side in (2, 5)
        )
        return {"tag": (gold, system)}

    @cached_property
    def by_document(self) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {}
        for document, row in self.rows:
            found.setdefault(document, []).append(row)
        return found

    def picture(self, unit: int) -> Picture:
        """The text with the spans of both sides, and a row per pair of spans."""
        rows = self.by_document.get(unit, [])
        cells = tuple((row[1], row[2], row[8], row[5], row[9]) for row in rows)
        marks = tuple(() if row[1] == "match" else (str(row[1]),) for row in rows)
        pieces = _pieces(rows, 2), _pieces(rows, 5)
        sheet = Sheet(COLUMNS, cells, marks)
        return Picture(sheet, text=self.gold.texts[unit], pieces=pieces)


def _pieces(rows: list[Row], first: int) -> tuple[Piece, ...]:
    """Spans of the side whose label, start and end begin at `first`, each once.

    A span that is met again was left over from a clash and is shown by its first row.
    """
    found: dict[tuple[int, int, str], Piece] = {}
    for row in rows:
        label, start, end = row[first : first + 3]
        if isinstance(start, int) and isinstance(end, int):
            piece = Piece(start, end, str(label), str(row[1]))
            found.setdefault((start, end, str(label)), piece)
    return tuple(sorted(found.values(), key=lambda p: (p.start, p.end, p.label)))
