"""Weights of relations: CSV with one relation and its weight per line."""

import csv
from collections.abc import Iterator

from scoring.errors import Findings, Refused, SetupError
from scoring.source import Source, decode

HEADER = "relation"
# Fixed-point sums of weights are exact up to this, and far beyond.
MOST = 1000.0


def read(source: Source) -> dict[str, float]:
    """Weight of each relation; what `wde --format csv` prints can be read as it is.

    A first line that begins with `relation` is a header; columns after the second are
    ignored. Raises SetupError with the line of a bad row.
    """
    findings = Findings(source.name)
    weights: dict[str, float] = {}
    for line, row in _rows(source):
        relation, weight = row[0].strip(), _weight(row)
        if line == 1 and relation == HEADER:
            continue
        if weight is None or not relation or relation in weights:
            message = f"expected a new relation and its weight from 0 to {MOST:g}"
            findings.add("weight", f"{message}, as in 'nsubj,0.68'.", line=line)
            continue
        weights[relation] = weight
    if not weights and not findings.problems:
        findings.add("no_weights", "expected lines such as 'nsubj,0.68', found none.")
    findings.raise_if_any(SetupError)
    return weights


def _rows(source: Source) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, cut at commas."""
    try:
        text = decode(source.name, source.single())
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    for line, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            yield line, next(csv.reader([written]))
        except csv.Error:
            yield line, [""]


def _weight(row: list[str]) -> float | None:
    try:
        number = float(row[1])
    except (IndexError, ValueError):
        return None
    return number if 0 <= number <= MOST else None
