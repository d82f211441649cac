"""The rank of the systems of a board by a combination, as its page prints it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.formats import wide_range
from leaderboard.extension.scores import bracket, decimals_of, printed
from leaderboard.extension.statistics import (
    BoardSample,
    Content,
    stored_or_computed,
)
from leaderboard.extras.criteria.combination import (
    MIN_MAX,
    RANKS,
    WAYS,
    Z,
    better_high,
    coefficients,
    combine,
    fits,
    moved_ends,
    rank_ends,
    sum_of,
)
from leaderboard.extras.criteria.models import Combination
from leaderboard.extras.criteria.rank_exchange import better_by_ranks
from scoring.counts import Counts, Flags, Floats
from scoring.measures import Measure
from scoring.statistics.groups import by_group
from scoring.statistics.ranks import SystemRank, better_than, ranks, standings_from

MOST_SYSTEMS = 200  # of more, tests in every measure take too long for a page
OTHER_WAYS, EQUAL = (RANKS, Z, MIN_MAX), "equal-weights"


@dataclass(frozen=True)
class CombinedRow:
    """One system: its row of the board, and what the combination says of it: a number
    with its ends, NaN where there are none, and the `measured` values. `others` are its
    ranks by the other ways."""

    row: Row
    standing: SystemRank
    number: float
    low: float
    high: float
    measures: Sequence[Measure]
    measured: Sequence[float]
    others: Sequence[int]

    @property
    def rank_range(self) -> str:
        standing = self.standing
        return wide_range(standing.rank, standing.low, standing.high)

    @property
    def value(self) -> str:
        return printed(self.number, 3)

    @property
    def interval(self) -> str:
        has_interval = self.low == self.low
        return bracket(self.number, self.low, self.high, 3) if has_interval else ""

    @property
    def scores(self) -> list[str]:
        pairs = zip(self.measures, self.measured, strict=True)
        return [_score(measure, value) for measure, value in pairs]


@dataclass(frozen=True)
class CombinedRank:
    """The systems of a board by a combination, best first. `other_ways` are names of
    the other ways, and `remarks` say what depends on the choice. `left_out` are systems
    that lack a measure or a test set. Without `rows`, `why` says why there are none."""

    measures: Sequence[Measure]
    shares: Sequence[str]
    other_ways: Sequence[str] = ()
    rows: Sequence[CombinedRow] = ()
    remarks: Sequence[str] = ()
    left_out: int = 0
    why: str = ""

    @property
    def ways(self) -> list[str]:
        """The names of the other ways."""
        return list(map(_title, self.other_ways))


def combined_rank(ranking: Board, chosen: Combination) -> CombinedRank:
    """The combined rank of the ranked, complete systems of a board that is not
    narrowed."""
    scorer = ranking.phase.task.scorer
    measures = [scorer.measure(name) for name in chosen.measures]
    weights = np.array(chosen.shares)
    empty = CombinedRank(
        measures, [f"{100 * share:.3g}%" for share in weights / weights.sum()]
    )
    directions = [m.higher_is_better for m in measures]
    if why := _refusal(ranking, chosen, measures):
        return replace(empty, why=why)
    complete = [row for row in ranking.rows if row.ranked and row.complete]
    ranked = sum(row.ranked for row in ranking.rows)
    sample = ranking.sample_of([row.evaluation for row in complete])
    if len(complete) < 2 or not sample.comparable:
        return replace(empty, why=_("Two complete systems are needed."))
    subject = sample.subject("values", measures, "combined")
    values = stored_or_computed(subject, lambda: (_values(sample, measures), {}))[
        "values"
    ]
    whole = np.flatnonzero(~np.isnan(values).any(axis=1))
    if len(whole) < 2:
        return replace(empty, why=_("Two complete systems are needed."))
    complete = [complete[i] for i in whole]
    sample = ranking.sample_of([row.evaluation for row in complete])
    content = _content(sample, measures, chosen, values[whole])
    standings = list(
        map(SystemRank, *(content[field.name] for field in fields(SystemRank)))
    )
    orders = _orders(values[whole], directions, chosen)
    rows = [
        CombinedRow(
            row,
            standing,
            number,
            low,
            high,
            measures,
            measured,
            others,
        )
        for row, standing, number, low, high, measured, others in zip(
            complete,
            standings,
            *(content[name].tolist() for name in ("values", "lows", "highs")),
            values[whole].tolist(),
            zip(*orders.values(), strict=True),
            strict=True,
        )
    ]
    placed = [standing.rank or 0 for standing in standings]
    rows.sort(key=lambda row: row.standing.rank or 0)
    return replace(
        empty,
        other_ways=list(orders),
        rows=rows,
        remarks=_remarks(complete, placed, orders),
        left_out=ranked - len(rows),
    )


def _refusal(ranking: Board, chosen: Combination, measures: Sequence[Measure]) -> str:
    """The reason why there is no combination; empty where there is one."""
    if not ranking.disclosure.board:
        return _("Scores are not shown yet.")
    if any(m.of_file for m in measures):
        return _("A measure of these has no values per unit.")
    if not fits(chosen.way, [m.higher_is_better for m in measures]):
        return _("A plain mean needs measures of one direction.")
    return ""


def _score(measure: Measure, value: float) -> str:
    factor = 100 if measure.percent else 1
    return printed(value * factor, decimals_of(measure)[0])


def _values(sample: BoardSample, measures: Sequence[Measure]) -> Content:
    drawn = sample.resamples(measures)
    return {"values": np.stack([system.values for system in drawn], axis=1)}


def _content(
    sample: BoardSample,
    measures: Sequence[Measure],
    chosen: Combination,
    values: Floats,
) -> Content:
    """Values, ends and standings, as they are stored."""
    subject = sample.subject("combined", measures, (chosen.way, tuple(chosen.shares)))
    directions = [m.higher_is_better for m in measures]
    weights, way, level = chosen.shares, chosen.way, sample.confidence

    def compute() -> tuple[Content, Content]:
        combined = combine(values, directions, weights, way)
        placed = ranks(combined, better_high(way, directions))
        lows = highs = np.full(len(combined), np.nan)
        if len(combined) > MOST_SYSTEMS:
            rows = [SystemRank(int(rank)) for rank in placed]
        else:
            if WAYS[way].line is None:
                sure = _sure(sample, measures, 1 - (1 - level) / len(measures))
                better = better_by_ranks(
                    _counts_to_exchange(sample, measures),
                    measures,
                    weights,
                    level,
                    lambda at: _sure(sample, measures, at),
                )
                lows, highs = rank_ends(sure, weights)
                if way != RANKS:
                    lows, highs = len(combined) - highs, len(combined) - lows
            else:
                factors, added = coefficients(values, directions, weights, way)
                drawn = sample.resamples(measures)
                if min(system.units for system in drawn) > 1:
                    resampled = np.stack([system.resampled for system in drawn], axis=1)
                    lows, highs = moved_ends(
                        resampled, factors, added, level, drawn[0].units
                    )
                high = better_high(way, directions)
                both = sum_of(measures, factors.tolist(), high)
                better = _sure(sample, [both], level)[0]
            better = better & (placed[:, None] < placed[None, :])
            rows = standings_from(placed, better)
        columns = {
            field.name: [getattr(row, field.name) for row in rows]
            for field in fields(SystemRank)
        }
        return columns | {"values": combined, "lows": lows, "highs": highs}, {}

    return stored_or_computed(subject, compute)


def _counts_to_exchange(
    sample: BoardSample, measures: Sequence[Measure]
) -> list[list[Counts]]:
    """The counts, by system, of what is exchanged in all measures at once: groups of
    units where differences are alike inside them in one of the measures."""
    rows = [[counts for counts, _plan in filter(None, row)] for row in sample.strata]
    group = next(filter(None, map(sample.compared_by, measures)), "")
    coarse = by_group(rows, measures[0], group)
    return [[counts for counts in row if counts] for row in coarse]


def _sure(sample: BoardSample, measures: Sequence[Measure], level: float) -> Flags:
    """[m, i, j]: i is significantly better than j in the measure m."""
    return np.stack(
        [
            better_than(sample.pairs(measure), measure.higher_is_better, level)
            for measure in measures
        ]
    )


def _orders(
    values: Floats, directions: Sequence[bool], chosen: Combination
) -> dict[str, list[int]]:
    """Ranks by the other ways, by their names."""
    # Borda counts have the order of the mean of ranks.
    own = RANKS if WAYS[chosen.way].line is None else chosen.way
    ways = {way: (way, chosen.shares) for way in OTHER_WAYS if way != own}
    if len(set(chosen.shares)) > 1:
        ways[EQUAL] = (chosen.way, [1.0] * len(directions))
    return {
        name: ranks(
            combine(values, directions, weights, way), better_high(way, directions)
        ).tolist()
        for name, (way, weights) in ways.items()
    }


def _title(name: str) -> str:
    """The name of a way that is not the declared one."""
    titles = {
        RANKS: _("ranks"),
        Z: _("z-scores"),
        MIN_MAX: _("worst to best"),
        EQUAL: _("equal weights"),
    }
    return titles[name]


def _remarks(
    rows: Sequence[Row],
    placed: Sequence[int],
    orders: Mapping[str, Sequence[int]],
) -> list[str]:
    """Remarks on what depends on the chosen way; of many systems only who is first."""
    remarks = [] if len(placed) > MOST_SYSTEMS else [_pairs_turned(placed, orders)]
    first = _first(rows, placed)
    for name, order in orders.items():
        if (other := _first(rows, order)) != first:
            sentence = _("First by %(way)s: %(other)s, not %(first)s.")
            remarks.append(
                sentence % {"way": _title(name), "other": other, "first": first}
            )
    return remarks


def _pairs_turned(placed: Sequence[int], orders: Mapping[str, Sequence[int]]) -> str:
    """How many pairs of systems stand the other way round by another way."""
    own = np.subtract.outer(placed, placed)
    turned = [own * np.subtract.outer(order, order) < 0 for order in orders.values()]
    count = int(np.any(turned, axis=0).sum()) // 2
    if not count:
        return _("The order does not depend on the choice: no other way turns a pair.")
    sentence = _(
        "The order depends on the choice: another way turns %(turned)s of %(pairs)s "
        "pairs of systems."
    )
    return sentence % {"turned": count, "pairs": len(placed) * (len(placed) - 1) // 2}


def _first(rows: Sequence[Row], placed: Sequence[int]) -> str:
    return ", ".join(
        r.system for r, rank in zip(rows, placed, strict=True) if rank == 1
    )
