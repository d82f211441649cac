"""Many scored submissions within a second: one that was scored, and copies of it.

Rows only: files are stored under their hash, so all share the same.
"""

from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from django.db import models
from django.db.models import F

from leaderboard.submissions.models import (
    Evaluation,
    QuotaCounter,
    QuotaEntry,
    Submission,
)


def copies_of(submission: Submission, number: int) -> None:
    """So many more of the same team, with all that hangs on them, charged too."""
    copied = [_again(submission, pk=uuid4(), key=uuid4().hex) for _ in range(number)]
    Submission.objects.bulk_create(copied, batch_size=500)
    _copy(submission.files.all(), copied, "submission")
    _copy(submission.quota_entries.all(), copied, "submission")
    counters = QuotaEntry.objects.filter(submission=submission).values("counter")
    QuotaCounter.objects.filter(pk__in=counters).update(used=F("used") + number)
    evaluation = submission.evaluations.get()
    _copy([evaluation], copied, "submission")
    made = Evaluation.objects.filter(submission__in=[one.pk for one in copied])
    _copy(evaluation.counts.all(), made, "evaluation")
    _copy(evaluation.events.order_by("pk"), made, "evaluation")


def _copy(rows: Iterable[Any], owners: Iterable[models.Model], name: str) -> None:
    """Each row once for each owner, the order of the rows kept."""
    rows, owners = list(rows), list(owners)
    found = [_again(row, pk=None, **{name: one}) for row in rows for one in owners]
    if found:
        type(found[0]).objects.bulk_create(found, batch_size=500)


def _again(row: Any, **changes: Any) -> Any:
    fields = {f.name: getattr(row, f.name) for f in row._meta.concrete_fields}
    for primary in ("id", "pk"):
        fields.pop(primary, None)
    return type(row)(**fields | changes)
