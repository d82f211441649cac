"""Every token with its seven scores, gold and system beside each other."""

from dataclasses import dataclass

import numpy as np

from scoring.formats.codes import Coded, Flags
from scoring.formats.conllu import DEPREL, FORM, ID, UPOS
from scoring.inspecting import Cell, Inspection, ItemTable, Picture, kinds_at
from scoring.scorers.semarkup.counting import (
    SCORES,
    SHOWN_COLUMNS,
    SHOWN_NAMES,
    TokenScores,
    scores,
)
from scoring.scorers.semarkup.markup import SEMCLASS, SEMSLOT, Markup, MarkupGold

LAYERS = {"pos": UPOS, "deprel": DEPREL, "semslot": SEMSLOT, "semclass": SEMCLASS}
COLUMNS = ("id", "form", *(f"{name}_found" for name in SHOWN_NAMES), *SCORES)


def inspection(gold: MarkupGold, system: Markup) -> Inspection:
    """An item per token, with each of the seven scores that is not its best."""
    found, markup = scores(gold, system), gold.markup
    best = {name: np.ones(len(found.lemma)) for name in SCORES}
    best["lemma"] = found.weight
    wrong: dict[str, Flags] = {
        name: np.asarray(getattr(found, name), dtype=np.float64) < best[name]
        for name in SCORES
    }
    shown = MarkupItems(gold, system, found, wrong)
    unit_of = markup.table.sentence_of
    return Inspection(markup.sizes, unit_of, wrong, shown.picture, shown.layers)


@dataclass(frozen=True)
class MarkupItems:
    """Both sides, what was found and what of it is wrong (n,)."""

    gold: MarkupGold
    system: Markup
    found: TokenScores
    wrong: dict[str, Flags]

    def layers(self) -> dict[str, tuple[Coded, Coded]]:
        return {
            name: (self.gold.markup.coded(column), self.system.coded(column))
            for name, column in LAYERS.items()
        }

    def picture(self, unit: int) -> Picture:
        """A row per token; where both sides differ, "gold → system"."""
        markup = self.gold.markup
        first = int(markup.first[unit])
        rows = np.arange(first, first + int(markup.sizes[unit]))
        place = [markup.field(column, rows).texts() for column in (ID, FORM)]
        values = [
            np.asarray(getattr(self.found, name)[rows], dtype=np.float64).tolist()
            for name in SCORES
        ]
        pairs = [
            [
                _both(one, other)
                for one, other in zip(
                    markup.field(column, rows).texts(),
                    self.system.field(column, rows).texts(),
                    strict=True,
                )
            ]
            for column in SHOWN_COLUMNS
        ]
        cells: tuple[tuple[Cell, ...], ...] = tuple(
            zip(*place, *pairs, *values, strict=True)
        )
        marks = tuple(kinds_at(self.wrong, row) for row in rows.tolist())
        return Picture(ItemTable(COLUMNS, cells, marks))


def _both(gold: str, system: str) -> str:
    return gold if gold == system else f"{gold} → {system}"
