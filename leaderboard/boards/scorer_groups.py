"""Groups of scorers, by what systems of a task predict."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _

from scoring.report import scorer_description
from scoring.scorer import Scorer

SHOWN_MEASURES = 8
GROUPS = (
    (
        _("Labels and numbers"),
        ("classes", "multilabel", "probabilities", "numbers", "metrics"),
    ),
    (_("Texts"), ("translation", "texts", "transcripts", "edits")),
    (_("Ranked documents"), ("retrieval",)),
    (
        _("Words and spans of a text"),
        ("spans", "labels", "tuples", "senseval", "coreference"),
    ),
    (_("Trees and graphs"), ("attachment", "conll18", "semarkup", "unl")),
    (_("A metric of your own"), ("table", "program")),
)
PLUGINS = _("Plug-ins of this site")


class ScorerGroup(NamedTuple):
    """Descriptions of scorers under a title; `more` measures of each are not shown."""

    title: str
    scorers: list[dict[str, Any]]


def grouped(scorers: Iterable[Scorer]) -> list[ScorerGroup]:
    """All of them, in the order of the groups; what belongs to none comes last."""
    places = {name: place for place, (_, names) in enumerate(GROUPS) for name in names}
    titles = [*(title for title, _ in GROUPS), PLUGINS]
    found: list[list[Scorer]] = [[] for _ in titles]
    for scorer in scorers:
        first = scorer.name.partition("-")[0]
        place = places.get(scorer.name, places.get(first, len(GROUPS)))
        found[len(GROUPS) if scorer.package else place].append(scorer)
    return [
        ScorerGroup(str(title), [_described(one) for one in _in_order(place, members)])
        for place, (title, members) in enumerate(zip(titles, found, strict=True))
        if members
    ]


def _in_order(place: int, scorers: list[Scorer]) -> list[Scorer]:
    """As the group names them, others behind."""
    names = GROUPS[place][1] if place < len(GROUPS) else ()
    order = {name: i for i, name in enumerate(names)}
    return sorted(scorers, key=lambda one: order.get(one.name, len(order)))


def _described(scorer: Scorer) -> dict[str, Any]:
    described = scorer_description(scorer)
    measures = described["measures"]
    first = [one for one in measures if one["name"] == scorer.headline]
    shown = [*first, *(one for one in measures if one not in first)][:SHOWN_MEASURES]
    return {**described, "shown": shown, "more": len(measures) - len(shown)}
