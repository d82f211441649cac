"""Every Eval Ever: a zip with a file of results for each system of a board.

Source: schema 0.3.0 of the EvalEval Coalition (every-eval-ever on PyPI), and the layout
of its datastore: `data/<task>/<team>/<system>/<UUID>.json`. There are no files of
instances: those hold the reference answers, which are gold.
"""

import json
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, cast
from uuid import UUID

from django.conf import settings
from django.utils.text import slugify

from leaderboard.extension.exports import ExportTable, absolute, authors_of, one_line
from leaderboard.extension.formats import ExportFormat, TableLine, Values
from scoring import VERSION
from scoring.formats.bundle import zip_files

SCHEMA = "0.3.0"
# Words that the datastore takes for others, or that no folder can be called.
RESERVED = {"data", "unknown", "con", "prn", "aux", "nul"}
RESERVED |= {f"{port}{number}" for port in ("com", "lpt") for number in range(1, 10)}


def write(table: ExportTable) -> bytes:
    files = {}
    for line in table.lines:
        values = aggregate(table, line)
        text = json.dumps(values, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        folder = f"data/{table.task.slug}/{values['model_info']['id']}"
        files[f"{folder}/{_uuid(text)}.json"] = text.encode()
    return zip_files("results.zip", files).single()


def _uuid(text: str) -> UUID:
    """A name of the form of a random UUID, the same for the same bytes."""
    return UUID(bytes=sha256(text.encode()).digest()[:16], version=4)


def aggregate(table: ExportTable, line: TableLine) -> Values:
    """All measures of one system, with their intervals."""
    model = _model(line)
    # The day, as other formats print it: the same board stays the same bytes.
    at = cast(datetime, table.at)
    day = at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    timestamp = str(int((at if table.snapshot else day).timestamp()))
    name = _evaluation_name(table)
    return {
        "schema_version": SCHEMA,
        "evaluation_id": f"{name}/{model['id']}/{timestamp}",
        "retrieved_timestamp": timestamp,
        "source_metadata": _source(table, line),
        "eval_library": {
            "name": "plumbline",
            "version": VERSION,
            "additional_details": {"scorer": table.task.scorer_name},
        },
        "model_info": model,
        "evaluation_results": [
            _result(table, line, measure, name)
            for measure in table.measures
            if line.row["scores"][measure["name"]]["value"] is not None
        ],
    }


def _evaluation_name(table: ExportTable) -> str:
    parts = (table.file_stem, table.data["board"], table.data["test_set"])
    return "-".join(filter(None, parts))


def _model(line: TableLine) -> Values:
    row = line.row
    facts = {f"fact.{name}": _text(value) for name, value in row["facts"].items()}
    return {
        "name": one_line(row["system"]),
        "id": f"{_folder(row['team'], 'team')}/{_folder(row['system'], 'system')}",
        "developer": one_line(row["team"]),
        "additional_details": {
            # Systems run elsewhere: nobody here knows how.
            "deployment_type": "unknown",
            "model_availability": "unknown",
            "submission": row["submission"],
            **facts,
        },
    }


def _folder(name: str, kind: str) -> str:
    """A name that every disk can have; a number of its own where nothing is left."""
    plain = slugify(name, allow_unicode=True)
    if not plain:
        return f"{kind}-{sha256(name.encode()).hexdigest()[:8]}"
    return f"{kind}-{plain}" if plain in RESERVED else plain


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _source(table: ExportTable, line: TableLine) -> Values:
    own = line.row["baseline"] or line.row["organizers"]
    return {
        "source_name": one_line(table.title),
        # What the schema calls numbers without the outputs that they are made of.
        "source_type": "documentation",
        "source_organization_name": "; ".join(
            one_line(author.name) for author in authors_of(table.task)
        ),
        "source_organization_url": absolute(table.task.get_absolute_url()),
        "evaluator_relationship": "first_party" if own else "third_party",
        "additional_details": {
            "address": table.address,
            "gold_revision": str(table.data["gold_revision"]),
            "sha256": table.sha256,
            "notes": " ".join(table.notes),
        },
    }


def _result(
    table: ExportTable, line: TableLine, measure: Values, name: str
) -> dict[str, Any]:
    score = line.row["scores"][measure["name"]]
    details = {"rank": _text(line.row["rank"]), "received_at": line.row["received_at"]}
    if line.row["rank_range"] and measure["name"] == table.data["ranked_by"]:
        details["rank_range"] = "-".join(map(str, line.row["rank_range"]))
    if line.row.get("runs", 1) > 1:
        details["runs"] = str(line.row["runs"])
    metric = {
        "metric_id": f"{table.task.scorer_name}.{measure['name']}",
        "metric_name": one_line(measure["title"]),
        "lower_is_better": not measure["higher_is_better"],
    }
    if measure["percent"]:
        metric["metric_unit"] = "proportion"
    values: dict[str, Any] = {"score": score["value"], "details": details}
    if score["low"] is not None:
        values["uncertainty"] = _uncertainty(table, score)
    return {
        "evaluation_result_id": f"{line.row['submission']}/{measure['name']}",
        "evaluation_name": name,
        "source_data": {
            "dataset_name": one_line(table.task.title),
            "source_type": "url",
            "url": [absolute(table.task.get_absolute_url())],
            "additional_details": {"test_sets": ", ".join(table.data["test_sets"])},
        },
        "metric_config": metric,
        "score_details": values,
    }


def _uncertainty(table: ExportTable, score: Values) -> Values:
    unit = table.data.get("unit") or table.task.scorer.units[0]
    values: dict[str, Any] = {
        "confidence_interval": {
            "lower": score["low"],
            "upper": score["high"],
            "confidence_level": table.data["level"],
            "method": f"{settings.SITE_URL}/docs/evidence/statistics/ (unit: {unit})",
        }
    }
    if score.get("informative_units") is not None:
        values["num_samples"] = score["informative_units"]
    return values


FORMATS = (
    ExportFormat(
        "every-eval-ever.zip",
        "Every Eval Ever",
        "application/zip",
        write,
        position=26,
    ),
)
