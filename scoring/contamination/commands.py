"""overlap: what of a test set stands in other texts, and twice in itself."""

import argparse
import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from scoring.commands import (
    OPTION,
    SCORER,
    argument,
    check_standard_input,
    command,
    layouts,
    options_of,
    scorer_of,
    source_of,
    whole,
)
from scoring.contamination.overlap import NEAR, Overlap, UnitOverlap, unit_overlaps
from scoring.contamination.texts import UnitTexts, blocks, places_of, texts_of
from scoring.errors import Problem, Refused
from scoring.messages import Messages, _
from scoring.source import Source

MESSAGES = Messages(
    no_texts=_("the files of this test set hold no text of five words or more"),
    ids_alone=_("Ids, labels and numbers alone cannot be found again in other texts."),
)
SHOWN = 50  # units in text; JSON and CSV have all
COLUMNS = ("unit", "found", "near", "near_share", "share", "twin", "twin_share")


@command(
    "overlap",
    "say which units of a test set stand in other texts, or twice in itself",
    SCORER,
    argument("--gold", type=Path, required=True, metavar="FILE", help="gold file"),
    argument(
        "--blind", type=Path, metavar="FILE", help="published file, if there is one"
    ),
    argument(
        "--texts",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="text, JSON Lines, JSON, CSV or TSV, or zips of such; without one the "
        "test set is compared with itself alone",
    ),
    argument(
        "--order",
        type=whole(5, 50),
        default=13,
        metavar="N",
        help="words of an n-gram; most papers count 13",
    ),
    argument("--canary", default="", help="a string to look for in the texts"),
    OPTION,
    layouts("text", "json", "csv"),
    example="attachment --gold gold.conllu --texts crawl.txt",
)
def overlap(called: argparse.Namespace) -> int:
    scorer = scorer_of(called)
    options = options_of(scorer, called)
    check_standard_input([called.gold, *called.texts])
    gold = source_of(called.gold)
    blind = source_of(called.blind) if called.blind else gold
    own = texts_of(scorer, options, blind, gold)
    texts = [source_of(path) for path in called.texts]
    counted, units = compare(own, texts, called.order, gold.name)
    canaries = places_of(called.canary, texts) if called.canary else []
    if called.format == "json":
        answer = {"counted": counted, "canaries": canaries, "units": units}
        print(json.dumps(answer, indent=2, ensure_ascii=False))
    elif called.format == "csv":
        print(_csv(units), end="")
    else:
        print(_text(counted, units, canaries))
    return 0


def compare(
    own: UnitTexts, sources: Sequence[Source], order: int, name: str
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """Numbers of all units, and a row of COLUMNS for each unit of which there is
    something to tell, the worst first. Raises Refused for a test set without texts."""
    overlaps = Overlap(own.texts, np.array(own.unit, np.int64), len(own.names), order)
    if not overlaps.compared.any():
        hint = MESSAGES("ids_alone")
        raise Refused([Problem("no_texts", MESSAGES("no_texts"), name, hint=hint)])
    texts = tokens = 0
    for block in blocks(sources):
        texts += len(block.texts)
        tokens += overlaps.look(block)
    units = sorted(unit_overlaps(overlaps), key=_worst_first)
    counted = {
        "units": len(own.names),
        "compared": len(np.unique(overlaps.unit[overlaps.compared])),
        "texts": texts,
        "tokens": tokens,
        "n-grams": len(overlaps.seen),
        "n-grams seen": int(overlaps.seen.sum()),
        "the same": sum(bool(unit.found) for unit in units),
        "nearly the same": sum(bool(unit.near) for unit in units),
        "with an n-gram seen": sum(bool(unit.share) for unit in units),
        "with a twin": sum(unit.twin is not None for unit in units),
        "phrases passed over": overlaps.phrases,
    }
    return counted, [_row(own.names, unit) for unit in units]


def _worst_first(unit: UnitOverlap) -> tuple[bool, float, float, int]:
    return not unit.found, -unit.near_share, -(unit.share or 0), unit.unit


def _row(names: Sequence[str], unit: UnitOverlap) -> dict[str, Any]:
    twin = "" if unit.twin is None else names[unit.twin]
    return {**asdict(unit), "unit": names[unit.unit], "twin": twin}


def _csv(units: Sequence[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(units)
    return text.getvalue()


def _text(
    counted: dict[str, int], units: Sequence[dict[str, Any]], canaries: Sequence[str]
) -> str:
    lines = [f"{name:20} {number:>12,}" for name, number in counted.items()]
    lines += [f"the canary stands in {place}" for place in canaries]
    for unit in units[:SHOWN]:
        parts = [f"is {unit['found']}"] if unit["found"] else []
        if unit["near"]:
            parts.append(f"{unit['near_share']:.0%} in {unit['near']}")
        if unit["share"]:
            parts.append(f"{unit['share']:.0%} of its n-grams seen")
        if unit["twin"]:
            parts.append(f"{unit['twin_share']:.0%} like {unit['twin']}")
        lines.append(f"{unit['unit']}: {'; '.join(parts)}")
    if len(units) > SHOWN:
        lines.append(f"... and {len(units) - SHOWN} more: --format csv has all")
    lines.append(f"(nearly: {NEAR:.0%} of the distinct runs of five words)")
    return "\n".join(lines)
