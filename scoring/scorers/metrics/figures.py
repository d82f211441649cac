"""Measures of metrics: how well their scores agree with those of people."""

from functools import partial

import numpy as np

from scoring.counts import Floats
from scoring.measures import Measure, ratio, weighed_measure
from scoring.messages import Wording, _
from scoring.scorers.metrics import systems, ties
from scoring.scorers.metrics.cells import (
    COLUMNS,
    HUMAN,
    HUMAN_RANK,
    METRIC,
    METRIC_RANK,
    Cells,
    exact_sums,
)
from scoring.scorers.metrics.ties import Averaged
from scoring.statistics import correlations

# How many scores a segment has; sums over them of both sides, standardised.
ROWS = "scores"
SUMS = (
    "standard[gold]",
    "standard[system]",
    "standard_squares[gold]",
    "standard_squares[system]",
    "standard_products[gold]",
)
# Segments with two scores or more, and their correlations.
COMPARED, PEARSONS, TAUS = "compared", "pearson[gold]", "kendall[gold]"
CORRELATION, SHARE = (-1.0, 1.0), (0.0, 1.0)
# Weights times scores that are sorted together.
CELLS_AT_ONCE = 2_000_000


def _ranks(cells: Cells) -> Floats:
    """Ranks of both sides of every score, (scores, 2)."""
    given = cells.given
    return np.stack([cells.block(n)[given] for n in (HUMAN_RANK, METRIC_RANK)], axis=1)


