"""Columns of every segment, and what stands beside the scores: details, inspection."""

import math

import numpy as np

from scoring.counts import Counts, Floats, Integers, fixed_point
from scoring.errors import Problem
from scoring.formats.numerals import remark_on_codes
from scoring.inspection import Inspection, ItemTable, Picture, kinds_at
from scoring.messages import Messages, _
from scoring.options import Options
from scoring.scorer import DetailRows, Tables, details_of
from scoring.scorers.metrics import cells, figures
from scoring.scorers.metrics.scores import MetricScores
from scoring.scorers.metrics.ties import MOST_PAIRS, Averaged, calibrate, pairs_in
from scoring.scorers.numbers.counts import (
    LEAST,
    MOVED,
    TURNED,
    is_moved,
    ranks,
    standard,
)
from scoring.statistics.correlations import kendall
from scoring.statistics.row_weights import Rows

MESSAGES = Messages(
    of_systems=_("each system has one score for all its segments."),
    of_segments=_("all systems have the same score for a segment."),
)
LEAST_EACH = 3  # scores of a system or a segment
# Differences below this share of the range are none where a common step is sought, and
# a step that fine moves no chance.
SAME, FINE = 1e-9, 1e-6


def common_step(values: Floats) -> float:
    """The step that all differences of values are multiples of, by Euclid's algorithm;
    0 where there is nothing, or hardly anything."""
    distinct = np.unique(values)
    if len(distinct) < 2:
        return 0.0
    span = float(distinct[-1] - distinct[0])
    step = 0.0
    for gap in np.unique(np.diff(distinct)).tolist():
        larger, smaller = max(step, gap), min(step, gap)
        while smaller > SAME * span:
            rest = math.fmod(larger, smaller)
            # A multiple but for rounding.
            rest = 0.0 if smaller - rest < SAME * span else rest
            larger, smaller = smaller, rest
        step = larger
        if step < FINE * span:
            return 0.0
    return step


def _deviation(values: Floats) -> tuple[float, float]:
    """Mean and standard deviation of numbers of any size."""
    mean = math.fsum(values.tolist()) / len(values)
    off = values - mean
    most = float(np.abs(off).max()) or 1.0
    squares = math.fsum(((off / most) ** 2).tolist()) / len(values)
    return mean, most * math.sqrt(squares)


def _by_segment(scores: MetricScores, values: Floats) -> Floats:
    size = len(scores.segments)
    sums = np.bincount(scores.segment, weights=values, minlength=size)
    return np.asarray(sums, dtype=np.float64)


def count(gold: MetricScores, system: MetricScores, _options: Options) -> Counts:
    """One row per segment."""
    human, metric = standard(gold.numbers), standard(system.numbers)
    columns: dict[str, Floats] = {
        figures.ROWS: _by_segment(gold, np.ones(len(gold))),
        **_sums(gold, human, metric),
        **_within_segments(gold, human, metric),
        **_constants(gold, system),
    }
    columns |= _cells(gold, system, human, metric)
    return Counts.of_rows(gold.segments, columns, gold.groups)


def _sums(gold: MetricScores, human: Floats, metric: Floats) -> dict[str, Floats]:
    """The sums that the correlation over all scores is a function of."""
    products = human, metric, human * human, metric * metric, human * metric
    columns: dict[str, Floats] = {}
    for name, values in zip(figures.SUMS, products, strict=True):
        parts = fixed_point(name, values)
        columns |= {part: _by_segment(gold, own) for part, own in parts.items()}
    return columns


