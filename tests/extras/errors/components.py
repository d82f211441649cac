"""Made-up values of the error browser: a confusion matrix, and slices."""

from dataclasses import asdict
from types import SimpleNamespace
from typing import Any

from leaderboard.extras.errors.slice_chart import slice_chart
from scoring.inspection.slices import UnitSlice
from tests.components.values import MEASURES, Component


def matrix() -> dict[str, Any]:
    """A confusion matrix."""
    labels = ["subject", "object", ""]
    numbers = ((96, 4, 0), (11, 71, 2), (3, 0, 0))
    rows = [
        SimpleNamespace(
            label=gold,
            cells=[
                SimpleNamespace(
                    number=n, right=gold == said != "", gold=gold, system=said
                )
                for said, n in zip(labels, line, strict=True)
            ],
        )
        for gold, line in zip(labels, numbers, strict=True)
    ]
    drawn = SimpleNamespace(
        layer="relations", title="Relations", labels=labels, rows=rows, left_out=7
    )
    return {"matrix": drawn}


def slices() -> dict[str, Any]:
    """Two systems on slices of a grouping and in bands of lengths, with errors."""
    parts = (
        UnitSlice("", "", 320, 0.71, True, 0.69, 0.73, 320, 900),
        UnitSlice("genre", "letter", 96, 0.72, True, 0.68, 0.75, 96, 260),
        UnitSlice("genre", "a tale of many words", 1, 0.9, True, errors=2),
        UnitSlice("length", "1-9", 150, 0.76, True, 0.73, 0.79, 150, 200, (1, 9)),
        UnitSlice("length", "10-40", 170, 0.66, True, 0.63, 0.69, 170, 700, (10, 40)),
        UnitSlice("genre", "small", 3, 0.5, False),
        *(
            UnitSlice("document", f"tale-{n}", 20, 0.7, True, 0.6, 0.8, 20, 50)
            for n in range(1, 14)
        ),
    )
    own = [asdict(part) for part in parts]
    beside = [{**part, "value": part["value"] + 0.02} for part in own]
    return {
        "chart": slice_chart([own, beside], MEASURES[0]),
        "measure": MEASURES[0],
        "level": 0.95,
        "other": SimpleNamespace(system="kite"),
    }


def components() -> list[Component]:
    return [
        Component("confusion", "errors/_matrix.html", matrix()),
        Component("slices", "errors/_slices.html", slices()),
    ]
