"""What coarser publication costs honest teams in a phase, before it is chosen."""

import copy
from dataclasses import dataclass

from leaderboard.submissions.scores import resolution
from leaderboard.tasks.models import GoldFile, Phase
from leaderboard.tasks.phase_rules import too_few

Publication = Phase.Publication


@dataclass(frozen=True)
class Cost:
    """Differences up to `points` stay unseen; `measured` on what was sent so far.

    Without points there are too few units to round anything.
    """

    publication: str
    points: float | None
    measured: bool


def costs_of(phase: Phase) -> list[Cost]:
    """Of grid and ladder with the phase's step, or the usual one; none for a new phase.

    A constant number of queries.
    """
    if phase.pk is None:
        return []
    found = []
    files = GoldFile.objects.filter(
        revision=phase.gold_revision_id, test_set__in=phase.test_sets.all()
    )
    units = dict(files.values_list("test_set__title", "units"))
    for kind in (Publication.GRID, Publication.LADDER):
        assumed = copy.copy(phase)
        assumed.step = phase.step if phase.publication == kind else None
        assumed.publication = kind
        if any(too_few(assumed, units)):
            found.append(Cost(kind.value, None, False))
            continue
        cost = resolution(assumed, kind)
        found.append(Cost(kind.value, cost.points, cost.measured))
    return found
