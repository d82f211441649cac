"""YAML of a model card: the `model-index` that Hugging Face reads results from.

Source: its documentation of model cards. Each system is a model of its own.
"""

from typing import Any

import yaml

from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable, one_line
from leaderboard.boards.render import TableLine


def write(table: ExportTable) -> str:
    models = [_model(table, line) for line in table.lines]
    text = yaml.safe_dump(
        {"model-index": models}, sort_keys=False, allow_unicode=True, width=88
    )
    return "".join(f"# {note}\n" for note in table.notes) + text


def _model(table: ExportTable, line: TableLine) -> dict[str, Any]:
    task = table.task
    metrics = [
        {
            "type": measure["name"],
            "name": one_line(measure["title"]),
            "value": score["value"] * (100 if measure["percent"] else 1),
            "verified": False,
        }
        for measure in table.measures
        if (score := line.row["scores"][measure["name"]])["value"] is not None
    ]
    return {
        "name": one_line(line.row["system"]),
        "results": [
            {
                "task": {"type": task.scorer_name, "name": one_line(table.title)},
                "dataset": {
                    "type": task.slug,
                    "name": one_line(task.title),
                    "split": table.phase.name,
                    "revision": str(table.data["gold_revision"]),
                },
                "metrics": metrics,
                "source": {
                    "name": one_line(f"{table.title}, {line.row['team']}"),
                    "url": table.address,
                },
            }
        ],
    }


FORMATS = (
    ExportFormat(
        "model-index.yaml",
        "Hugging Face model-index",
        "application/yaml; charset=utf-8",
        write,
        position=25,
    ),
)
