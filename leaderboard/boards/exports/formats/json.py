"""JSON: the rows as they are hashed, with all that they depend on."""

import json

from leaderboard.boards import snapshots
from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table

FORMAT = 1


def written(table: Table) -> str:
    """Keys in order, so that equal boards are equal bytes."""
    about, task, phase = table.about, table.about.task, table.about.phase
    values = {
        "format": FORMAT,
        "address": about.address,
        "task": {"slug": task.slug, "title": task.title, "synthetic": task.synthetic},
        "phase": {"name": phase.name, "title": phase.title},
        "gold_revision": table.data["gold_revision"],
        "level": table.data["level"],
        "sha256": about.sha256,
        "chosen": {one.parameter: one.value for one in table.chosen},
        **about.extra,
        "board": table.data,
    }
    plain = snapshots.plain(values)
    return json.dumps(plain, sort_keys=True, ensure_ascii=False, indent=1) + "\n"


FORMATS = (
    Format("json", "JSON", "application/json", written, position=20, attached=False),
)
