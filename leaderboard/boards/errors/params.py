"""What a reader chose to see, from the address: every page can be shared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.inspection.overview import DIFFERENCE, ORDERS, Label, UnitQuery

MOST_DIGITS = 6


def query_of(asked: Mapping[str, Any], compared: bool) -> UnitQuery:
    """`compared`: a second system stands beside the first."""
    order = asked.get("order", "")
    known = (*ORDERS, DIFFERENCE) if compared else ORDERS
    differing = compared and asked.get("differing") == "1"
    return UnitQuery(
        kind=asked.get("kind", "")[:40],
        gold=_label(asked.get("gold", "")),
        system=_label(asked.get("system", "")),
        slice=_label(asked.get("slice", "")),
        shortest=number(asked.get("shortest", "")),
        longest=number(asked.get("longest", "")),
        differing=differing,
        order=order if order in known else ORDERS[0],
        page=max(1, number(asked.get("page", ""))),
    )


def number(text: str) -> int:
    """0 for what is no number."""
    whole = text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS
    return int(text) if whole else 0


def _label(text: str) -> Label | None:
    """`relation:nsubj` is the layer, or grouping, and the label; "" is any."""
    layer, found, label = text.partition(":")
    return (layer, label) if found else None


@dataclass(frozen=True)
class Choice:
    value: str
    title: str
    chosen: bool


Group = tuple[str, list[Choice]]


def labels(known: Mapping[str, list[str]], chosen: Label | None) -> list[Group]:
    """What a filter by label offers, layer by layer."""
    return [
        (layer, [_choice(layer, name, chosen) for name in names])
        for layer, names in known.items()
    ]


def slices(parts: list[dict[str, Any]], chosen: Label | None) -> list[Group]:
    groups: dict[str, list[Choice]] = {}
    for part in parts:
        choice = _choice(part["group"], part["label"], chosen)
        groups.setdefault(part["group"], []).append(choice)
    return list(groups.items())


def _choice(layer: str, name: str, chosen: Label | None) -> Choice:
    return Choice(f"{layer}:{name}", name, (layer, name) == chosen)


def hidden(asked: Mapping[str, Any], *names: str) -> Iterator[tuple[str, str]]:
    """What a form has to send along."""
    return ((name, asked[name]) for name in names if asked.get(name))