def _within_segments(
    gold: MetricScores, human: Floats, metric: Floats
) -> dict[str, Floats]:
    """The correlations of every segment that has two scores or more, 0 where a side
    does not vary."""
    order = np.argsort(gold.segment, kind="stable")
    sizes = np.bincount(gold.segment, minlength=len(gold.segments))
    ends = np.cumsum(sizes).tolist()
    pearson, tau = np.zeros(len(sizes)), np.zeros(len(sizes))
    for place, (end, size) in enumerate(zip(ends, sizes.tolist(), strict=True)):
        own = order[end - size : end]
        if size > 1:
            x, y = standard(human[own]), standard(metric[own])
            pearson[place] = min(1.0, max(-1.0, math.fsum((x * y).tolist()) / size))
            pair = np.stack([human[own], metric[own]], axis=1)
            tau[place] = np.nan_to_num(kendall(np.ones((1, size)), pair))[0]
    return {
        figures.COMPARED: (sizes > 1).astype(np.float64),
        **fixed_point(figures.PEARSONS, pearson),
        **fixed_point(figures.TAUS, tau),
    }


def _constants(gold: MetricScores, system: MetricScores) -> dict[str, Floats]:
    size = len(gold.segments)
    columns: dict[str, Floats] = {cells.SEGMENTS: np.ones(size)}
    for name, side in zip(cells.STEPS, (gold, system), strict=True):
        deviation = _deviation(side.numbers)[1]
        step = common_step(side.numbers) / deviation if deviation else 0.0
        columns |= fixed_point(name, np.full(size, step))
    mean, exponent = _frame(system)
    centre = fixed_point(cells.CENTRE, np.full(size, math.ldexp(mean, -exponent)))
    return columns | centre | {cells.EXPONENT: np.full(size, float(exponent))}


def _frame(system: MetricScores) -> tuple[float, int]:
    """The mean of a metric, and the power of two that is about its spread or, where it
    lies very far from 0 beside that, as far from 0 as keeps sums exact."""
    mean, deviation = _deviation(system.numbers)
    most = float(np.abs(system.numbers).max())
    exponent = math.frexp(deviation)[1] if deviation else math.frexp(most)[1]
    return mean, max(exponent, math.frexp(most)[1] - 8)


def _cells(
    gold: MetricScores, system: MetricScores, human: Floats, metric: Floats
) -> dict[str, Floats]:
    """Columns of each system."""
    _, exponent = _frame(system)
    numbers = np.ldexp(system.numbers, -exponent)
    blocks = [
        (cells.HUMAN_RANK, ranks(gold.numbers)),
        *fixed_point(cells.HUMAN, human).items(),
        (cells.METRIC_RANK, ranks(system.numbers)),
        *fixed_point(cells.METRIC, metric).items(),
        *zip(cells.PARTS, cells.parts_of(numbers), strict=True),
    ]
    columns = {}
    for block, values in blocks:
        name, _, low = block.partition("[]")
        for label, column in zip(gold.systems, gold.grid(values).T, strict=True):
            columns[f"{name}[{label}]{low}"] = column
    return columns


def thresholds(counts: Counts, _options: Options) -> Tables:
    """The largest difference of a metric's scores that is taken for a tie, as it was
    calibrated for each average."""
    rows = {}
    for average in Averaged:
        measure = figures.ACCURACIES[average]
        for table in Rows.of(counts.each_run(), measure).tables[:1]:
            weights = np.ones((1, len(table)))
            _values, thresholds = calibrate(weights, table, average)
            threshold = thresholds[0]
            cut = None if math.isnan(threshold) else float(threshold)
            rows[measure.name] = {"threshold": cut}
    return {"ties": rows}


def notes(system: MetricScores, _options: Options) -> list[Problem]:
    """Rows that do not count, and scores that may be none."""
    text = f"{system.further} scores have no human score: left out"
    problems = [Problem("uncounted", text)] if system.further else []
    if remark := remark_on_codes(system.numbers.tolist()):
        problems.append(Problem("code", remark))
    if system.numbers.min() == system.numbers.max():
        return problems
    for name, places in (
        ("of_systems", system.system),
        ("of_segments", system.segment),
    ):
        groups = np.unique(np.stack((places, system.numbers)), axis=1)[0]
        once = len(groups) == len(np.unique(places))
        if once and len(places) >= LEAST_EACH * len(groups) > LEAST_EACH:
            problems.append(Problem("one_each", MESSAGES(name)))
    return problems


