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
from scoring.messages import Wording, _

CORRECT, SYSTEM, GOLD = "correct", "system", "gold"
CREDIT = "credit[gold]"
PARTS = "parts_correct", "parts_system", "parts_gold"
KIND = re.compile(r"(?:correct|system|gold)\[(.+)\]", re.DOTALL)
Score = Callable[..., Floats]


def _three(
    prefix: str, title: str, columns: tuple[str, str, str], what: Wording, tag: str = ""
) -> list[Measure]:
    """F1, precision and recall of what is right, of the system and of the gold."""
    right, system, gold = columns
    values = {"right": what}
    credit = right == CREDIT
    share = mean_of_fractions if credit else share_measure
    f1 = f1_measure(
        f"{prefix}f1{tag}",
        f"{title}F1".strip(),
        columns,
        Wording(_("2 %(right)s / (of the system + of the gold)"), values),
        f1_of_any,
    )
    return [
        replace(f1, fractions=credit),
        share(
            f"{prefix}precision{tag}",
            f"{title}precision".strip().capitalize(),
            (right, system),
            Wording(_("%(right)s / of the system"), values),
        ),
        share(
            f"{prefix}recall{tag}",
            f"{title}recall".strip().capitalize(),
            (right, gold),
            Wording(_("%(right)s / of the gold"), values),
        ),
    ]


MEASURES = (
    *_three("", "", (CORRECT, SYSTEM, GOLD), Wording(_("equal records"))),
    *_three(
        "partial_",
        "Partial ",
        (CREDIT, SYSTEM, GOLD),
        Wording(_("credit of the best pairing of records")),
    ),
    *_three(
        "part_",
        "Parts ",
        PARTS,
        Wording(_("parts that are common in the best pairing of records")),
    ),
)


def of_kinds(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    """F1, precision and recall of equal records of each kind."""
    matches = (KIND.fullmatch(column) for column in columns)
    names = sorted({match[1] for match in matches if match})
    measures: list[Measure] = []
    for name in names:
        tag = f"[{name}]"
        of = (f"{CORRECT}{tag}", f"{SYSTEM}{tag}", f"{GOLD}{tag}")
        what = Wording(_("equal records of %(name)s"), {"name": name})
        measures += _three("", f"{name} ", of, what, tag)
    return tuple(measures)
