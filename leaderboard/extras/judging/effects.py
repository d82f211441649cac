"""Effects of covariates on votes, with intervals for other units and judges."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leaderboard.extras.judging.stop_rule import PairErrors
from leaderboard.extras.judging.votes import Moves, Ratings
from scoring.statistics.intervals import t_quantile

LEVEL = 0.95


@dataclass(frozen=True)
class Effect:
    """Points of Elo that one more of a covariate is worth to an answer, and the ends of
    its interval; nothing where votes do not tell it, no ends of one judge or unit."""

    value: float | None
    low: float | None
    high: float | None


def effects_of(ratings: Ratings) -> Sequence[Effect]:
    """The effect of each covariate.

    Its interval is Student's, as that of differences of ratings: an effect is how far
    it is from none, in the place of another system.
    """
    found = [Effect(None, None, None)] * len(ratings.effects)
    if not ratings.told.any():
        return found
    moves = ratings.moves_of_effects
    none = np.zeros((len(moves.cells), 1))
    beside = Moves(
        np.append(moves.values, 0.0),
        moves.unit_of,
        moves.judge_of,
        np.hstack([moves.cells, none]),
    )
    errors = PairErrors.of(beside)
    for place, covariate in enumerate(np.flatnonzero(ratings.told).tolist()):
        value, error = float(moves.values[place]), float(errors.errors[place, -1])
        if np.isnan(error):
            found[covariate] = Effect(value, None, None)
            continue
        reach = error * t_quantile((1 + LEVEL) / 2, int(errors.degrees[place, -1]))
        found[covariate] = Effect(value, value - reach, value + reach)
    return found
