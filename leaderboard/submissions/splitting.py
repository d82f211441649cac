"""The public and the private part of the units of a test set."""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from leaderboard.tasks.models import Phase, TestSet
from leaderboard.tasks.phase_rules import private_size
from leaderboard.tasks.policy import Part
from scoring import Counts
from scoring.counts import Integers

# What a private part is a fair share of, the first that the gold knows.
GROUPINGS = ("document",)
SPLITS_KEPT = 256


@dataclass(frozen=True)
class Split:
    """One part of the units of every test set of a phase, the same for all systems.

    `key` is the phase's salt: without it nobody can tell which part a unit is in.
    """

    part: Part
    key: str
    share: float

    @classmethod
    def of(cls, phase: Phase, part: Part) -> "Split | None":
        """None where all units count."""
        if part is Part.ALL or phase.private_share is None:
            return None
        return cls(part, phase.salt, phase.private_share)

    def cut(
        self, test_set: TestSet, column: Sequence[Counts | None]
    ) -> list[Counts | None]:
        """Systems of one test set on the units of the part only.

        The gold says which units there are, so one system's cut is everybody's.
        """
        found: list[Counts | None] = []
        units: tuple[str, ...] | None = None
        for counts in column:
            if counts is not None and counts.units != units:
                units = counts.units
                mask = self._mask(test_set, counts)
                whole = counts.where(mask)
            found.append(counts and counts.rows(mask, whole.units, whole.groups))
        return found

    def _mask(self, test_set: TestSet, counts: Counts) -> npt.NDArray[np.bool_]:
        strata = next(
            (counts.groups[name] for name in GROUPINGS if name in counts.groups), ()
        )
        private = private_units(
            f"{self.key}/{test_set.name}", self.share, counts.units, strata
        )
        mask = np.zeros(len(counts.units), dtype=np.bool_)
        mask[private] = True
        return mask if self.part is Part.PRIVATE else ~mask

    def size(self, units: int) -> int:
        """How many of `units` units are in the part."""
        private = private_size(units, self.share)
        return private if self.part is Part.PRIVATE else units - private


@lru_cache(maxsize=SPLITS_KEPT)
def private_units(
    key: str, share: float, units: tuple[str, ...], strata: tuple[str, ...]
) -> Integers:
    """Positions of the private units, ascending; depends on names, not on order.

    In hashed order of documents each gives its share of the whole, one unit more or
    less, those of its units whose keyed hash (HMAC-SHA-256) is lowest. A unit keeps
    its part when the gold of other documents is mended.
    """
    wanted = private_size(len(units), share)
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    members: dict[str, list[int]] = {}
    for position, stratum in enumerate(strata or ("",) * len(units)):
        members.setdefault(stratum, []).append(position)
    start = int.from_bytes(_hash(key, "start", "")[:4], "big") / 2**32
    chosen: list[int] = []
    seen = taken = 0
    for stratum in sorted(members, key=lambda name: _hash(key, "document", name)):
        own = sorted(members[stratum], key=lambda i: _hash(key, "unit", units[i]))
        seen += len(own)
        reached = int(seen * wanted / len(units) + start)
        chosen += own[: reached - taken]
        taken = reached
    return np.array(sorted(chosen), dtype=np.int64)


def _hash(key: str, kind: str, name: str) -> bytes:
    return hmac.digest(key.encode(), f"{kind}:{name}".encode(), "sha256")
