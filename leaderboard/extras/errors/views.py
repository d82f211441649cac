"""Pages of the error browser: the list of units, and one unit.

All choices stand in the address, so that every page can be shared.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode
from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.extension import policy
from leaderboard.extension.access import SUBMISSION, access
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    Participation,
    Submission,
    TestSet,
)
from leaderboard.extension.policy import Power, Sight
from leaderboard.extension.scores import SubmissionStatus, evaluation_of
from leaderboard.extras.errors import titles
from leaderboard.extras.errors.client import CannotLook, Look
from leaderboard.extras.errors.panels import own_panels, panels, score, system_unit
from leaderboard.extras.errors.slice_chart import Plain, choice, groupings, slice_chart
from scoring.inspection.overview import DIFFERENCE, ORDERS, Label, UnitQuery
from scoring.measures import Measure

MOST_OTHERS = 100
MOST_DIGITS = 6
MOST_CONFUSIONS = 10


def sees_errors(user: Any, status: SubmissionStatus) -> bool:
    """Whether this reader sees any errors of the submission, in any test set."""
    if status.state != EvaluationState.SCORED:
        return False
    phase = status.submission.phase
    return any(
        policy.sees_errors(user, phase, test_set) is not Sight.NOTHING
        for test_set in phase.test_sets.all()
    )


class Loss(NamedTuple):
    """A sentence, and the choice of the error browser that lists these units."""

    text: str
    chosen: str


def largest(overview: Plain, measure: Measure) -> list[Loss]:
    """The largest loss of each sort that is known, from what `Look.overview` gives.

    A part of the units counts only where its interval leaves the whole score out.
    """
    losses = (
        _part(overview["slices"][0], measure),
        _kind(overview["listing"]["errors"]),
        _confusion(overview["matrices"]),
    )
    return [loss for loss in losses if loss is not None]


def _part(parts: list[Plain], measure: Measure) -> Loss | None:
    """The part without which the score would rise most."""
    whole, sign = parts[0]["value"], 1 if measure.higher_is_better else -1
    if whole is None:
        return None

    def gain(part: Plain) -> float:
        end = part["high"] if measure.higher_is_better else part["low"]
        if end is None or part["rest"] is None or sign * (end - whole) >= 0:
            return 0.0
        return float(sign * (part["rest"] - whole))

    worst = max(parts[1:], key=gain, default=parts[0])
    if worst is parts[0] or gain(worst) <= 0:
        return None
    values = {
        "measure": measure.title,
        "value": score(worst["value"], measure),
        "group": worst["group"],
        "label": worst["label"],
        "n": worst["units"],
        "all": parts[0]["units"],
        "rest": score(worst["rest"], measure),
    }
    text = _(
        "%(measure)s is %(value)s on %(group)s %(label)s, %(n)s of %(all)s units, and "
        "%(rest)s on all others."
    )
    slice, shortest, longest = choice(worst)
    chosen = {"slice": slice, "shortest": shortest, "longest": longest}
    return Loss(text % values, _address(chosen))


def _kind(errors: Mapping[str, int]) -> Loss | None:
    """The most frequent kind of error, where there are several."""
    if len(errors) < 2:
        return None
    kind = max(errors, key=errors.__getitem__)
    values = {
        "kind": titles.of(titles.KINDS, kind),
        "n": errors[kind],
        "all": sum(errors.values()),
    }
    text = _("The most frequent kind of error is “%(kind)s”: %(n)s of %(all)s.")
    return Loss(text % values, _address({"kind": kind}))


def _confusion(matrices: list[Plain]) -> Loss | None:
    """The pair of labels that is confused most often."""
    frequent = max(_confusions(matrices), default=None)
    if frequent is None:
        return None
    number, layer, right, given = frequent
    text = _("The most frequent confusion is %(right)s taken for %(given)s: %(n)s.")
    values = {"right": right, "given": given, "n": number}
    labels = {"gold": f"{layer}:{right}", "system": f"{layer}:{given}"}
    return Loss(text % values, _address(labels))


def _confusions(matrices: list[Plain]) -> Iterator[tuple[int, str, str, str]]:
    """Cells beside the diagonal that say something, with both labels."""
    for matrix in matrices:
        names = matrix["labels"]
        for right, numbers in zip(names, matrix["cells"], strict=True):
            for given, number in zip(names, numbers, strict=True):
                if number and right and given and right != given:
                    yield number, matrix["layer"], right, given


def _address(chosen: Mapping[str, object]) -> str:
    return urlencode({name: value for name, value in chosen.items() if value})


# The submission, test set and second submission of an address.


def look_or_404(request: HttpRequest, submission: Submission) -> Look:
    """404 unless the submission is scored and policy lets the reader look at it."""
    evaluation = _scored_or_404(submission)
    name = request.GET.get("test_set", "")
    named = [t for t in test_sets_of(evaluation) if name in ("", t.name)]
    if not named:
        raise Http404
    test_set = named[0]
    sight = policy.sees_errors(request.user, submission.phase, test_set)
    if sight is Sight.NOTHING:
        raise Http404
    other = None
    if key := request.GET.get("other"):
        other = _other_or_404(request.user, submission, test_set, key)
    return Look(evaluation, test_set, sight, other)


def _scored_or_404(submission: Submission) -> Evaluation:
    evaluation = evaluation_of(submission)
    if evaluation is None or evaluation.state != EvaluationState.SCORED:
        raise Http404
    return evaluation


def test_sets_of(evaluation: Evaluation) -> list[TestSet]:
    """Test sets of the phase that something was sent and counted for."""
    results = evaluation.by_test_set
    test_sets = evaluation.submission.phase.test_sets.all()
    return [test_set for test_set in test_sets if test_set.name in results]


def others_of(user: Any, submission: Submission) -> QuerySet[Submission]:
    """Scored submissions of the phase that the reader may hold beside this one."""
    phase = submission.phase
    scored = Submission.objects.filter(
        phase=phase,
        evaluations__state=EvaluationState.SCORED,
        evaluations__gold_revision=phase.gold_revision_id,
    )
    if not policy.can(user, phase.task, Power.SEE):
        scored = scored.filter(participation__in=Participation.objects.of(user))
    return scored.exclude(pk=submission.pk).distinct().order_by("-received_at")


def _other_or_404(
    user: Any, submission: Submission, test_set: TestSet, key: str
) -> Evaluation:
    try:
        rows = others_of(user, submission).filter(pk=UUID(key))
    except ValueError:
        raise Http404 from None
    other = (
        rows.select_related("phase__task").prefetch_related(*Submission.RELATED).first()
    )
    if other is None:
        raise Http404
    evaluation = _scored_or_404(other)
    if test_set.name not in evaluation.by_test_set:
        raise Http404
    return evaluation


# Choices of the address.


def query_of(params: Mapping[str, Any], compared: bool) -> UnitQuery:
    """`compared`: a second system stands beside the first."""
    order = params.get("order", "")
    orders = (*ORDERS, DIFFERENCE) if compared else ORDERS
    return UnitQuery(
        kind=params.get("kind", "")[:40],
        gold=_label(params.get("gold", "")),
        system=_label(params.get("system", "")),
        slice=_label(params.get("slice", "")),
        shortest=_number(params.get("shortest", "")),
        longest=_number(params.get("longest", "")),
        differing=compared and params.get("differing") == "1",
        order=order if order in orders else ORDERS[0],
        page=max(1, _number(params.get("page", ""))),
    )


def _number(text: str) -> int:
    """0 for what is no number."""
    whole = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if whole else 0


def _label(text: str) -> Label | None:
    """`relation:nsubj` is the layer, or grouping, and the label; "" is any."""
    layer, colon, label = text.partition(":")
    return (layer, label) if colon else None


# Pages.


@require_safe
@access(SUBMISSION)
def errors(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The units of a submission, chosen and ordered by the address."""
    look = look_or_404(request, submission)
    query = query_of(request.GET.dict(), look.other is not None)
    try:
        overview = look.overview(query)
    except CannotLook:
        return _failure_page(request, look)
    own = look.own([line["name"] for line in overview["listing"]["lines"]])
    others = others_of(request.user, look.submission)[:MOST_OTHERS]
    context = _context(look) | _list_context(
        look, query, overview, own[0] if own else {}
    )
    context |= {"query": query, "others": list(others)}
    return render(request, "errors/units.html", context)


