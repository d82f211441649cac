"""The worth of a test set: its units one by one, and how many would be enough.

From stored counts of the systems of a board, the best of each team, on all units. For
organizers alone: what is known of single units would help those who guess.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.extension.access import SEE, access
from leaderboard.extension.boards import (
    Board,
    BoardQuery,
    Row,
    UnknownChoice,
    board_for,
    detailed_board_or_404,
    query_or_404,
    reader_of,
)
from leaderboard.extension.models import Phase, Task, TestSet
from leaderboard.extension.points import UnitPage, joined
from leaderboard.extension.policy import Part
from leaderboard.extension.scores import bracket, decimals_of, printed
from leaderboard.extension.statistics import BoardSample
from leaderboard.extras.units.items import (
    GOOD,
    LEAST_SYSTEMS,
    Items,
    Reliability,
    items_of,
    reliability,
    unit_values,
)
from leaderboard.extras.units.statistical_power import (
    MOST_PILOTS,
    MOST_PLANNED,
    about,
    headings,
    outlooks,
    planned_of,
    systems_of,
)
from scoring.counts import Counts, Floats
from scoring.errors import UsageError
from scoring.measures import Measure
from scoring.statistics.intervals import TIE
from scoring.statistics.runs import value_of

PAGE = 50
# Of more systems the best tell enough, and a page is no slower.
MOST_SYSTEMS = 200
SUSPECT, HARD, EASY, TELLING = "suspect", "hard", "easy", "telling"
ORDERS = {
    SUSPECT: _("suspect first"),
    HARD: _("hardest first"),
    EASY: _("easiest first"),
    TELLING: _("most telling first"),
}


Neighbours = tuple[Row, Row, str, str, str | None]


@require_safe
@access(SEE.of_phase.signed_in)
def separation(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The page for organizers of the differences that the phase can resolve, from its
    scores."""
    query = query_or_404(request, phase)
    ranking = detailed_board_or_404(request, query)
    systems = systems_of(ranking, request.GET.get("systems", ""))
    planned = planned_of(*(request.GET.get(name, "") for name in ("runs", "judges")))
    lines = outlooks(ranking, systems, planned)
    planning = ("systems", "runs", "judges")
    context = {
        "task": phase.task,
        "phase": phase,
        "board": ranking,
        "systems": systems,
        "runs": max((o.separation.runs or 0 for o in lines), default=0),
        "judges": max((o.separation.judges or 0 for o in lines), default=0),
        "beside_units": any(o.separation.beside_units for o in lines),
        "planned": planned,
        "carried": [item for item in request.GET.items() if item[0] not in planning],
        "most": MOST_PLANNED,
        "outlooks": lines,
        "differences": headings(ranking),
        "apart": ("measure",),
    }
    return render(request, "units/separation.html", context)


@dataclass(frozen=True)
class TestSetWorth:
    """One test set in one measure: `systems` are the rows looked at, best first."""

    measure: Measure
    systems: Sequence[Row]
    units: Sequence[str]
    items: Items
    reliability: Reliability | None
    neighbours: Sequence[Neighbours]
    addresses: Mapping[str, str]

    @property
    def suspects(self) -> int:
        return int(self.items.suspect.sum())

    @property
    def may_mark(self) -> bool:
        """Whether there are enough systems to mark any unit."""
        return len(self.systems) >= LEAST_SYSTEMS

    @property
    def alpha(self) -> str:
        reliability = self.reliability
        return "" if reliability is None else printed(max(reliability.alpha, 0), 2)

    @property
    def alpha_interval(self) -> str:
        reliability = self.reliability
        if reliability is None or reliability.low != reliability.low:
            return ""
        return bracket(
            reliability.alpha, max(reliability.low, 0), max(reliability.high, 0), 2
        )

    @property
    def units_for_good(self) -> int | None:
        return self.reliability.units_for(GOOD) if self.reliability else None

    def places_in_order(self, order: str) -> list[int]:
        """Places of units in an order of ORDERS; of equal ones the first in the file
        first, and those of which nothing is known last."""
        items, easy = self.items, self.measure.higher_is_better
        keys: dict[str, Floats] = {
            SUSPECT: np.where(items.suspect, -2.0, 0.0) + items.rest,
            HARD: items.mean if easy else -items.mean,
            EASY: -items.mean if easy else items.mean,
            TELLING: -items.rest,
        }
        key = keys[order]
        return list(map(int, np.lexsort([key, np.isnan(key)])))

    def lines(self, places: Sequence[int]) -> list[dict[str, object]]:
        """Units of the list, as they are printed."""
        factor = 100 if self.measure.percent else 1
        _value, decimals = decimals_of(self.measure)
        items = self.items
        return [
            {
                "name": (name := self.units[i]),
                "address": self.addresses.get(name, ""),
                "mean": _with_error(
                    items.mean[i], items.mean_error[i], decimals, factor
                ),
                "rest": _with_error(items.rest[i], items.rest_error[i], 2),
                "systems": int(items.systems[i]),
                "suspect": bool(items.suspect[i]),
            }
            for i in places
        ]


def _with_error(value: float, error: float, decimals: int, factor: float = 1) -> str:
    """A value with its error, as "71.2 ± 4.0"."""
    if value != value:
        return printed(None, decimals)
    text = printed(float(value) * factor, decimals)
    has_error = error == error
    return f"{text} ± {printed(float(error) * factor, decimals)}" if has_error else text


