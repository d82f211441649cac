"""The job of the error browser: gold and systems' files, compared unit by unit.

Gold is opened here and nowhere in the web process, which only carries its bytes.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from leaderboard.sandbox.codec import Request, Values
from scoring import Source
from scoring.inspection import Inspection
from scoring.inspection.overview import (
    CountedSystem,
    UnitQuery,
    counted,
    listing,
    matrices,
    slices,
)
from scoring.scorers import all_scorers

AHEAD = 10  # who looks at a unit goes on to the next ones
# Here, in the server, once: what a child must load it would load for every page.
all_scorers()


def inspect(request: Request) -> tuple[Values, Sequence[bytes]]:
    """A page of the list, or a unit and those that come next: `ask` says which."""
    inspector, asked = Inspector(request), request.values
    if asked["ask"] == "list":
        return inspector.list(_query(asked["query"])), []
    answer = inspector.unit(asked["unit"])
    ahead = range(asked["unit"] + 1, asked["unit"] + 1 + AHEAD)
    answer["opened"] = inspector.opened(ahead) if answer else []
    return answer, []


class Inspector:
    """Both sides of each pair, read and compared; the first pair is the page's own."""

    def __init__(self, request: Request) -> None:
        self.scorer, self.options, pairs = request.unpack()
        self.gold = self.scorer.read_gold(pairs[0][0], self.options)
        self.sides = [self._side(sent) for _, sent in pairs]
        columns = self.sides[0].counts.columns
        self.measure = self.scorer.measure(request.values["measure"], columns)

    def _side(self, sent: Source) -> CountedSystem:
        system = self.scorer.read_system(sent, self.options, self.gold)
        counts = self.scorer.count(self.gold, system, self.options)
        assert self.scorer.inspect is not None
        return CountedSystem(
            counts, self.scorer.inspect(self.gold, system, self.options)
        )

    def list(self, query: UnitQuery) -> dict[str, Any]:
        """A page of the list, its tables, and the units that a reader may open next."""
        other = self.sides[1] if len(self.sides) > 1 else None
        own = self.sides[0]
        found = listing(own, self.measure, query, other)
        tables = matrices(inspected(own)), slices(own.counts, self.measure)
        return {
            "listing": asdict(found),
            "matrices": [asdict(matrix) for matrix in tables[0]],
            "slices": [asdict(part) for part in tables[1]],
            "opened": self.opened([line.unit for line in found.lines]),
        }

    def opened(self, units: Iterable[int]) -> Sequence[tuple[int, dict[str, Any]]]:
        """Units that a reader is likely to ask for next, each behind its place."""
        found = ((unit, self.unit(unit)) for unit in units)
        return [one for one in found if one[1]]

    def unit(self, unit: int) -> dict[str, Any]:
        """Pictures of a unit, one per system; {} where there is no such unit."""
        if not 0 <= unit < len(self.sides[0].counts.units):
            return {}
        return {
            "name": self.sides[0].counts.units[unit],
            "units": len(self.sides[0].counts.units),
            "systems": [self._picture(side, unit) for side in self.sides],
        }

    def _picture(self, side: CountedSystem, unit: int) -> dict[str, Any]:
        found = inspected(side)
        errors = {k: int(found.per_unit(f)[unit]) for k, f in found.wrong.items()}
        return {
            "picture": asdict(found.picture(unit)),
            "errors": {kind: n for kind, n in errors.items() if n},
            **counted(side.counts, self.measure, unit),
        }


def inspected(side: CountedSystem) -> Inspection:
    assert side.inspection is not None
    return side.inspection


def _query(asked: Mapping[str, Any]) -> UnitQuery:
    labels = {
        name: tuple(asked[name])
        for name in ("gold", "system", "slice")
        if asked.get(name)
    }
    return UnitQuery(**{**asked, **labels})
