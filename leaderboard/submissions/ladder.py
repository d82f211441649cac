"""Which submissions of a team are published: a bar that each new one must clear.

After Blum and Hardt (2015), with a floor under the step: without it nearly equal
submissions have a paired standard error near 0, and two right guesses clear the bar.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from leaderboard.submissions.ranking import spread_of
from scoring.counts import Floats

# Two scores that differ by less are the same score, reached on two ways.
TIE = 1e-12


@dataclass(frozen=True)
class Candidate:
    """A score as it came. `step` is the least gain that counts as one, 0 for any.

    `resampled` (resamples,) is over draws shared by all; None where the standard
    error of the gain is not asked for.
    """

    value: float | None
    step: float = 0.0
    resampled: Floats | None = None


class Ladder:
    """What one team has published so far; candidates come in order of receipt."""

    def __init__(self, higher_is_better: bool) -> None:
        self.sign = 1.0 if higher_is_better else -1.0
        self.best: Candidate | None = None

    def offer(self, candidate: Candidate) -> bool:
        """Whether the candidate is published, and from now on the one to beat.

        The first always is, n/a or not; a number beats n/a.
        """
        published = self.best is None or self._beats(candidate, self.best)
        if published:
            self.best = candidate
        return published

    def _beats(self, new: Candidate, old: Candidate) -> bool:
        if new.value is None or old.value is None:
            return old.value is None and new.value is not None
        gain = self.sign * (new.value - old.value)
        step = max(new.step, old.step, _paired_error(new, old))
        return gain > step + TIE


def _paired_error(new: Candidate, old: Candidate) -> float:
    """Standard error of the difference over the shared resamples."""
    if new.resampled is None or old.resampled is None:
        return 0.0
    error = float(spread_of(new.resampled - old.resampled))
    return 0.0 if math.isnan(error) else error


def climbed(
    candidates: Sequence[Candidate], teams: Iterable[object], higher_is_better: bool
) -> list[bool]:
    """For each candidate, in order of receipt, whether its team's ladder took it."""
    ladders: dict[object, Ladder] = {}
    return [
        ladders.setdefault(team, Ladder(higher_is_better)).offer(candidate)
        for candidate, team in zip(candidates, teams, strict=True)
    ]
