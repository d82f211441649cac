"""What the probe report shows, cut to what a person can read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from leaderboard.submissions.similarity import (
    Alike,
    Burst,
    Likeness,
    SameFile,
    likeness,
    same_files,
)
from leaderboard.tasks.models import Phase

MOST_SHOWN = 50

Row = TypeVar("Row")


@dataclass(frozen=True)
class Rows(Generic[Row]):
    """The first rows, and how many are not shown."""

    shown: Sequence[Row]
    more: int

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "Rows[Row]":
        return cls(rows[:MOST_SHOWN], max(0, len(rows) - MOST_SHOWN))


@dataclass(frozen=True)
class Report:
    likeness: Likeness
    files: Rows[SameFile]
    across: Rows[Alike]
    within: Rows[Alike]
    bursts: Rows[Burst]

    @property
    def usual_share(self) -> str:
        usual = self.likeness.usual
        return "" if usual is None else f"{usual:.1%}".replace("%", " %")

    @property
    def is_empty(self) -> bool:
        parts = (self.files, self.across, self.within, self.bursts)
        return not any(part.shown for part in parts)


def report_of(phase: Phase) -> Report:
    """A constant number of queries."""
    found = likeness(phase)
    return Report(
        found,
        Rows.of(same_files(phase)),
        Rows.of(found.across),
        Rows.of(found.within),
        Rows.of(found.bursts),
    )
