"""The systems of a board against a cost that they told, as its page prints them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext as _

from leaderboard.extension.boards import Board, Row
from leaderboard.extension.models import Answer, AnyQuestion
from leaderboard.extension.statistics import (
    BoardSample,
    Content,
    stored_or_computed,
)
from leaderboard.extras.criteria.front import (
    LEAST_FOR_TREND,
    LEAST_SYSTEMS,
    Trend,
    chances,
    on_front,
    trend_of,
    truths,
)
from scoring.counts import Floats

MOST_SYSTEMS = 200  # of more, covariances take too long for a page


@dataclass(frozen=True)
class CostRow:
    """One system: its row of the board, its cost, whether it is on the front, and how
    probable that is, None where that is not known."""

    row: Row
    answer: Answer
    on_front: bool
    probable: float | None

    @property
    def cost(self) -> str:
        return self.answer.text

    @property
    def probability(self) -> str:
        return "" if self.probable is None else _percent(self.probable)


@dataclass(frozen=True)
class CostFront:
    """Systems of a board, the cheapest first. `left_out` told no cost or lack a test
    set. Without `rows`, or without probabilities, `why` says why; what these assume is
    in `trend`."""

    rows: Sequence[CostRow] = ()
    left_out: int = 0
    why: str = ""
    trend: Trend | None = None

    @property
    def assumes(self) -> str:
        """The assumption of the probabilities as a sentence."""
        if self.trend is Trend.LOGARITHM:
            return _(
                "It assumes that scores follow a straight line along the logarithm of "
                "the cost, with systems above and below it. Where scores level off, it "
                "is too small for the cheaper systems."
            )
        if self.trend is Trend.COST:
            return _(
                "It assumes that scores follow a straight line along the cost itself, "
                "as one of these has no logarithm, with systems above and below it."
            )
        if self.trend is Trend.NONE:
            return _(
                "It assumes that systems lie above and below one level, whatever they "
                "cost: a line is drawn of %(least)s or more with different costs."
            ) % {"least": LEAST_FOR_TREND}
        return ""


def front_of(ranking: Board, cost: AnyQuestion) -> CostFront:
    """The front of the board's measure and a cost, of which less is better, among the
    ranked rows that filters leave."""
    measure = ranking.measure
    if not ranking.disclosure.board:
        return CostFront(why=_("Scores are not shown yet."))
    ranked = [row for row in ranking.rows if row.ranked]
    rows = [
        row
        for row in ranked
        if row.complete and cost.number_in(row.facts) is not None and _score(row)
    ]
    if not rows:
        return CostFront(why=_("No system has told such a number."))
    costs = np.array([cost.number_in(row.facts) for row in rows], float)
    sign = 1.0 if measure.higher_is_better else -1.0
    scores = sign * np.array([row.sorted_by.numbers.value for row in rows], float)
    probable, why = _probabilities(ranking, rows, costs, sign)
    flags = on_front(scores, costs)
    order = np.lexsort([-scores, costs]).tolist()
    systems = [
        CostRow(
            rows[i],
            Answer(cost, rows[i].facts[cost.name]),
            bool(flags[i]),
            None if probable is None else float(probable[i]),
        )
        for i in order
    ]
    trend = None if probable is None else trend_of(costs)
    return CostFront(systems, len(ranked) - len(rows), why, trend)


def _score(row: Row) -> bool:
    return row.sorted_by.numbers.value is not None


def _percent(probability: float) -> str:
    """A probability in whole per cents, as draws tell no more."""
    if probability < 0.005:
        return "<1%"
    return ">99%" if probability > 0.995 else f"{100 * probability:.0f}%"


def _probabilities(
    ranking: Board, rows: Sequence[Row], costs: Floats, sign: float
) -> tuple[Floats | None, str]:
    """The probability of each row to be on the front, or why there is none."""
    measure = ranking.measure
    if measure.of_file:
        return None, _("The measure has no values per unit, so nothing says how sure.")
    if not LEAST_SYSTEMS <= len(rows) <= MOST_SYSTEMS:
        values = {"least": LEAST_SYSTEMS, "most": MOST_SYSTEMS}
        return None, _(
            "How probable it is to be on the front is worked out of %(least)s to "
            "%(most)s systems."
        ) % values
    sample = ranking.sample_of([row.evaluation for row in rows])
    unknown = _("These systems were not counted on the same units.")
    if not sample.comparable:
        return None, unknown
    subject = sample.subject("front", [measure], tuple(costs.tolist()))
    content = stored_or_computed(
        subject, lambda: (_content(sample, ranking, costs, sign), {})
    )
    shares: Floats = content["front"]
    return (shares, "") if len(shares) else (None, unknown)


def _content(
    sample: BoardSample, ranking: Board, costs: Floats, sign: float
) -> Content:
    (drawn,) = sample.resamples([ranking.measure])
    truth = truths(
        sign * drawn.values,
        sign * drawn.resampled,
        costs,
        ranking.phase.task.seed,
    )
    return {"front": np.zeros(0) if truth is None else chances(truth, costs)}
