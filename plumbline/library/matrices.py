"""Arrays of a row for each item and a column for each class, as scikit-learn has them.

`probabilities` takes what `predict_proba` gives, `multilabel` and `classes` indicators
of 0 and 1. Columns are the classes of `labels`, or else the sorted ones of the gold.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from scoring.errors import Problem, UsageError
from scoring.options import Options
from scoring.source import Source

Rows = list[list[Any]]
LABEL = "label"


def unfold_arrays(
    scorer: str, options: Options, gold: Any, systems: Mapping[str, Any]
) -> tuple[Any, Mapping[str, Any]]:
    """Gold and systems with arrays as lists of what the scorer takes. Raises UsageError
    for one that has not the columns of the classes."""
    if scorer not in ("probabilities", "multilabel", "classes"):
        return gold, systems
    of_numbers = scorer == "probabilities"
    whole = {"gold": gold, **systems}
    by_name = {name: _rows(matrix, of_numbers) for name, matrix in whole.items()}
    given = {name: rows for name, rows in by_name.items() if rows is not None}
    if not given:
        return gold, systems
    named = [str(label) for label in options.get("labels") or ()]
    if of_numbers:
        names = named or _classes(gold if "gold" not in given else ())
    else:
        widest = max(len(row) for rows in given.values() for row in rows[:1] or [[]])
        names = named or [str(place) for place in range(widest)]
    for name, rows in given.items():
        _require_columns(name, rows, names)
        whole[name] = [_item(scorer, names, row, name, n) for n, row in enumerate(rows)]
    return whole.pop("gold"), whole


def _rows(given: Any, of_numbers: bool) -> Rows | None:
    """The rows of an array of numbers; of plain lists only where they can be no lists
    of labels."""
    if hasattr(given, "columns"):
        return None
    if getattr(given, "ndim", None) == 2:
        dense = given.toarray() if hasattr(given, "toarray") else given
        rows: Rows = dense.tolist()
        inside = of_numbers or all(cell in (0, 1) for row in rows for cell in row)
        return rows if inside and all(map(_are_numbers, rows)) else None
    if not of_numbers or not isinstance(given, list | tuple) or not given:
        return None
    plain = [row.tolist() if hasattr(row, "tolist") else row for row in given]
    if not all(isinstance(row, list | tuple) and _are_numbers(row) for row in plain):
        return None
    return [list(row) for row in plain]


def _are_numbers(row: Iterable[Any]) -> bool:
    return all(isinstance(cell, bool | int | float) for cell in row)


def _classes(gold: Any) -> list[str]:
    """The classes in the order that `predict_proba` has: that of numbers for numbers,
    and of letters for words."""
    if isinstance(gold, Source):
        return []
    labels: Any = gold
    if isinstance(gold, Mapping):
        labels = gold.get(LABEL, gold.values())
    elif hasattr(gold, "columns"):
        labels = gold[LABEL]
    classes = {label.item() if hasattr(label, "item") else label for label in labels}
    try:
        ordered = sorted(classes)
    except TypeError:
        ordered = sorted(classes, key=str)
    return [
        str(int(label) if isinstance(label, float) and label.is_integer() else label)
        for label in ordered
    ]


def _require_columns(name: str, rows: Rows, names: Sequence[str]) -> None:
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            there = ", ".join(names) or "not known"
            message = (
                f"row {number} has {len(row)} columns; expected one for each class: "
                f"{there}."
            )
            hint = "Name the classes in the order of the columns by labels=[...]."
            raise UsageError(Problem("values", message, name, hint=hint))


def _item(
    scorer: str, names: Sequence[str], row: Sequence[Any], name: str, place: int
) -> Any:
    if scorer == "probabilities":
        return dict(zip(names, row, strict=True))
    chosen = [label for label, is_there in zip(names, row, strict=True) if is_there]
    if scorer == "multilabel":
        return chosen
    if len(chosen) != 1:
        message = f"row {place + 1} has {len(chosen)} ones; expected one class."
        hint = "Items with any number of labels are for 'multilabel'."
        raise UsageError(Problem("values", message, name, hint=hint))
    return chosen[0]
