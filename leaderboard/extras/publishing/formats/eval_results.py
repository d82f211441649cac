"""YAML of evaluation results, which Hugging Face reads from a model's `.eval_results/`.

Source: `eval_results.yaml` of its hub-docs. Each system is a document of its own, to be
saved in the repository of that model.
"""

import re
from typing import Any

import yaml

from leaderboard.extension.exports import ExportTable, one_line
from leaderboard.extension.formats import ExportFormat, TableLine, Values
from leaderboard.extras.publishing.formats import rank

OF_THE_HUB = re.compile(r"https://huggingface\.co/datasets/([\w.-]+/[\w.-]+)/?")
NOBODY = "OWNER"


def write(table: ExportTable) -> str:
    dataset = dataset_of(table)
    notes = list(table.notes)
    if dataset.startswith(f"{NOBODY}/"):
        notes.append(
            f"Put the Hub's dataset of this task in place of {dataset}: the task names"
            " none as its website."
        )
    head = "".join(f"# {note}\n" for note in notes)
    return head + "".join(_document(table, line, dataset) for line in table.lines)


def dataset_of(table: ExportTable) -> str:
    """The dataset of the Hub that the task names as its website, or a name to fill."""
    match = OF_THE_HUB.fullmatch(table.task.website)
    return match[1] if match else f"{NOBODY}/{table.task.slug}"


def _document(table: ExportTable, line: TableLine, dataset: str) -> str:
    text = yaml.safe_dump(
        [
            _result(table, line, measure, score, dataset)
            for measure in table.measures
            if (score := line.row["scores"][measure["name"]])["value"] is not None
        ],
        sort_keys=False,
        allow_unicode=True,
        width=88,
    )
    system = one_line(f"{line.row['system']} ({line.row['team']})")
    place = f".eval_results/{table.file_stem}.yaml"
    return f"---\n# {system}: save as {place} in its repository\n{text}"


def _result(
    table: ExportTable, line: TableLine, measure: Values, score: Values, dataset: str
) -> dict[str, Any]:
    factor = 100 if measure["percent"] else 1
    return {
        "dataset": {"id": dataset, "task_id": f"{table.phase.name}_{measure['name']}"},
        "value": score["value"] * factor,
        "date": line.row["received_at"],
        "source": {"url": table.address, "name": one_line(table.title)},
        "notes": _notes(table, line, measure, score, factor),
    }


def _notes(
    table: ExportTable, line: TableLine, measure: Values, score: Values, factor: int
) -> str:
    notes = [one_line(measure["title"])]
    if score["low"] is not None:
        low, high = score["low"] * factor, score["high"] * factor
        notes.append(f"{table.data['level']:.0%} interval {low:.6g} to {high:.6g}")
    if measure["name"] == table.data["ranked_by"]:
        notes.append(f"rank {rank(line)} of {table.data['rows_in_all']}")
    notes.append(f"gold revision {table.data['gold_revision']}")
    return ", ".join(notes)


FORMATS = (
    ExportFormat(
        "eval-results.yaml",
        "Hugging Face .eval_results",
        "application/yaml; charset=utf-8",
        write,
        position=25,
    ),
)
