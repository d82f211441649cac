"""JSON Lines: one row a line, as the API prints it."""

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable
from scoring.formats.records import json_lines


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
    return json_lines(rows)


FORMATS = (
    ExportFormat("jsonl", "JSON Lines", "application/jsonl", write, position=21),
)