def gold_remarks(gold: MetricScores, _options: Options) -> list[str]:
    """Rows that nobody has judged."""
    if not gold.unjudged:
        return []
    return [f"{gold.unjudged} rows of the gold have no human score: left out"]


def remarks(gold: MetricScores, system: MetricScores, _options: Options) -> list[str]:
    """Measures that are n/a, and pairs that were left out."""
    remarks = []
    for side, scores in (("human", gold), ("metric", system)):
        if scores.numbers.min() == scores.numbers.max():
            remarks.append(f"all {side} scores are the same: no correlation is defined")
    turned = float((standard(gold.numbers) * standard(system.numbers)).mean())
    if len(gold.numbers) >= LEAST and turned < TURNED:
        remarks.append(
            "high scores stand where those of people are low: of a metric of errors, "
            "send the negative scores"
        )
    elif is_moved(gold.numbers, system.numbers, turned):
        remarks.append(MOVED)
    for average in (Averaged.NONE, Averaged.SYS):
        pairs = pairs_in(gold.given, average)
        if pairs > MOST_PAIRS:
            remarks.append(
                f"acc_eq_{average.value} is of {MOST_PAIRS:,} of its {pairs:,} pairs"
            )
    return remarks


@details_of("system", "segment", "human", "metric")
def details(gold: MetricScores, system: MetricScores, _options: Options) -> DetailRows:
    """One row per score, in the order of the gold."""
    sides = gold.numbers.tolist(), system.numbers.tolist()
    places = gold.system.tolist(), gold.segment.tolist()
    for name, segment, one, other in zip(*places, *sides, strict=True):
        yield gold.systems[name], gold.segments[segment], one, other


def _placed_above(scores: MetricScores) -> Integers:
    """How many systems of each row's segment have a lower score, less how many have a
    higher one."""
    order = np.lexsort((scores.numbers, scores.segment))
    segment, numbers = scores.segment[order], scores.numbers[order]
    fresh = np.ones(len(order), dtype=np.bool_)
    fresh[1:] = segment[1:] != segment[:-1]
    begins = np.flatnonzero(fresh)
    sizes = np.diff(np.append(begins, len(order)))
    first, size = np.repeat(begins, sizes), np.repeat(sizes, sizes)
    fresh[1:] |= numbers[1:] != numbers[:-1]
    ties = np.flatnonzero(fresh)
    times = np.diff(np.append(ties, len(order)))
    below = np.repeat(ties, times) - first
    above = size - below - np.repeat(times, times)
    balance = np.zeros(len(order), dtype=np.int64)
    balance[order] = below - above
    return balance


def inspect(gold: MetricScores, system: MetricScores, _options: Options) -> Inspection:
    """One item per score: whether the metric places the system too high or too low
    among those of its segment."""
    moved = _placed_above(system) - _placed_above(gold)
    wrong = {"placed_low": moved < 0, "placed_high": moved > 0}
    order = np.argsort(gold.segment, kind="stable")
    sizes = np.bincount(gold.segment, minlength=len(gold.segments))
    ends = np.cumsum(sizes)

    def picture(unit: int) -> Picture:
        rows = order[ends[unit] - sizes[unit] : ends[unit]].tolist()
        names = tuple(gold.inputs)
        table = tuple(
            (
                gold.systems[int(gold.system[row])],
                float(gold.numbers[row]),
                float(system.numbers[row]),
                *(gold.inputs[name][row] for name in names),
            )
            for row in rows
        )
        kinds = tuple(kinds_at(wrong, row) for row in rows)
        columns = ("system", "gold_value", "system_value", *names)
        return Picture(ItemTable(columns, table, kinds))

    return Inspection(sizes, gold.segment, wrong, picture)
