"""Which document of the reference a document of a submission answers."""

import numpy as np

from scoring.errors import Findings, Problem
from scoring.formats.spans import Document
from scoring.options import Options
from scoring.scorers.spans.corpus import SINGLE, SpanReference


class DocumentPairing:
    """Finds the reference's document of each document of a submission."""

    def __init__(self, gold: SpanReference, options: Options, single: bool) -> None:
        self.gold = gold
        self.off: str = options["ref_suffix_off"]
        self.on: str = options["ref_suffix_on"]
        self.single = single
        self.found: dict[int, str] = {}

    def names(self, document: Document) -> list[str]:
        """What the document may be called in the reference."""
        own = [document.file, document.also] if document.also else [document.file]
        if self.off or self.on:
            own = [
                n.removesuffix(self.off) + self.on for n in own if n.endswith(self.off)
            ]
        return [*own, SINGLE] if self.single else own

    def place(self, document: Document, problems: list[Problem]) -> int | None:
        """Its place; None, with a problem noted, if there is none or texts differ."""
        keys = [(name, document.part) for name in self.names(document)]
        place = next((self.gold.places[k] for k in keys if k in self.gold.places), None)
        if place is None or place in self.found:
            what = "there is no such document in the reference"
            if place is not None:
                what = f"a second document for {self.gold.names[place]}"
            problem = Problem("extra", what, document.file, unit=document.name)
            problems.append(problem)
            return None
        self.found[place] = document.name
        text = self.gold.texts[place]
        if document.text != text:
            problems.append(difference(document, text))
            return None
        return place

    def missing(self, file: str) -> list[Problem]:
        findings = Findings(file)
        for i, name in enumerate(self.gold.names):
            if i not in self.found:
                findings.add("missing", f"document {name} is missing", unit=name)
        return findings.problems


SHOWN = 20


def difference(document: Document, text: str) -> Problem:
    """Where the text of a submission leaves the reference's, which all may read."""
    place = first_difference(document.text, text)
    shown = document.text[place : place + SHOWN], text[place : place + SHOWN]
    message = (
        f"the text differs from the reference at character {place}: "
        f"expected {shown[1]!r}, found {shown[0]!r}"
    )
    line = _line(document, place)
    return Problem("text", message, document.file, line, unit=document.name)


def first_difference(one: str, other: str) -> int:
    """The first index at which two different strings differ, by bisection."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _line(document: Document, place: int) -> int | None:
    if document.lines is None or document.tokens is None or not len(document.lines):
        return None
    row = int(np.searchsorted(document.tokens[:, 1], place, side="left"))
    return int(document.lines[min(row, len(document.lines) - 1)])
