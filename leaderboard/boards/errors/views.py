"""Pages of the error browser: the list of units, and one unit."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.errors import choosing, finding, showing, wording
from leaderboard.boards.errors.asking import CannotLook, Look
from scoring.inspection.overview import UnitQuery

KEPT = ("test_set", "other")


@login_required
@require_safe
def errors(request: HttpRequest, pk: str) -> HttpResponse:
    """The units of a submission, chosen and ordered by the address."""
    look = finding.look_or_404(request, pk)
    query = choosing.query_of(request.GET.dict(), look.other is not None)
    return _page(request, look, lambda: _list(request, look, query))


@login_required
@require_safe
def unit(request: HttpRequest, pk: str, unit: int) -> HttpResponse:
    """One unit, from 1, with what gold and system say of it."""
    look = finding.look_or_404(request, pk)
    return _page(request, look, lambda: _unit(request, look, unit))


def _page(
    request: HttpRequest, look: Look, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """The page, or one that says that looking failed and that it is our fault."""
    try:
        return answer()
    except CannotLook:
        return render(request, "boards/errors_failed.html", _shared(look), status=503)


def _shared(look: Look) -> dict[str, Any]:
    return {
        "task": look.task,
        "submission": look.submission,
        "phase": look.submission.phase,
        "test_set": look.test_set,
        "look": look,
        "measure": look.task.headline_measure,
    }


def _list(request: HttpRequest, look: Look, query: UnitQuery) -> HttpResponse:
    found = look.overview(query)
    listing = found["listing"]
    context = _shared(look) | {
        "test_sets": finding.test_sets_of(look.evaluation),
        "query": query,
        "listing": listing,
        "before_page": listing["page"] - 1,
        "next_page": listing["page"] + 1 if listing["page"] < listing["pages"] else 0,
        "lines": [_line(line, look) for line in listing["lines"]],
        "matrices": [_matrix(matrix) for matrix in found["matrices"]],
        "slices": [_slice(part, look) for part in found["slices"] if part["large"]],
        "slices_left_out": any(not part["large"] for part in found["slices"]),
        "kinds": [
            (choosing.Choice(kind, _kind(kind), kind == query.kind), number)
            for kind, number in listing["errors"].items()
        ],
        "gold_labels": _layers(choosing.labels(listing["labels"], query.gold)),
        "system_labels": _layers(choosing.labels(listing["labels"], query.system)),
        "slice_choices": choosing.slices(found["slices"], query.slice),
        "orders": _orders(look, query),
        "others": list(finding.others(request.user, look.submission)[:100]),
    }
    return render(request, "boards/errors.html", context)


def _kind(kind: str) -> str:
    return wording.named(wording.KINDS, kind)


def _layers(groups: list[choosing.Group]) -> list[choosing.Group]:
    return [(wording.named(wording.LAYERS, name), found) for name, found in groups]


def _orders(look: Look, query: UnitQuery) -> list[choosing.Choice]:
    """Those that can be told: errors are counted only where they may be seen."""
    known = ["worst", *(["most"] if look.pictured else []), "file"]
    known += ["difference"] if look.other else []
    return [
        choosing.Choice(name, wording.named(wording.ORDERS, name), name == query.order)
        for name in known
    ]


def _line(line: dict[str, Any], look: Look) -> dict[str, Any]:
    measure = look.task.headline_measure
    return {
        "number": line["unit"] + 1,
        "name": line["name"],
        "size": line["size"],
        "value": showing.score(line["value"], measure),
        "other": showing.score(line["other"], measure) if look.other else "",
        "errors": [(_kind(kind), number) for kind, number in line["errors"].items()],
    }


def _slice(part: dict[str, Any], look: Look) -> dict[str, Any]:
    return {**part, "value": showing.score(part["value"], look.task.headline_measure)}


def _matrix(matrix: dict[str, Any]) -> dict[str, Any]:
    """Rows of cells with the filter that each cell is a link to."""
    layer, labels = matrix["layer"], matrix["labels"]
    rows = [
        {
            "label": label,
            "cells": [
                {
                    "number": number,
                    "gold": f"{layer}:{label}",
                    "system": f"{layer}:{labels[place]}",
                    "right": labels[place] == label,
                }
                for place, number in enumerate(numbers)
            ],
        }
        for label, numbers in zip(labels, matrix["cells"], strict=True)
    ]
    title = wording.named(wording.LAYERS, layer)
    return {**matrix, "rows": rows, "title": title}


def _unit(request: HttpRequest, look: Look, unit: int) -> HttpResponse:
    found = look.unit(unit - 1)
    if not found:
        raise Http404
    titles = [e.submission.system for e in look.evaluations]
    systems, measure = found["systems"], look.task.headline_measure
    pairs = zip(systems, titles, strict=True)
    pictures = [one["picture"] for one in systems if "picture" in one]
    context = _shared(look) | {
        "name": found["name"],
        "number": unit,
        "units": found["units"],
        "before": unit - 1 if unit > 1 else None,
        "next": unit + 1 if unit < found["units"] else None,
        "panels": showing.panels(pictures, titles) if pictures else [],
        "systems": [showing.shown(one, title, measure) for one, title in pairs],
        "kept": list(choosing.hidden(request.GET.dict(), *KEPT)),
    }
    return render(request, "boards/error_unit.html", context)
