"""A task on classes with one wrong label in its gold, and answers to it."""

from datetime import timedelta
from typing import Any

import yaml
from django.utils import timezone

from scoring.source import Source

UNITS, SYSTEMS, WRONG = 80, 20, 7
LABELS = "ab"


def gold(unit: int, *, true: bool = False) -> str:
    label = unit % 2
    return LABELS[label if true or unit != WRONG else 1 - label]


def bundle(**phase: Any) -> Source:
    opens = timezone.now() - timedelta(days=1)
    table = {
        "plumbline": 1,
        "draft": False,
        "slug": "marks",
        "title": "Marks",
        "scorer": {"name": "classes", "headline": "accuracy"},
        "bootstrap": {"resamples": 100, "seed": 7, "level": 0.95},
        "test_sets": [{"name": "only", "gold": "gold.csv"}],
        "phases": [
            {"name": "test", "title": "Test", "opens": opens.isoformat(), **phase}
        ],
    }
    rows = "".join(f"u{i:02},{gold(i)}\n" for i in range(UNITS))
    files = {
        "task.yaml": yaml.safe_dump(table).encode(),
        "gold.csv": f"id,label\n{rows}".encode(),
    }
    return Source("marks", files)


def answers(system: int, right: Any) -> str:
    rows = []
    for i in range(UNITS):
        label = gold(i, true=True)
        other = LABELS[1 - LABELS.index(label)]
        rows.append(f"u{i:02},{label if right[i] else other}\n")
    return "id,label\n" + "".join(rows)