def worth_of(
    ranking: Board, test_set: TestSet, measure: Measure
) -> TestSetWorth | None:
    """The worth of a test set's units; None where no two systems were counted on it."""
    ranked = {entry.pk for entry in ranking.family}
    rows = [row for row in ranking.rows if row.evaluation.pk in ranked][:MOST_SYSTEMS]
    sample = _sample(ranking, rows, test_set)
    (column,) = sample.counts
    given = [(row, c) for row, c in zip(rows, column, strict=True) if c is not None]
    if len(given) < 2:
        return None
    systems, counts = [row for row, _c in given], [c for _row, c in given]
    values = unit_values(counts, measure)
    return TestSetWorth(
        measure,
        systems,
        counts[0].units,
        items_of(values),
        reliability(values, ranking.level),
        _neighbours(ranking, test_set, measure, given[:MOST_PILOTS]),
        _addresses(systems[0], counts[0], test_set),
    )


def _sample(ranking: Board, rows: Sequence[Row], test_set: TestSet) -> BoardSample:
    """Systems on all units of a test set, whatever of them the board shows."""
    sample = ranking.sample_of([row.evaluation for row in rows], [test_set])
    return replace(sample, split=None, slice=None)


def _addresses(row: Row, counts: Counts, test_set: TestSet) -> dict[str, str]:
    """Pages about each unit of one system, by its name, where an extra has such."""
    choice = urlencode({"test_set": test_set.name})
    for page in joined(UnitPage):
        start = page.address(row.submission, 0).removesuffix("0/")
        return {
            name: f"{start}{number}/?{choice}"
            for number, name in enumerate(counts.units, start=1)
        }
    return {}


def _neighbours(
    ranking: Board,
    test_set: TestSet,
    measure: Measure,
    systems: Sequence[tuple[Row, Counts]],
) -> list[Neighbours]:
    """Systems that follow each other, best first, their difference and the units that
    would separate them; none where no two can be separated by any number of units."""
    sample = _sample(ranking, [row for row, _counts in systems], test_set)
    try:
        separation = sample.separation(measure, max(2, len(ranking.family)))
    except UsageError:
        return []
    factor, (decimals, _ends) = 100 if measure.percent else 1, decimals_of(measure)
    pairs, by = [], separation.compared_by
    for (better, first), (worse, second) in pairwise(systems):
        apart = abs(value_of(first, measure) - value_of(second, measure))
        if apart != apart:
            continue
        key = better.submission, worse.submission
        smallest = separation.per_pair.get(key, inf)
        separable = smallest < inf and apart > TIE
        units = separation.units_from(smallest, apart) if separable else None
        difference = printed(apart * factor, decimals)
        pairs.append((better, worse, difference, about(units), by))
    return pairs


@require_safe
@access(SEE)
def page(request: HttpRequest, task: Task) -> HttpResponse:
    """Units of a test set, `?phase=` and `?test_set=`, by `?measure=` and `?order=`."""
    phases = list(task.phases.select_related("task", "gold_revision"))
    phase = _chosen_phase(task, phases, request.GET.get("phase"))
    context: dict[str, Any] = {
        "task": task,
        "phases": phases,
        "phase": phase,
        "least_systems": LEAST_SYSTEMS,
        "good": printed(GOOD, 2),
    }
    if phase is not None:
        context |= _phase_context(request, phase)
    return render(request, "units/items.html", context)


def _chosen_phase(task: Task, phases: list[Phase], name: str | None) -> Phase | None:
    """The phase asked for, else the last that something was sent to."""
    if name:
        named = [phase for phase in phases if phase.name == name]
        if not named:
            raise Http404
        return named[0]
    used = set(
        task.phases.filter(submissions__isnull=False).values_list("pk", flat=True)
    )
    return next(reversed([p for p in phases if p.pk in used] or phases), None)


def _phase_context(request: HttpRequest, phase: Phase) -> dict[str, Any]:
    test_sets = list(phase.test_sets.all())
    name = request.GET.get("test_set", "")
    named = [t for t in test_sets if name in ("", t.name)]
    if not test_sets and not name:
        return {"measure": None}
    if not named:
        raise UnknownChoice
    test_set = named[0]
    measures = [m for m in phase.task.headline_first if m.by_unit and not m.of_file]
    wanted = request.GET.get("measure", "")
    chosen = [m for m in measures if wanted in ("", m.name)]
    if wanted and not chosen:
        raise UnknownChoice
    context: dict[str, Any] = {
        "test_sets": test_sets,
        "test_set": test_set,
        "measures": measures,
        "measure": chosen[0] if chosen else None,
        "orders": ORDERS.items(),
        "order": SUSPECT,
        "worth": None,
    }
    if not chosen:
        return context
    query = BoardQuery(
        phase,
        measure=chosen[0].name,
        test_set=test_set.name if len(test_sets) > 1 else "",
        part=Part.ALL.value if phase.private_share is not None else "",
    )
    ranking = board_for(reader_of(request), query)
    worth = worth_of(ranking, test_set, chosen[0])
    if worth is None:
        return context
    order = request.GET.get("order", "")
    if order not in ORDERS:
        order = SUSPECT if worth.may_mark else HARD
    pages = Paginator(worth.places_in_order(order), PAGE).get_page(
        request.GET.get("page")
    )
    return context | {
        "order": order,
        "worth": worth,
        "page": pages,
        "lines": worth.lines(list(pages.object_list)),
    }