@require_safe
@access(SUBMISSION)
def losses(request: HttpRequest, submission: Submission) -> HttpResponse:
    """The little that a submission's page tells of its errors when it is asked."""
    look = look_or_404(request, submission)
    context = _context(look)
    try:
        overview = look.overview(query_of({}, compared=False))
        context["losses"] = largest(overview, look.task.headline_measure)
    except CannotLook:
        context["failed"] = True
    return render(request, "errors/_losses.html", context)


@require_safe
@access(SUBMISSION)
def unit(request: HttpRequest, submission: Submission, unit: int) -> HttpResponse:
    """One unit, from 1, with what gold and system say of it."""
    look = look_or_404(request, submission)
    try:
        values = look.unit(unit - 1)
    except CannotLook:
        return _failure_page(request, look)
    if not values:
        raise Http404
    own = look.own([values["name"]])
    context = _context(look) | _unit_context(look, unit, values, own)
    return render(request, "errors/unit.html", context)


def _failure_page(request: HttpRequest, look: Look) -> HttpResponse:
    """A page that says that looking failed and that it is our fault."""
    return render(request, "errors/failed.html", _context(look), status=503)


def _context(look: Look) -> dict[str, Any]:
    return {
        "task": look.task,
        "submission": look.submission,
        "phase": look.submission.phase,
        "test_set": look.test_set,
        "look": look,
        "measure": look.task.headline_measure,
    }


