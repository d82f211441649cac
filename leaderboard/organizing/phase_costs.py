"""What coarser publication costs honest teams in a phase, before it is chosen."""

import copy
from dataclasses import dataclass

from leaderboard.submissions.publishing import resolution
from leaderboard.tasks.models import Phase

Publication = Phase.Publication


@dataclass(frozen=True)
class Cost:
    """Differences up to `points` stay unseen; `measured` on what was sent so far."""

    publication: str
    points: float
    measured: bool


def costs_of(phase: Phase) -> list[Cost]:
    """Of grid and ladder with the phase's step, or the usual one; none for a new phase.

    A constant number of queries.
    """
    if phase.pk is None:
        return []
    found = []
    for kind in (Publication.GRID, Publication.LADDER):
        assumed = copy.copy(phase)
        assumed.step = phase.step if phase.publication == kind else None
        cost = resolution(assumed, kind)
        found.append(Cost(kind.value, cost.points, cost.measured))
    return found
