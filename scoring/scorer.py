"""Scorer: reading, counting and the measures of the counts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from scoring.counts import Counts
from scoring.inspection import Inspection
from scoring.measures import Measure
from scoring.options import Option, Options
from scoring.source import Source

Cell = str | int | float | None
Tables = dict[str, dict[str, dict[str, float | None]]]


@dataclass(frozen=True)
class Details:
    """The per-item table behind a score: column names and rows."""

    columns: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def no_tables(_counts: Counts, _options: Options) -> Tables:
    return {}


def no_remarks(_gold: Any, _system: Any, _options: Options) -> list[str]:
    return []


@dataclass(frozen=True)
class Scorer:
    """One way of scoring. A file in scoring/scorers with a `SCORER` is registered.

    `read_gold` raises SetupError; `read_blind` reads the published file without the
    answers into the same kind of value; `read_system(source, options, gold)` takes
    gold or blind, pairs with it and raises Refused; `count` turns the pair into
    Counts whose units are the finest kind (`units[0]`, or what `finest` says of this
    gold); coarser kinds in `units` are groupings of the counts. `measures(columns)`
    may depend on the columns (per-tag measures); with no columns it gives the fixed
    ones. `blind` makes the published
    file out of gold where the organizer gives none. `remarks(gold, system, options)`
    says what is no error but should be known. `spoil(gold, options, share, seed)`
    gives a copy of gold with mistakes where `scoring.examples` does not know the
    format. `inspect(gold, system, options)` says what is wrong item by item, its units
    in the order of the counts. `example` is a short valid system file of our own.
    `version` rises with every change that gives other counts or values for some file:
    it stands in the signature, and a test pins what each version gives.
    """

    name: str
    title: str
    summary: str
    formats: tuple[str, ...]
    example: str
    units: tuple[str, ...]
    headline: str
    options: tuple[Option, ...]
    measures: Callable[[tuple[str, ...]], tuple[Measure, ...]]
    read_gold: Callable[[Source, Options], Any]
    read_blind: Callable[[Source, Options], Any]
    read_system: Callable[[Source, Options, Any], Any]
    count: Callable[[Any, Any, Options], Counts]
    details: Callable[[Any, Any, Options], Details]
    blind: Callable[[Source, Options], Source]
    tables: Callable[[Counts, Options], Tables] = no_tables
    remarks: Callable[[Any, Any, Options], list[str]] = no_remarks
    spoil: Callable[[Source, Options, float, int], Source] | None = None
    inspect: Callable[[Any, Any, Options], Inspection] | None = None
    finest: Callable[[Any], str] | None = None
    version: int = 1

    def unit_of(self, gold: Any) -> str:
        """The unit that `count` gives for this gold."""
        return self.finest(gold) if self.finest else self.units[0]

    def measure(self, name: str, columns: tuple[str, ...] = ()) -> Measure:
        """The measure of that name; that of one tag, as "f1[PERSON]", among them.
        Raises KeyError when this scorer has none."""
        known = {m.name: m for m in self.measures(columns)}
        if name not in known and name.endswith("]"):
            known = {m.name: m for m in self.measures(self._columns_of_tag(name))}
        return known[name]

    def _columns_of_tag(self, name: str) -> tuple[str, ...]:
        """Names of the counts of the tag that stands behind `name`."""
        fixed = dict.fromkeys(c for m in self.measures(()) for c in m.columns)
        return tuple(c + name[name.find("[") :] for c in fixed)
