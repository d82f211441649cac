"""Headings: a direction in whole degrees for each item, where 359 lies beside 1."""

from dataclasses import dataclass

import numpy as np

from scoring.counts import Counts, Integers
from scoring.errors import Findings, Refused, ScoringError, SetupError
from scoring.formats import answers
from scoring.formats.answers import Answers, Layout
from scoring.measures import Measure, ratio, simple_share
from scoring.options import Option, Options
from scoring.scorer import Details, Scorer
from scoring.source import Source

DEGREES = frozenset(map(str, range(360)))
LAYOUT = Layout("degrees", groups=("document",))


@dataclass(frozen=True)
class Headings:
    """The items of a file, and the direction of each."""

    items: Answers
    degrees: Integers


def parsed(items: Answers, kind: type[ScoringError]) -> Headings:
    findings = Findings(items.name)
    for place, text in enumerate(items.texts):
        if text not in DEGREES:
            message = f"expected whole degrees from 0 to 359, found '{text[:20]}'."
            findings.add("degrees", message, line=items.line_of(place))
    findings.raise_if_any(kind)
    return Headings(items, np.array(list(map(int, items.texts)), dtype=np.int64))


def read_gold(source: Source, options: Options) -> Headings:
    return parsed(answers.read_gold(source, LAYOUT), SetupError)


def read_blind(source: Source, options: Options) -> Headings:
    return Headings(answers.read_blind(source, LAYOUT), np.zeros(0, dtype=np.int64))


def read_system(source: Source, options: Options, gold: Headings) -> Headings:
    return parsed(answers.read_system(source, LAYOUT, gold.items), Refused)


def errors(gold: Headings, system: Headings) -> Integers:
    apart = np.abs(gold.degrees - system.degrees)
    return np.minimum(apart, 360 - apart)


def count(gold: Headings, system: Headings, options: Options) -> Counts:
    off, items = errors(gold, system), gold.items
    close = off <= int(options["within"])
    columns = {"close": close, "degrees": off, "all": np.ones(len(items))}
    rows = np.arange(len(items))
    return Counts.per_unit(tuple(items.ids), rows, columns, dict(items.groups))


def details(gold: Headings, system: Headings, options: Options) -> Details:
    numbers = (gold.degrees.tolist(), system.degrees.tolist(), errors(gold, system))
    rows = zip(gold.items.ids, *map(list, numbers), strict=True)
    return Details(("id", "gold", "system", "error"), rows)


SCORER = Scorer(
    name="headings",
    title="Headings",
    summary="A direction in whole degrees for each item.",
    formats=("CSV", "TSV", "JSON Lines"),
    example="id,degrees\nlog-1,90\nlog-2,355\nlog-3,181\n",
    units=("item", "document"),
    headline="close",
    options=(
        Option(
            "within", "degrees that count as close", "choice", "15", ("5", "15", "45")
        ),
    ),
    fixed_measures=(
        Measure(
            name="close",
            title="Close",
            columns=("close", "all"),
            score=ratio,
            formula="items within that many degrees / items",
            share=simple_share,
        ),
        Measure(
            name="error",
            title="Mean error",
            columns=("degrees", "all"),
            score=ratio,
            formula="sum of degrees apart / items",
            higher_is_better=False,
            percent=False,
            bounds=(0.0, 180.0),
        ),
    ),
    read_gold=read_gold,
    read_blind=read_blind,
    read_system=read_system,
    count=count,
    details=details,
    blind=lambda gold, options: answers.blind(gold, LAYOUT),
    guess=lambda files, options: answers.guess(files, LAYOUT, lambda name: "0"),
    spoil=lambda texts, share, random: answers.spoil(texts, share, random, LAYOUT),
)