def _list_context(
    look: Look,
    query: UnitQuery,
    overview: dict[str, Any],
    own: Mapping[str, Mapping[str, Any]],
) -> dict[str, Any]:
    listing, slices = overview["listing"], overview["slices"]
    other = look.other.submission if look.other else None
    measure = look.task.headline_measure
    orders = ["worst", *(["most"] if look.has_pictures else []), "file"]
    orders += ["difference"] if look.other else []
    return {
        "test_sets": test_sets_of(look.evaluation),
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
                "excerpt": own.get(line["name"], line).get("excerpt", ""),
            }
            for line in listing["lines"]
        ],
        "matrices": [_matrix(matrix) for matrix in overview["matrices"]],
        "chart": slice_chart(slices, measure),
        "other": other,
        "level": look.task.level,
        "kinds": [
            (kind, titles.of(titles.KINDS, kind), number)
            for kind, number in listing["errors"].items()
        ],
        "layers": [
            (titles.of(titles.LAYERS, layer), _label_options(layer, labels))
            for layer, labels in listing["labels"].items()
        ],
        "groups": [
            (group, _label_options(group, labels))
            for group, labels in groupings(slices).items()
        ],
        "orders": [(name, titles.of(titles.ORDERS, name)) for name in orders],
    }


def _label_options(layer: str, labels: Iterable[str]) -> list[tuple[str, str]]:
    """Values as `_label` reads them, and what a reader sees."""
    return [(f"{layer}:{label}", label) for label in labels]


def _matrix(matrix: dict[str, Any]) -> dict[str, Any]:
    """Rows of cells with the filter that each cell is a link to."""
    layer, labels = matrix["layer"], matrix["labels"]
    rows: list[dict[str, Any]] = [
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
    confused = [
        {**cell, "gold_label": row["label"], "system_label": system}
        for row in rows
        for cell, system in zip(row["cells"], labels, strict=True)
        if cell["number"] and not cell["right"]
    ]
    confused.sort(key=lambda cell: -cell["number"])
    frequent = [
        {**cell, "share": round(100 * cell["number"] / confused[0]["number"])}
        for cell in confused[:MOST_CONFUSIONS]
    ]
    title = titles.of(titles.LAYERS, layer)
    return {**matrix, "rows": rows, "title": title, "frequent": frequent}


def _unit_context(
    look: Look,
    unit: int,
    values: dict[str, Any],
    own: Sequence[Mapping[str, Mapping[str, Any]]],
) -> dict[str, Any]:
    systems, measure = values["systems"], look.task.headline_measure
    names = [evaluation.submission.system for evaluation in look.evaluations]
    pictures = [system["picture"] for system in systems if "picture" in system]
    answers = [units.get(values["name"], {}).get("picture") for units in own]
    own_pictures = [
        (picture, name)
        for picture, name in zip(answers, names, strict=False)
        if picture is not None
    ]
    if own_pictures:
        systems = [
            {**system, "picture": picture} if picture else system
            for system, picture in zip(systems, answers, strict=True)
        ]
    return {
        "name": values["name"],
        "number": unit,
        "units": values["units"],
        "before": unit - 1 if unit > 1 else None,
        "next": unit + 1 if unit < values["units"] else None,
        "panels": panels(pictures, names) if pictures else own_panels(own_pictures),
        "own": bool(own_pictures),
        "texts": any(any(picture["texts"]) for picture in pictures),
        "systems": [
            system_unit(system, name, measure)
            for system, name in zip(systems, names, strict=True)
        ],
    }
