"""Stored files that rows name, and what must hold in a site that was just put back."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import file_digest
from typing import Any

from django.apps import apps
from django.core.files.storage import storages
from django.db import connection, models
from django.db.models import Count, F, OuterRef, Q, Subquery

from leaderboard.extension import blobs
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    Event,
    QuotaCounter,
    Submission,
)
from leaderboard.extension.upkeep import DIGEST, DIGEST_FIELD

# Hashes of something else than a stored file.
NOT_FILES = {
    "submissions.Evaluation.result_sha256",
    "tasks.Snapshot.sha256",
    "api.Token.sha256",
    "api.KeptAnswer.request_sha256",
}
# Of the JSON only what scoring reads: a history names files long gone.
FILES_IN_JSON = {"tasks.Task.options"}

# Runs a query and gives its rows.
Ask = Callable[[str], Iterable[tuple[Any, ...]]]


@dataclass
class References:
    """Digests: `needed` by rows, and `mentioned` anywhere, which has the needed."""

    needed: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)


def read_references(ask: Ask) -> References:
    """Read the tables that `ask` asks: of a copy as well as of the site's own."""
    references = References()
    for model, column in hash_fields():
        label = f"{model._meta.label}.{column.name}"
        json_field = isinstance(column, models.JSONField)
        needed = label in FILES_IN_JSON if json_field else label not in NOT_FILES
        digests = set(_digests(ask, model._meta.db_table, column.column))
        references.mentioned |= digests
        if needed:
            references.needed |= digests
    return references


def query_site(query: str) -> Iterator[tuple[Any, ...]]:
    """Query the site's own tables, a part at a time: years do not fit into memory."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(query)
        while rows := cursor.fetchmany(1000):
            yield from rows


def hash_fields() -> Iterator[tuple[type[models.Model], Any]]:
    """Every field of any model in which the collector looks for hashes."""
    for model in apps.get_models():
        for column in model._meta.concrete_fields:
            text = isinstance(column, models.CharField)
            if (text and DIGEST_FIELD.search(column.name)) or isinstance(
                column, models.JSONField
            ):
                yield model, column


def _digests(ask: Ask, table: str, column: str) -> Iterator[str]:
    for (value,) in ask(f'SELECT "{column}" FROM "{table}"'):
        text = value if isinstance(value, str) else json.dumps(value)
        yield from re.findall(DIGEST, text)


def faults(known_missing: set[str]) -> Iterator[str]:
    """Sentences on files that are gone or damaged, and states and counters that are
    wrong."""
    for digest in sorted(read_references(query_site).needed - known_missing):
        if not is_unharmed(digest):
            yield f"the file {digest} is gone or damaged"
    running = Evaluation.objects.filter(state=EvaluationState.RUNNING).count()
    if running:
        yield f"{running} evaluations still run, in no worker"
    unscored = Submission.objects.filter(late=False, evaluations=None)
    for pk in unscored.values_list("pk", flat=True):
        yield f"submission {pk} has no evaluation"
    last = Event.objects.filter(evaluation=OuterRef("pk")).order_by("-pk")
    moved = Evaluation.objects.annotate(last=Subquery(last.values("new")[:1]))
    for number in moved.exclude(last=F("state")).values_list("pk", flat=True):
        yield f"evaluation {number} is not in the state of its last event"
    yield from _wrong_counters()


def is_unharmed(digest: str) -> bool:
    try:
        with storages["blobs"].open(blobs.place(digest)) as file:
            return file_digest(file, "sha256").hexdigest() == digest
    except FileNotFoundError:
        return False


def _wrong_counters() -> Iterator[str]:
    open_entries = Count("entries", filter=Q(entries__refunded_at=None))
    counters = QuotaCounter.objects.exclude(kind__in=QuotaCounter.WITHOUT_ENTRIES)
    wrong = counters.annotate(open=open_entries).exclude(open=F("used"))
    for counter in wrong:
        yield f"quota counter {counter.pk}: {counter}, charged {counter.open}"
