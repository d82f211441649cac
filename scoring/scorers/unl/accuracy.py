"""Precision, recall and F over sentences, in both directions of UNL."""

from collections.abc import Mapping, Sequence

import numpy as np

from scoring.counts import Counts, Floats
from scoring.errors import Refused
from scoring.formats import unl
from scoring.formats.unl import Sentences
from scoring.measures import Measure, f1_share, ratio_or_zero, share_measure
from scoring.options import Option, Options
from scoring.source import Source, shown

LANGUAGE = Option("language", "language of the texts, as in {en}", "text", "en")
MOST_NAMED = 5


def f_measure(correct: Floats, returned: Floats, expected: Floats) -> Floats:
    """2PR / (P + R), which is 0 where nothing is correct."""
    return ratio_or_zero(2 * correct, np.asarray(returned) + expected)


ACCURACY = (
    share_measure(
        "precision",
        "Precision",
        ("correct", "returned"),
        "correct sentences / returned sentences, 0 where none is returned",
        ratio_or_zero,
    ),
    share_measure(
        "recall",
        "Recall",
        ("correct", "expected"),
        "correct sentences / expected sentences",
    ),
    Measure(
        "f1",
        "F",
        ("correct", "returned", "expected"),
        f_measure,
        "2 × precision × recall / (precision + recall), 0 where both are 0",
        share=f1_share,
    ),
)


def read_answers(source: Source, expected: Sentences) -> Sentences:
    """A system's sentences by id. Raises Refused for a broken frame, an unknown or a
    repeated id."""
    return unl.read(source, Refused, expected)


def counted(gold: Sentences, items: Mapping[str, Floats]) -> Counts:
    """Counts with one row per gold sentence; [D:...] groups them into documents."""
    documents = tuple(sentence.document for sentence in gold.values())
    rows = np.arange(len(gold), dtype=np.int64)
    return Counts.per_unit(tuple(gold), rows, items, {"document": documents})


def language_of(options: Options) -> str:
    return str(options["language"]).lower()


def not_returned(reasons: Mapping[str, str]) -> list[str]:
    """One remark for every kind of reason, with the first sentences it holds for."""
    by_kind: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        by_kind.setdefault(reason.partition(":")[0], []).append(name)
    return [
        f"not returned, {kind}: {len(names)} of the sentences ({first(names)})"
        for kind, names in by_kind.items()
    ]


def first(names: Sequence[str]) -> str:
    some = ", ".join(map(shown, names[:MOST_NAMED]))
    return some + ", ..." * (len(names) > MOST_NAMED)
