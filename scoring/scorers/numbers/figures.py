"""Measures of numbers: correlations, errors, and the share of variance explained."""

import math

import numpy as np

from scoring.counts import Floats
from scoring.measures import Measure, ratio, share_measure, weighed_measure
from scoring.messages import _
from scoring.statistics.correlations import (
    kendall,
    kendall_slopes,
    pearson,
    spearman,
    spearman_slopes,
    varying,
)

# Names that end with a bracket tell of the gold: pages hide them where gold is hidden.
ITEMS = "items"
# Of values less their mean and over their standard deviation.
GOLD, SYSTEM = "standard[gold]", "standard[system]"
GOLD_SQUARES, SYSTEM_SQUARES = "standard_squares[gold]", "standard_squares[system]"
PRODUCTS = "standard_products[gold]"
RANKS = "rank[gold]", "rank[system]"
# Of values in the frame of the gold (`scoring.scorers.numbers.counts`).
FRAMED, FRAMED_SQUARES = "framed[gold]", "framed_squares[gold]"
ABSOLUTE, SQUARED = "absolute[error]", "squared[error]"
# Of the few errors whose squares would take the digits off all others: divided by FAR,
# and those for which that is not enough by FARTHER.
FAR_ABSOLUTE, FAR_SQUARED = "far_absolute[error]", "far_squared[error]"
FARTHER_ABSOLUTE, FARTHER_SQUARED = "farther_absolute[error]", "farther_squared[error]"
FAR, FARTHER = 2.0**20, 2.0**40
EXPONENT, BEYOND = "exponent[gold]", "beyond[gold]"
# Errors with their sign, and times the gold's value, in the same three steps. Tables
# that were stored before lack these columns, and those of answers near enough.
SIGNED = "signed[error]", "far_signed[error]", "farther_signed[error]"
TIMES_GOLD = "times_gold[error]", "far_times_gold[error]", "farther_times_gold[error]"
SIGNED_ITEMS = "signed_items[gold]"
NEAR, NEAR_ITEMS = "near[gold]", "near_items[gold]"


def _scale(items: Floats, exponents: Floats) -> Floats:
    """A power of two by which values were divided."""
    exponent = np.nan_to_num(np.rint(ratio(exponents, items)))
    return np.ldexp(1.0, exponent.astype(np.int64))


def _mean_error(*sums: Floats) -> Floats:
    items, errors, far, farther, exponents, beyond = sums
    whole = errors + far * FAR + farther * FARTHER
    mean = ratio(whole, items) * _scale(items, exponents)
    return np.where(np.asarray(beyond) > 0, np.nan, mean)


def _root_error(*sums: Floats) -> Floats:
    items, squares, far, farther, exponents, beyond = sums
    mean = ratio(_squares(squares, far, farther), items)
    # A step of a derivative may lead below 0.
    root = np.sqrt(np.maximum(mean, 0.0)) * _scale(items, exponents)
    return np.where(np.asarray(beyond) > 0, np.nan, root)


def _squares(squares: Floats, far: Floats, farther: Floats) -> Floats:
    return np.asarray(squares + far * FAR**2 + farther * FARTHER**2)


def _explained_variance(*sums: Floats) -> Floats:
    items, gold, gold_squares, squares, far, farther, beyond = sums
    whole = varying(items, gold, gold_squares)
    share = 1 - np.asarray(items) * _squares(squares, far, farther) / whole
    return np.where(np.asarray(beyond) > 0, np.nan, share)


def _concordance(*sums: Floats) -> Floats:
    """Twice the covariance over itself and the mean squared error, as the system is the
    gold and its error. Where one side is the same throughout that is 0."""
    items, gold, gold_squares, squares, far_squares, farther_squares, beyond = sums[:7]
    signed, times_gold = (
        near + far * FAR + farther * FARTHER
        for near, far, farther in (sums[7:10], sums[10:])
    )
    of_gold = np.nan_to_num(varying(items, gold, gold_squares))
    shared = 2 * (of_gold + items * times_gold - gold * signed)
    apart = items * _squares(squares, far_squares, farther_squares)
    value = ratio(shared, shared + apart)
    return np.where(np.asarray(beyond) > 0, np.nan, value)


def _half_range(*sums: Floats) -> Floats:
    """About half the range of the gold: an error of an answer that is just any."""
    items, _errors, _far, _farther, exponents, _beyond = sums
    return _scale(items, exponents) / 2


def _root_half_range(*sums: Floats) -> Floats:
    """How far the root of the mean could move, times the root of the items: the more
    there are the less a square of one of them matters, but under the root."""
    return _half_range(*sums) * np.sqrt(sums[0])


CORRELATION, ERROR = (-1.0, 1.0), (0.0, math.inf)
RANKED = (*RANKS, ITEMS)
MEASURES = (
    Measure(
        "pearson",
        "Pearson",
        (ITEMS, GOLD, SYSTEM, GOLD_SQUARES, SYSTEM_SQUARES, PRODUCTS),
        pearson,
        _("covariance of gold and system / product of their standard deviations"),
        percent=False,
        bounds=CORRELATION,
    ),
    weighed_measure(
        "spearman",
        "Spearman",
        RANKED,
        spearman,
        _(
            "Pearson's correlation of the ranks; equal values have the mean of "
            "their ranks"
        ),
        spearman_slopes,
        bounds=CORRELATION,
    ),
    weighed_measure(
        "kendall",
        "Kendall",
        RANKED,
        kendall,
        _(
            "tau-b: (pairs in the same order - pairs in opposite orders) / "
            "geometric mean of the pairs that differ in the gold and in the "
            "system"
        ),
        kendall_slopes,
        bounds=CORRELATION,
    ),
    Measure(
        "rmse",
        "RMSE",
        (ITEMS, SQUARED, FAR_SQUARED, FARTHER_SQUARED, EXPONENT, BEYOND),
        _root_error,
        _("square root of the mean of (system - gold)²"),
        higher_is_better=False,
        percent=False,
        bounds=ERROR,
        reach=_root_half_range,
    ),
    Measure(
        "mae",
        "MAE",
        (ITEMS, ABSOLUTE, FAR_ABSOLUTE, FARTHER_ABSOLUTE, EXPONENT, BEYOND),
        _mean_error,
        _("mean of |system - gold|"),
        higher_is_better=False,
        percent=False,
        bounds=ERROR,
        reach=_half_range,
    ),
    Measure(
        "r2",
        "R²",
        (ITEMS, FRAMED, FRAMED_SQUARES, SQUARED, FAR_SQUARED, FARTHER_SQUARED, BEYOND),
        _explained_variance,
        _("1 - sum of (system - gold)² / sum of (gold - mean of the gold)²"),
        percent=False,
        bounds=(-math.inf, 1.0),
        reach=lambda items, *_: np.ones(np.shape(items)),
    ),
    Measure(
        "ccc",
        "CCC",
        (
            SIGNED_ITEMS,
            FRAMED,
            FRAMED_SQUARES,
            SQUARED,
            FAR_SQUARED,
            FARTHER_SQUARED,
            BEYOND,
            *SIGNED,
            *TIMES_GOLD,
        ),
        _concordance,
        _(
            "concordance correlation (Lin 1989): 2 * covariance / (variances of gold "
            "and system + (difference of their means)²)"
        ),
        percent=False,
        bounds=CORRELATION,
    ),
    share_measure(
        "accuracy_within",
        "Accuracy within a distance",
        (NEAR, NEAR_ITEMS),
        _(
            "items no further from the gold than the option within says, or than the "
            "item's own number in the column of the option deviation / items"
        ),
    ),
)
