"""Measures of probabilities: areas under curves, losses, distances of soft labels."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from scoring.counts import Floats
from scoring.measures import (
    Measure,
    mean_of_fractions,
    ratio,
    ratio_or_zero,
    weighed_measure,
)
from scoring.messages import Wording, _
from scoring.scorers.probabilities import curves
from scoring.scorers.probabilities.curves import COLUMNS, HELD, ITEMS, RANK

# Names that end with a bracket tell of the gold: pages hide them where gold is hidden.
LOSS, SQUARES = "loss[gold]", "squares[gold]"
MANHATTAN, EUCLID = "manhattan[gold]", "euclid[gold]"
RIGHT, ANSWERED_RIGHT = "right[gold]", "answered_right[gold]"
UNANSWERED = "unanswered"
# Information contrast of a system, and of the gold itself.
ICM, ICM_SOFT = (
    (f"{name}[gold]", f"{name}_best[gold]") for name in ("icm", "icm_soft")
)
RANGES = 10
GAPS = tuple(f"gap_{number}[gold]" for number in range(1, RANGES + 1))
CLASS = re.compile(r"(?:rank|gold|items)\[(.+)\]", re.DOTALL)
SHARE = (0.0, 1.0)
# Of one item, where a class that is certain gets nothing.
WORST_LOSS = 36.04365338911715
MOST_WITH_OWN = 20


def _mean(
    name: str, title: str, column: str, formula: str, most: float, decimals: int = 4
) -> Measure:
    """Mean over items of a loss from 0 to `most`."""

    def reach(part: Floats, _items: Floats) -> Floats:
        return np.full(np.shape(part), most)

    return Measure(
        name,
        title,
        (column, ITEMS),
        ratio,
        formula,
        higher_is_better=False,
        percent=False,
        decimals=decimals,
        bounds=(0.0, most),
        reach=reach,
    )


def _calibration_error(items: Floats, *gaps: Floats) -> Floats:
    return ratio(np.asarray(sum(np.abs(gap) for gap in gaps)), items)


def _answered_share(right: Floats, unanswered: Floats, items: Floats) -> Floats:
    """C@1 (Peñas and Rodrigo 2011)."""
    return ratio(right + unanswered * ratio_or_zero(right, items), items)


def _normalise(contrast: Floats, best: Floats) -> Floats:
    """1 for the gold itself, 0 for what is as far below 0 or further."""
    share = ratio(np.asarray(contrast) + best, 2 * np.asarray(best))
    return np.asarray(np.clip(share, 0.0, 1.0))


def _contrasts(
    name: str, title: str, columns: tuple[str, str], text: str
) -> list[Measure]:
    values = {"contrast": Wording(text)}
    return [
        Measure(
            name,
            title,
            (columns[0], ITEMS),
            ratio,
            Wording(
                _(
                    "mean of the %(contrast)s: 2 I(system) + 2 I(gold) - 3 I(both), in "
                    "bits"
                ),
                values,
            ),
            percent=False,
        ),
        Measure(
            f"{name}_norm",
            f"{title} normalised",
            columns,
            _normalise,
            Wording(
                _(
                    "%(contrast)s, from 0 (that of the gold, with a minus) to 1 (the "
                    "gold itself)"
                ),
                values,
            ),
            bounds=SHARE,
            reach=_one,
        ),
    ]


def _one(items: Floats, *_others: Floats) -> Floats:
    return np.ones(np.shape(items))


def _weighted_measure(
    name: str,
    title: str,
    columns: tuple[str, ...],
    formula: str,
    of: tuple[Callable[..., Floats], Callable[..., Floats]],
) -> Measure:
    measure = weighed_measure(
        name, title, columns, of[0], formula, of[1], percent=True, bounds=SHARE
    )
    return replace(measure, sides=curves.sides)


AUC = curves.auc, curves.auc_slopes
AP = curves.average_precision, curves.average_precision_slopes

MEASURES = (
    _mean(
        "log_loss",
        "Log loss",
        LOSS,
        _(
            "mean of -log(probability of the gold class); of soft labels the "
            "cross entropy"
        ),
        WORST_LOSS,
    ),
    _mean(
        "brier",
        "Brier score",
        SQUARES,
        _(
            "mean of the sum over classes of (system - gold)²; of two classes "
            "half of it"
        ),
        2.0,
    ),
    _weighted_measure(
        "auc",
        "AUC",
        COLUMNS,
        _(
            "area under the ROC curve of each class against the others, mean over"
            " classes"
        ),
        AUC,
    ),
    _weighted_measure(
        "ap",
        "Average precision",
        COLUMNS,
        _("average precision of each class against the others, mean over classes"),
        AP,
    ),
    mean_of_fractions(
        "accuracy",
        "Accuracy",
        (RIGHT, ITEMS),
        _(
            "items whose most probable class is the gold's / items; of several "
            "that are equally probable each has its part"
        ),
    ),
    Measure(
        "c@1",
        "C@1",
        (ANSWERED_RIGHT, UNANSWERED, ITEMS),
        _answered_share,
        _(
            "(right + unanswered right / items) / items; unanswered are items "
            "without a class above the others"
        ),
        bounds=SHARE,
        reach=_one,
    ),
    Measure(
        "calibration_error",
        "Calibration error",
        (ITEMS, *GAPS),
        _calibration_error,
        Wording(
            _(
                "mean over items of |gold - system| of the most probable class, by its "
                "probability in %(n)s ranges; few items make it larger than it is"
            ),
            {"n": RANGES},
        ),
        higher_is_better=False,
        percent=False,
        decimals=4,
        bounds=SHARE,
        reach=_one,
    ),
    _mean(
        "manhattan",
        "Manhattan distance",
        MANHATTAN,
        _("mean of the sum over classes of |system - gold|"),
        2.0,
    ),
    _mean(
        "euclid",
        "Euclidean distance",
        EUCLID,
        _("mean of the root of the sum over classes of (system - gold)²"),
        2.0**0.5,
    ),
    *_contrasts(
        "icm", "ICM", ICM, _("information contrast of the most probable classes")
    ),
    *_contrasts(
        "icm_soft", "ICM-soft", ICM_SOFT, _("information contrast of the probabilities")
    ),
)


def of_classes(columns: tuple[str, ...]) -> tuple[Measure, ...]:
    """AUC and average precision of each class, where there are not very many."""
    matches = (CLASS.fullmatch(column) for column in columns)
    names = sorted({match[1] for match in matches if match})
    if len(names) > MOST_WITH_OWN:
        return ()
    measures = []
    for name in names:
        own = (ITEMS, f"{RANK[:-1]}{name}]", f"{HELD[:-1]}{name}]")
        for key, title, text, of in (
            (
                "auc",
                "AUC",
                _("area under the ROC curve of %(name)s against the others"),
                AUC,
            ),
            (
                "ap",
                "Average precision",
                _("average precision of %(name)s against the others"),
                AP,
            ),
        ):
            formula = Wording(text, {"name": name})
            measures.append(
                _weighted_measure(f"{key}[{name}]", f"{title} {name}", own, formula, of)
            )
    return tuple(measures)
