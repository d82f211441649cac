"""Choices of the error browser in its address: every page can be shared."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scoring.inspection.overview import DIFFERENCE, ORDERS, Label, UnitQuery

MOST_DIGITS = 6


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


@dataclass(frozen=True)
class FilterOption:
    value: str
    title: str
    chosen: bool


OptionGroup = tuple[str, list[FilterOption]]


def label_options(
    labels: Iterable[tuple[str, str]], chosen: Label | None
) -> list[OptionGroup]:
    """Options of a filter by label, from pairs of layer, or grouping, and label."""
    groups: dict[str, list[FilterOption]] = {}
    for layer, label in labels:
        option = FilterOption(f"{layer}:{label}", label, (layer, label) == chosen)
        groups.setdefault(layer, []).append(option)
    return list(groups.items())
