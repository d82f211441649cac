"""Tables of judgements in the archive of a task, for its organizers."""

import json
from collections.abc import Iterator
from pathlib import PurePath

from leaderboard.extension import blobs
from leaderboard.extension.models import Submission, Task
from leaderboard.extras.judgements.models import JudgementTable
from scoring.report import csv_text

HEADER = ("file", "submission", "test_set", "run", "at", "replaced_at", "agreement")


def members(task: Task) -> Iterator[tuple[str, bytes]]:
    """Tables of all that counts, those that were replaced among them, then a list of
    them with how much judges agree; nothing where there is no table."""
    submissions = Submission.objects.filter(phase__task=task).counted()
    tables = JudgementTable.objects.filter(submission__in=submissions)
    rows = [HEADER]
    for table in tables.select_related("test_set").order_by("pk"):
        path = _path_of(table)
        replaced = table.replaced_at
        rows.append(
            (
                path,
                str(table.submission_id),
                table.test_set.name,
                str(table.run),
                table.at.isoformat(),
                replaced.isoformat() if replaced else "",
                json.dumps(table.agreement),
            )
        )
        yield path, blobs.read(table.sha256)
    if len(rows) > 1:
        yield "judgements/list.csv", f"\ufeff{csv_text(rows)}".encode()


def _path_of(table: JudgementTable) -> str:
    """The path of a table below its submission: the test set, the run where that is not
    the first."""
    name = table.test_set.name
    if table.run > 1:
        name = f"{name}.{table.run}"
    ending = PurePath(table.name).suffix
    safe = ending if ending[1:].isalnum() else ""
    return f"judgements/{table.submission_id}/{name}-{table.pk}{safe}"