def _kendall(weights: Floats, table: Floats) -> Floats:
    cells = Cells(table)
    ranks, segment = _ranks(cells), cells.rows[0]
    step = max(1, CELLS_AT_ONCE // max(1, len(ranks)))
    blocks = [
        correlations.kendall(weights[top : top + step][:, segment], ranks)
        for top in range(0, len(weights), step)
    ]
    return np.concatenate([np.zeros(0), *blocks])


def _kendall_slopes(weights: Floats, table: Floats) -> Floats:
    cells = Cells(table)
    segment = cells.rows[0]
    slopes = correlations.kendall_slopes(weights[segment], _ranks(cells))
    sums = np.bincount(segment, weights=slopes, minlength=len(weights))
    return np.asarray(sums, dtype=np.float64)


def _sizes(weights: Floats, cells: Cells) -> Floats:
    """How many scores each system has (k, systems)."""
    return exact_sums(weights, cells.given.astype(np.float64))


def _mean_of_systems(values: Floats, sizes: Floats) -> Floats:
    """Mean (k,) over the systems with two scores or more; n/a counts 0."""
    compared = sizes > 1
    sums = np.where(compared, np.nan_to_num(values), 0.0).sum(axis=1)
    return ratio(sums, compared.sum(axis=1))


def _kendall_of_systems(weights: Floats, table: Floats) -> Floats:
    cells = Cells(table)
    values = np.zeros((len(weights), cells.systems))
    for place in range(cells.systems):
        given = cells.given[:, place]
        ranks = np.stack(
            [cells.block(n)[given, place] for n in (HUMAN_RANK, METRIC_RANK)], axis=1
        )
        values[:, place] = correlations.kendall(weights[:, given], ranks)
    return _mean_of_systems(values, _sizes(weights, cells))


def _kendall_slopes_of_systems(weights: Floats, table: Floats) -> Floats:
    cells = Cells(table)
    sums, sizes = np.zeros(len(weights)), _sizes(weights[None], cells)[0]
    for place in np.flatnonzero(sizes > 1).tolist():
        given = cells.given[:, place]
        ranks = np.stack(
            [cells.block(n)[given, place] for n in (HUMAN_RANK, METRIC_RANK)], axis=1
        )
        slopes = correlations.kendall_slopes(weights[given], ranks)
        sums[given] += np.nan_to_num(slopes)
    return sums / max(1, int((sizes > 1).sum()))


def _pearson(weights: Floats, cells: Cells) -> Floats:
    """Pearson's correlation of every system, (k, systems)."""
    x, y = cells.block(HUMAN), cells.block(METRIC)
    sums = [exact_sums(weights, own) for own in (x, y, x * x, y * y, x * y)]
    return correlations.pearson(_sizes(weights, cells), *sums)


def _pearson_of_systems(weights: Floats, table: Floats) -> Floats:
    cells = Cells(table)
    return _mean_of_systems(_pearson(weights, cells), _sizes(weights, cells))


def _pearson_slopes_of_systems(weights: Floats, table: Floats) -> Floats:
    cells, row = Cells(table), weights[None]
    sizes, r = _sizes(row, cells)[0], _pearson(row, cells)[0]
    defined = (sizes > 1) & ~np.isnan(r)
    standard = []
    for name in (HUMAN, METRIC):
        block = cells.block(name)
        mean, square = exact_sums(row, block)[0], exact_sums(row, block**2)[0]
        size = np.where(defined, sizes, 1.0)
        spread = np.where(defined, square / size - (mean / size) ** 2, 1.0)
        standard.append((block - mean / size) / np.sqrt(spread))
    x, y = standard
    moved = (x * y - r * (x * x + y * y) / 2) / np.where(defined, sizes, 1.0)
    slopes = np.where(cells.given & defined, moved, 0.0).sum(axis=1)
    return np.asarray(slopes / max(1, int((sizes > 1).sum())))


def _accuracy(average: Averaged, title: str, pairs: str) -> Measure:
    def value(weights: Floats, table: Floats) -> Floats:
        values, _thresholds = ties.calibrate(weights, table, average)
        return values

    return weighed_measure(
        f"acc_eq_{average.value}",
        title,
        COLUMNS,
        value,
        Wording(
            _(
                "share of %(pairs)s that both sides have in the same order or "
                "both take for ties; the metric's differences up to a threshold "
                "are ties, the threshold that makes this the highest"
            ),
            {"pairs": Wording(pairs)},
        ),
        partial(ties.slopes, average=average),
        percent=True,
        bounds=SHARE,
    )


ACCURACIES = {
    Averaged.NONE: _accuracy(Averaged.NONE, "Accuracy, all", _("all pairs of scores")),
    Averaged.ITEM: _accuracy(
        Averaged.ITEM, "Accuracy by segment", _("the pairs of systems of each segment")
    ),
    Averaged.SYS: _accuracy(
        Averaged.SYS, "Accuracy by system", _("the pairs of segments of each system")
    ),
}

MEASURES = (
    ACCURACIES[Averaged.ITEM],
    Measure(
        "pearson_item",
        "Pearson by segment",
        (PEARSONS, COMPARED),
        ratio,
        _(
            "mean over segments of Pearson's correlation of the scores of all systems; "
            "0 where a side gives all the same"
        ),
        percent=False,
        bounds=CORRELATION,
    ),
    Measure(
        "kendall_b_item",
        "Kendall by segment",
        (TAUS, COMPARED),
        ratio,
        _(
            "mean over segments of Kendall's tau-b of the scores of all systems; "
            "0 where a side gives all the same"
        ),
        percent=False,
        bounds=CORRELATION,
    ),
    ACCURACIES[Averaged.NONE],
    Measure(
        "pearson_none",
        "Pearson, all",
        (ROWS, *SUMS),
        correlations.pearson,
        _("Pearson's correlation of all scores"),
        percent=False,
        bounds=CORRELATION,
    ),
    weighed_measure(
        "kendall_b_none",
        "Kendall, all",
        COLUMNS,
        _kendall,
        _("Kendall's tau-b of all scores"),
        _kendall_slopes,
        bounds=CORRELATION,
    ),
    ACCURACIES[Averaged.SYS],
    weighed_measure(
        "pearson_sys",
        "Pearson by system",
        COLUMNS,
        _pearson_of_systems,
        _("mean over systems of Pearson's correlation of the scores of all segments"),
        _pearson_slopes_of_systems,
        bounds=CORRELATION,
    ),
    weighed_measure(
        "kendall_b_sys",
        "Kendall by system",
        COLUMNS,
        _kendall_of_systems,
        _("mean over systems of Kendall's tau-b of the scores of all segments"),
        _kendall_slopes_of_systems,
        bounds=CORRELATION,
    ),
    weighed_measure(
        "spa",
        "Soft pairwise accuracy",
        COLUMNS,
        systems.soft_accuracy,
        _(
            "1 - mean over pairs of systems of |p(people) - p(metric)|, p being "
            "the chance of a difference at least as large where scores are "
            "exchanged within segments"
        ),
        systems.soft_accuracy_slopes,
        percent=True,
        bounds=SHARE,
    ),
    weighed_measure(
        "system_pairwise_accuracy",
        "Pairwise accuracy",
        COLUMNS,
        systems.pairwise_accuracy,
        _(
            "share of the pairs of systems whose means both sides have in the "
            "same order"
        ),
        systems.flat,
        percent=True,
        bounds=SHARE,
        stepwise=True,
    ),
    weighed_measure(
        "system_pearson",
        "Pearson of systems",
        COLUMNS,
        systems.pearson,
        _("Pearson's correlation of the systems' mean scores"),
        systems.pearson_slopes,
        bounds=CORRELATION,
    ),
)
