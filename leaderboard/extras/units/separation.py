"""The page on differences that a phase can resolve."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.extension.access import SEE, access
from leaderboard.extension.boards import detailed_board_or_404, query_or_404
from leaderboard.extension.models import Phase
from leaderboard.extras.units.statistical_power import (
    MOST_PLANNED,
    headings,
    outlooks,
    planned_of,
    systems_of,
)


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
