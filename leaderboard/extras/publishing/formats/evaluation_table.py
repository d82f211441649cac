"""JSON of evaluation tables, in which Papers with Code published its boards.

Source: the layout of its file `evaluation-tables.json`.
"""

import json
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from leaderboard.extension.exports import ExportTable, absolute
from leaderboard.extension.formats import ExportFormat, TableLine


def write(table: ExportTable) -> str:
    task = table.task
    description = " ".join(filter(None, [task.summary, *table.notes]))
    board = {
        "task": table.title,
        "description": description,
        "categories": [],
        "synonyms": [],
        "subtasks": [],
        "source_link": table.address,
        "datasets": [
            {
                "dataset": task.title,
                "description": task.summary,
                "dataset_citations": [],
                "dataset_links": [
                    {"title": task.title, "url": absolute(task.get_absolute_url())}
                ],
                "subdatasets": [],
                "sota": {
                    "metrics": [measure["title"] for measure in table.measures],
                    "rows": [_row(table, line) for line in table.lines],
                },
            }
        ],
    }
    return json.dumps([board], ensure_ascii=False, indent=1) + "\n"


def _row(table: ExportTable, line: TableLine) -> dict[str, Any]:
    page = absolute(reverse("system", args=[line.row["submission"]]))
    return {
        "model_name": f"{line.row['system']} ({line.row['team']})",
        "model_links": [{"title": line.row["system"], "url": page}],
        "paper_title": "",
        "paper_url": "",
        "paper_date": line.row["received_at"][:10],
        "code_links": [],
        "uses_additional_data": False,
        "metrics": {
            measure["title"]: cell.value
            for measure, cell in zip(table.measures, line.cells, strict=True)
        },
    }


FORMATS = (
    ExportFormat(
        "evaluation-table.json",
        _("Evaluation table"),
        "application/json",
        write,
        position=24,
    ),
)
