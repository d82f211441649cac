"""JSON: the rows as they are hashed, with all that they depend on."""

import json
from typing import Any

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable

FORMAT = 1


def document(table: ExportTable) -> dict[str, Any]:
    task, phase = table.task, table.phase
    return {
        "format": FORMAT,
        "address": table.address,
        "task": {"slug": task.slug, "title": task.title, "synthetic": task.synthetic},
        "phase": {"name": phase.name, "title": phase.title},
        "gold_revision": table.data["gold_revision"],
        "level": table.data["level"],
        "sha256": table.sha256,
        "chosen": {choice.parameter: choice.value for choice in table.chosen},
        **table.extra,
        "board": table.data,
    }


def text_of(values: Any) -> str:
    """Keys in order, so that equal values are equal bytes."""
    plain = snapshots.plain(values)
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1) + "\n"


def write(table: ExportTable) -> str:
    return text_of(document(table))


FORMATS = (
    ExportFormat(
        "json", "JSON", "application/json", write, position=20, attached=False
    ),
)
