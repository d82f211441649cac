"""Every instance with its senses, and what each of them earned."""

from dataclasses import dataclass

import numpy as np

from scoring.counts import Floats, Integers
from scoring.formats.codes import Coded, Flags, of_texts
from scoring.inspecting import Cell, Inspection, ItemTable, Picture
from scoring.options import Options
from scoring.scorers.senseval.credit import Trial, scale, scores

COLUMNS = ("side", "sense", "weight", "credit", "earned")


def inspection(compared: Trial, options: Options) -> Inspection:
    """One item per instance; its labels are the key's senses and the best guess."""
    found = scores(compared, options)
    answered = found["attempted"] > 0
    wrong: dict[str, Flags] = {
        "unanswered": ~answered,
        "wrong": answered & (found["score"] == 0),
        "partial": (found["score"] > 0) & (found["score"] < found["total"]),
    }
    rows = np.arange(compared.size)
    shown = Instances(compared, options)
    return Inspection(
        np.ones_like(rows),
        rows,
        wrong,
        shown.picture,
        lambda: {"sense": (shown.keys(), shown.guesses())},
    )


@dataclass(frozen=True)
class Instances:
    """What was compared, instance by instance."""

    compared: Trial
    options: Options

    def keys(self) -> Coded:
        """The senses of each key, joined (n,)."""
        compared = self.compared
        senses: list[list[str]] = [[] for _ in range(compared.size)]
        pairs = zip(compared.key_of.tolist(), compared.key.tolist(), strict=True)
        for row, code in pairs:
            senses[row].append(compared.names[code])
        return of_texts([" ".join(found) for found in senses])

    def guesses(self) -> Coded:
        """The heaviest guess of each answer, the first among equals (n,)."""
        compared = self.compared
        order = np.lexsort((-compared.weight, compared.guess_of))
        rows, first = np.unique(compared.guess_of[order], return_index=True)
        codes = np.full(compared.size, len(compared.names))
        codes[rows] = compared.guess[order][first]
        return Coded(codes, [*compared.names, ""])

    def picture(self, unit: int) -> Picture:
        """Key senses, then guesses with weight, credit and what they earned."""
        guesses = np.flatnonzero(self.compared.guess_of == unit)
        keys = np.flatnonzero(self.compared.key_of == unit)
        hits = self.compared.hits
        marks: list[tuple[str, ...]] = [() for _ in keys]
        marks += [("wrong",) * (not hits[i]) for i in guesses]
        rows = [*self._keys(keys), *self._guesses(guesses, unit)]
        sheet = ItemTable(COLUMNS, tuple(rows), tuple(marks))
        lines = tuple(str(row[1]) for row in rows)
        return Picture(sheet, lines=(lines[: len(keys)], lines[len(keys) :]))

    def _keys(self, rows: Integers) -> list[tuple[Cell, ...]]:
        names, codes = self.compared.names, self.compared.key[rows].tolist()
        return [("key", names[code], None, None, None) for code in codes]

    def _guesses(self, rows: Integers, unit: int) -> list[tuple[Cell, ...]]:
        divisor = scale(self.compared, self.options)[unit]
        weights: Floats = self.compared.weight[rows] / divisor
        credits = self.compared.hits[rows]
        return [
            ("guess", self.compared.names[code], weight, credit, weight * credit)
            for code, weight, credit in zip(
                self.compared.guess[rows].tolist(),
                weights.tolist(),
                credits.tolist(),
                strict=True,
            )
        ]
