"""Pages of the scorers, in groups by what systems of a task predict."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.web.access import ANYBODY, access, or_404
from scoring.report import scorer_description
from scoring.scorer import Scorer
from scoring.scorers import all_scorers

SHOWN_MEASURES = 8
GROUPS = (
    (
        "labels",
        _("Labels and numbers"),
        (
            "classes",
            "multilabel",
            "probabilities",
            "numbers",
            "clusterings",
            "early",
            "metrics",
        ),
    ),
    (
        "texts",
        _("Texts"),
        (
            "translation",
            "simultaneous",
            "texts",
            "transcripts",
            "meetings",
            "edits",
        ),
    ),
    ("documents", _("Ranked documents"), ("retrieval",)),
    (
        "spans",
        _("Words and spans of a text"),
        ("spans", "labels", "tuples", "senseval", "coreference"),
    ),
    ("trees", _("Trees and graphs"), ("attachment", "conll18", "semarkup", "unl")),
    ("own", _("A metric of your own"), ("table", "program")),
)
PLUGINS = _("Plug-ins of this site")
KINDS = {name: title for name, title, _names in GROUPS} | {"plug-ins": PLUGINS}
OF_SCORER = {scorer: kind for kind, _title, names in GROUPS for scorer in names}


class ScorerGroup(NamedTuple):
    """Descriptions of scorers under a title; `more` measures of each are not shown."""

    title: str
    scorers: list[dict[str, Any]]


def group_scorers(scorers: Iterable[Scorer]) -> list[ScorerGroup]:
    """All of them, in the order of the groups; what belongs to none comes last."""
    by_kind: dict[str, list[Scorer]] = {kind: [] for kind in KINDS}
    for scorer in scorers:
        by_kind["plug-ins" if scorer.package else kind_of(scorer.name)].append(scorer)
    return [
        ScorerGroup(
            str(KINDS[kind]),
            [_description(scorer) for scorer in _sort_scorers(members)],
        )
        for kind, members in by_kind.items()
        if members
    ]


def kind_of(scorer: str) -> str:
    """The name of the group of a scorer, by its name; of others that of plug-ins."""
    first = scorer.partition("-")[0]
    return OF_SCORER.get(scorer) or OF_SCORER.get(first, "plug-ins")


def _sort_scorers(scorers: list[Scorer]) -> list[Scorer]:
    """Scorers in the order in which their group names them, others behind."""
    order = {name: place for place, name in enumerate(OF_SCORER)}
    return sorted(scorers, key=lambda scorer: order.get(scorer.name, len(order)))


def _description(scorer: Scorer) -> dict[str, Any]:
    described = scorer_description(scorer)
    measures = described["measures"]
    first = [measure for measure in measures if measure["name"] == scorer.headline]
    head = [*first, *(measure for measure in measures if measure not in first)][
        :SHOWN_MEASURES
    ]
    return {**described, "shown": head, "more": len(measures) - len(head)}


@require_safe
@access(ANYBODY)
def scorer_list(request: HttpRequest) -> HttpResponse:
    """Pages of the scorers are written from the registry."""
    groups = group_scorers(all_scorers().values())
    return render(request, "scorers/list.html", {"groups": groups})


@require_safe
@access(ANYBODY)
def scorer(request: HttpRequest, name: str) -> HttpResponse:
    chosen = or_404(all_scorers().get(name))
    return render(request, "scorers/one.html", {"scorer": scorer_description(chosen)})
