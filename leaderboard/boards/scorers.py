"""Pages of the scorers, written from the registry."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from scoring.report import scorer_description as described
from scoring.scorers import all_scorers


@require_safe
def listing(request: HttpRequest) -> HttpResponse:
    found = [described(scorer) for scorer in all_scorers().values()]
    return render(request, "scorers/list.html", {"scorers": found})


@require_safe
def one(request: HttpRequest, name: str) -> HttpResponse:
    scorer = all_scorers().get(name)
    if scorer is None:
        raise Http404
    return render(request, "scorers/one.html", {"scorer": described(scorer)})
