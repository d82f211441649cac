"""Pages of the error browser: the list of units, and one unit."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from leaderboard.boards.errors import titles
from leaderboard.boards.errors.access import look_or_404, others, test_sets_of
from leaderboard.boards.errors.client import CannotLook, Look
from leaderboard.boards.errors.panels import panels, score, system_unit
from leaderboard.boards.errors.params import (
    FilterOption,
    OptionGroup,
    label_options,
    query_of,
)
from scoring.inspection.overview import Label, UnitQuery

MOST_OTHERS = 100


@login_required
@require_safe
def errors(request: HttpRequest, pk: str) -> HttpResponse:
    """The units of a submission, chosen and ordered by the address."""
    look = look_or_404(request, pk)
    query = query_of(request.GET.dict(), look.other is not None)
    return _page(request, look, lambda: _list(request, look, query))


@login_required
@require_safe
def unit(request: HttpRequest, pk: str, unit: int) -> HttpResponse:
    """One unit, from 1, with what gold and system say of it."""
    look = look_or_404(request, pk)
    return _page(request, look, lambda: _unit(request, look, unit))


def _page(
    request: HttpRequest, look: Look, answer: Callable[[], HttpResponse]
) -> HttpResponse:
    """The page, or one that says that looking failed and that it is our fault."""
    try:
        return answer()
    except CannotLook:
        return render(request, "boards/errors_failed.html", _context(look), status=503)


def _context(look: Look) -> dict[str, Any]:
    return {
        "task": look.task,
        "submission": look.submission,
        "phase": look.submission.phase,
        "test_set": look.test_set,
        "look": look,
        "measure": look.task.headline_measure,
    }


def _list(request: HttpRequest, look: Look, query: UnitQuery) -> HttpResponse:
    overview = look.overview(query)
    listing, slices = overview["listing"], overview["slices"]
    measure = look.task.headline_measure
    orders = ["worst", *(["most"] if look.pictured else []), "file"]
    orders += ["difference"] if look.other else []
    context = _context(look) | {
        "test_sets": test_sets_of(look.evaluation),
        "query": query,
        "listing": listing,
        "before_page": listing["page"] - 1,
        "next_page": listing["page"] + 1 if listing["page"] < listing["pages"] else 0,
        "lines": [
            {
                **line,
                "number": line["unit"] + 1,
                "value": score(line["value"], measure),
                "other": score(line["other"], measure) if look.other else "",
                "errors": titles.errors(line["errors"]),
            }
            for line in listing["lines"]
        ],
        "matrices": [_matrix(matrix) for matrix in overview["matrices"]],
        "slices": [
            {**part, "value": score(part["value"], measure)}
            for part in slices
            if part["large"]
        ],
        "slices_left_out": any(not part["large"] for part in slices),
        "kinds": [
            (FilterOption(kind, titles.of(titles.KINDS, kind), kind == query.kind), n)
            for kind, n in listing["errors"].items()
        ],
        "gold_labels": _label_options(listing["labels"], query.gold),
        "system_labels": _label_options(listing["labels"], query.system),
        "slice_choices": label_options(
            ((part["group"], part["label"]) for part in slices), query.slice
        ),
        "orders": [
            FilterOption(name, titles.of(titles.ORDERS, name), name == query.order)
            for name in orders
        ],
        "others": list(others(request.user, look.submission)[:MOST_OTHERS]),
    }
    return render(request, "boards/errors.html", context)


def _label_options(
    labels: dict[str, list[str]], chosen: Label | None
) -> list[OptionGroup]:
    pairs = ((layer, label) for layer, names in labels.items() for label in names)
    return [
        (titles.of(titles.LAYERS, layer), options)
        for layer, options in label_options(pairs, chosen)
    ]


def _matrix(matrix: dict[str, Any]) -> dict[str, Any]:
    """Rows of cells with the filter that each cell is a link to."""
    layer, labels = matrix["layer"], matrix["labels"]
    rows = [
        {
            "label": gold,
            "cells": [
                {
                    "number": number,
                    "gold": f"{layer}:{gold}",
                    "system": f"{layer}:{system}",
                    "right": system == gold,
                }
                for system, number in zip(labels, numbers, strict=True)
            ],
        }
        for gold, numbers in zip(labels, matrix["cells"], strict=True)
    ]
    return {**matrix, "rows": rows, "title": titles.of(titles.LAYERS, layer)}


def _unit(request: HttpRequest, look: Look, unit: int) -> HttpResponse:
    values = look.unit(unit - 1)
    if not values:
        raise Http404
    systems, measure = values["systems"], look.task.headline_measure
    names = [evaluation.submission.system for evaluation in look.evaluations]
    pictures = [system["picture"] for system in systems if "picture" in system]
    context = _context(look) | {
        "name": values["name"],
        "number": unit,
        "units": values["units"],
        "before": unit - 1 if unit > 1 else None,
        "next": unit + 1 if unit < values["units"] else None,
        "panels": panels(pictures, names) if pictures else [],
        "systems": [
            system_unit(system, name, measure)
            for system, name in zip(systems, names, strict=True)
        ],
    }
    return render(request, "boards/error_unit.html", context)
