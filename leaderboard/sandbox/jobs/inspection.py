"""The job of the error browser: gold and systems' files, compared unit by unit.

Gold is opened here and nowhere in the web process, which only carries its bytes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scoring.inspection.overview import CountedSystem, UnitQuery, overview, unit_page
from scoring.inspection.own import own_units
from scoring.inspection.slices import slices
from scoring.sandbox.codec import Request, Values
from scoring.scorers import all_scorers
from scoring.statistics.bootstrap import Plan

AHEAD = 10  # who looks at a unit goes on to the next ones
# Here, in the server, once: what a child must load it would load for every page.
all_scorers()


def inspect(request: Request) -> tuple[Values, Sequence[bytes]]:
    """A page of the list, or a unit: `ask` says which.

    With a `plan` of resampling, slices and their intervals come with the list.
    `opened` are units that a reader is likely to ask for next, each behind its place.
    The first pair of files is the page's own.
    """
    scorer, options, pairs = request.unpack()
    gold = scorer.read_gold(pairs[0][0], options)
    systems = []
    for _, source in pairs:
        system = scorer.read_system(source, options, gold)
        counts = scorer.count(gold, system, options)
        assert scorer.inspect is not None
        systems.append(CountedSystem(counts, scorer.inspect(gold, system, options)))
    asked = request.values
    measure = scorer.measure(asked["measure"], systems[0].counts.columns)
    if asked["ask"] == "list":
        answer = overview(systems, measure, _query(asked["query"]))
        if "plan" in asked:
            plan = Plan(**asked["plan"])
            of_each = [slices(s.counts, measure, plan, s.inspection) for s in systems]
            answer["slices"] = [[asdict(part) for part in parts] for parts in of_each]
        following = [line["unit"] for line in answer["listing"]["lines"]]
    else:
        answer = unit_page(systems, measure, asked["unit"])
        following = [*range(asked["unit"] + 1, asked["unit"] + 1 + AHEAD)] * bool(
            answer
        )
    pages = ((unit, unit_page(systems, measure, unit)) for unit in following)
    return {**answer, "opened": [(unit, page) for unit, page in pages if page]}, []


def own(request: Request) -> tuple[Values, Sequence[bytes]]:
    """Units of answers by themselves, by name: pairs of published and sent file."""
    scorer, options, pairs = request.unpack()
    names = request.values["names"]
    systems = [own_units(scorer, *pair, options, names) for pair in pairs]
    return {"systems": systems}, []


def _query(asked: Mapping[str, Any]) -> UnitQuery:
    labels = {
        name: tuple(asked[name])
        for name in ("gold", "system", "slice")
        if asked.get(name)
    }
    return UnitQuery(**{**asked, **labels})
