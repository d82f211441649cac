"""JSON Lines: one row a line, as the API prints it."""

import json

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable


def write(table: ExportTable) -> str:
    where = {
        "task": table.task.slug,
        "synthetic": table.task.synthetic,
        "phase": table.phase.name,
        "board": table.data["board"],
        "gold_revision": table.data["gold_revision"],
        "ranked_by": table.data["ranked_by"],
    }
    rows = (snapshots.plain({**where, **line.row}) for line in table.lines)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


FORMATS = (
    ExportFormat("jsonl", "JSON Lines", "application/jsonl", write, position=21),
)
