"""Phases of a task on one line of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from leaderboard.tasks.models import Phase

# What is drawn of a phase without an end beyond now, as a share of what was before.
BEYOND = 0.2
SHORTEST = timedelta(days=1)
LEAST_WIDTH = 1  # per cent; an hour among years is still seen


@dataclass(frozen=True)
class PhaseBar:
    """A phase with attributes of an SVG bar: where it starts and how wide it is.

    They are whole: a page with decimals cannot be searched for scores it must not tell.
    """

    phase: Phase
    start: str
    width: str


@dataclass(frozen=True)
class Timeline:
    """Bars on one axis; `now` is the place of the present on it, "" where it is before
    or behind all phases. `now_at` says at which side of the place its name has room."""

    bars: Sequence[PhaseBar]
    now: str = ""
    now_at: str = "middle"


def timeline(phases: Sequence[Phase], moment: datetime) -> Timeline:
    """The time from the first opening to the last end; a phase without one goes on."""
    if not phases:
        return Timeline([])
    first = min(phase.opens for phase in phases)
    last = max([phase.closes or phase.opens for phase in phases])
    if any(phase.closes is None for phase in phases):
        last = max(last, moment)
        last += max((last - first) * BEYOND, SHORTEST)

    def place(at: datetime) -> float:
        return 100 * ((at - first) / (last - first) if last > first else 0.0)

    bars = []
    for phase in phases:
        start, end = place(phase.opens), place(phase.closes or last)
        width = max(end - start, LEAST_WIDTH)
        start = min(start, 100 - width)
        bars.append(PhaseBar(phase, f"{start:.0f}%", f"{width:.0f}%"))
    now = place(moment)
    if not 0 <= now <= 100:
        return Timeline(bars)
    side = "start" if now < 5 else "end" if now > 95 else "middle"
    return Timeline(bars, f"{now:.0f}%", side)
