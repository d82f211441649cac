"""Measures of sets of records: exact, with partial credit, and of overlapping parts."""

import re
from collections.abc import Callable
from dataclasses import replace

from scoring.counts import Floats
from scoring.measures import (
    Measure,
    f1_measure,
    f1_of_any,
    mean_of_fractions,
    share_measure,
)

CORRECT, SYSTEM, GOLD = "correct", "system", "gold"
CREDIT = "credit[gold]"
PARTS = "parts_correct", "parts_system", "parts_gold"
KIND = re.compile(r"(?:correct|system|gold)\[(.+)\]", re.DOTALL)
Score = Callable[..., Floats]


def _three(
    prefix: str, title: str, columns: tuple[str, str, str], what: str, tag: str = ""
) -> list[Measure]:
    """F1, precision and recall of what is right, of the system and of the gold."""
    right, system, gold = columns
    credit = right == CREDIT
    share = mean_of_fractions if credit else share_measure
    f1 = f1_measure(
        f"{prefix}f1{tag}",
        f"{title}F1".strip(),
        columns,
        f"2 {what} / (of the system + of the gold)",
        f1_of_any,
    )
    return [
        replace(f1, fractions=credit),
        share(
            f"{prefix}precision{tag}",
            f"{title}precision".strip().capitalize(),
            (right, system),
            f"{what} / of the system",
        ),
        share(
            f"{prefix}recall{tag}",
            f"{title}recall".strip().capitalize(),
            (right, gold),
            f"{what} / of the gold",
        ),
    ]


MEASURES = (
    *_three("", "", (CORRECT, SYSTEM, GOLD), "equal records"),
    *_three(
        "partial_",
        "Partial ",
        (CREDIT, SYSTEM, GOLD),
        "credit of the best pairing of records",
    ),
    *_three(
        "part_",
        "Parts ",
        PARTS,
        "parts that are common in the best pairing of records",
    ),
)


def of_kinds(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    """F1, precision and recall of equal records of each kind."""
    found = (KIND.fullmatch(column) for column in columns)
    names = sorted({match[1] for match in found if match})
    measures: list[Measure] = []
    for name in names:
        tag = f"[{name}]"
        of = (f"{CORRECT}{tag}", f"{SYSTEM}{tag}", f"{GOLD}{tag}")
        measures += _three("", f"{name} ", of, f"equal records of {name}", tag)
    return tuple(measures)
