"""JSON: the rows as they are hashed, with all that they depend on, or one a line."""

import json
from typing import Any

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable
from scoring.formats.records import json_lines

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


def write_lines(table: ExportTable) -> str:
    """One row a line, as the API prints it."""
    where = {
        "task": table.task.slug,
        "synthetic": table.task.synthetic,
        "phase": table.phase.name,
        "board": table.data["board"],
        "gold_revision": table.data["gold_revision"],
        "ranked_by": table.data["ranked_by"],
    }
    rows = (snapshots.plain({**where, **line.row}) for line in table.lines)
    return json_lines(rows)


FORMATS = (
    ExportFormat(
        "json", "JSON", "application/json", write, position=20, attached=False
    ),
    ExportFormat("jsonl", "JSON Lines", "application/jsonl", write_lines, position=21),
)
