"""Measures of edits: precision, recall and their mean that favours precision.

As ERRANT has it, precision is 1 where nothing is too many, and recall 1 where nothing
is lacking.
"""

from collections.abc import Callable, Iterator

import numpy as np

from scoring.counts import Counts, Floats
from scoring.measures import Measure, ratio
from scoring.messages import Wording, _
from scoring.options import Options
from scoring.scorer import Tables
from scoring.scorers.edits.comparison import LACKING, RIGHT, TOO_MANY

COLUMNS = (RIGHT, TOO_MANY, LACKING)
Both = tuple[Floats, Floats]
Share = Callable[..., Both]


def precise(right: Floats, too_many: Floats, _lacking: Floats) -> Both:
    return right, right + too_many


def recall_sums(right: Floats, _too_many: Floats, lacking: Floats) -> Both:
    return right, right + lacking


def f05(right: Floats, too_many: Floats, lacking: Floats) -> Both:
    """F0.5 as one fraction of whole numbers."""
    return 5 * right, 5 * right + 4 * too_many + lacking


def f1(right: Floats, too_many: Floats, lacking: Floats) -> Both:
    return 2 * right, 2 * right + too_many + lacking


def _score(share: Share, of_type: bool) -> Callable[..., Floats]:
    """The share, 1 where there is nothing; n/a for a type that nobody has."""

    def score(*columns: Floats) -> Floats:
        part, whole = share(*columns)
        value = np.where(whole == 0, 1.0, ratio(part, whole))
        if not of_type:
            return value
        anything = np.asarray(columns[0]) + columns[1] + columns[2] > 0
        return np.where(anything, value, np.nan)

    return score


RATIOS: tuple[tuple[str, str, Share, str], ...] = (
    ("f05", "F0.5", f05, _("5 x right / (5 x right + 4 x too many + lacking)")),
    ("precision", "Precision", precise, _("right / (right + too many)")),
    ("recall", "Recall", recall_sums, _("right / (right + lacking)")),
    ("f1", "F1", f1, _("2 x right / (2 x right + too many + lacking)")),
)


def measures_of(tag: str = "") -> Iterator[Measure]:
    """Measures of all edits, or of those of one type, `[R:NOUN]`."""
    of = f" of {tag[1:-1]}" if tag else ""
    columns = tuple(name + tag for name in COLUMNS)
    for name, title, share, text in RATIOS:
        formula = Wording(text)
        yield Measure(
            name + tag,
            title + of,
            columns,
            _score(share, bool(tag)),
            Wording(_("%(formula)s; 1 where the whole is 0"), {"formula": formula}),
            present=columns if tag else (),
            share=share,
        )


def tags_of(columns: tuple[str, ...]) -> list[str]:
    """The types that these columns know, in brackets."""
    return [name[2:] for name in columns if name.startswith(f"{RIGHT}[")]


def measures_of_types(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    return tuple(measure for tag in tags_of(columns) for measure in measures_of(tag))


def tables(counts: Counts, _options: Options) -> Tables:
    """Counts and figures of every type, and of all edits last."""
    rows: dict[str, dict[str, float | None]] = {}
    for tag in [*tags_of(counts.columns), ""]:
        row: dict[str, float | None] = {
            name: counts.total(name + tag) for name in COLUMNS
        }
        for measure in measures_of(tag):
            value = float(measure.of(counts.totals, counts.columns))
            name = measure.name.removesuffix(tag) if tag else measure.name
            row[name] = None if np.isnan(value) else value
        rows[tag[1:-1] or "<all>"] = row
    return {"types": rows}
