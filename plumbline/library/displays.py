"""Tables, frames and pictures of results, with pandas and matplotlib where asked."""

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, TypeAlias

# Of packages that need not be there: a DataFrame of pandas, Axes of matplotlib.
DataFrame: TypeAlias = Any
Axes: TypeAlias = Any
Row = tuple[str, float | None, float | None, float | None]


def import_needed(module: str) -> Any:
    """A package that only some methods need. Raises ImportError that says how to get
    it."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        message = f"this needs {package}: python -m pip install {package}"
        raise ImportError(message, name=package) from None


def frame(
    rows: Sequence[Mapping[str, Any]], index: Sequence[str] = (), name: str = ""
) -> DataFrame:
    """A pandas DataFrame of rows, with names of the rows where there are any."""
    pandas = import_needed("pandas")
    labels = pandas.Index(index, name=name) if index else None
    return pandas.DataFrame(list(rows), index=labels)


def html_table(
    head: Sequence[str], rows: Sequence[Sequence[object]], notes: Sequence[str]
) -> str:
    """A table as notebooks show it, everything escaped."""
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    cells = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    lines = "".join(f"<div>{escape(note)}</div>" for note in notes)
    return f"<table><thead><tr>{names}</tr></thead><tbody>{body}</tbody></table>{lines}"


def forest(
    rows: Sequence[Row], axes: Axes | None = None, *, zero: bool = False
) -> Axes:
    """Points with their intervals, one below the other; what has no value is left
    out."""
    given = [row for row in rows if row[1] is not None]
    if axes is None:
        figure = import_needed("matplotlib.figure").Figure(
            figsize=(6.4, 1 + 0.3 * len(given)), layout="constrained"
        )
        axes = figure.add_subplot()
    for place, (_, value, low, high) in enumerate(given):
        if low is not None and high is not None:
            axes.plot([low, high], [place, place], color="0.4", linewidth=1.5)
        axes.plot([value], [place], "o", color="0.1", markersize=5)
    if zero:
        axes.axvline(0, color="0.6", linewidth=1, linestyle="--")
    axes.set_yticks(range(len(given)), [name for name, *_ in given])
    axes.set_ylim(len(given) - 0.5, -0.5)
    return axes
