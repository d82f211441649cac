"""Which stored files the rows name: those that must be there, and those that may."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import connection, models

from leaderboard.submissions.garbage_collection import DIGEST, DIGEST_FIELD

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
class Named:
    """Digests: `needed` by rows, and `mentioned` anywhere, which has the needed."""

    needed: set[str] = field(default_factory=set)
    mentioned: set[str] = field(default_factory=set)


def named(ask: Ask) -> Named:
    """What the tables say that `ask` asks: of a copy as well as of the site's own."""
    found = Named()
    for model, column in hash_fields():
        label = f"{model._meta.label}.{column.name}"
        json_field = isinstance(column, models.JSONField)
        needed = label in FILES_IN_JSON if json_field else label not in NOT_FILES
        digests = set(_digests(ask, model._meta.db_table, column.column))
        found.mentioned |= digests
        if needed:
            found.needed |= digests
    return found


def of_site(query: str) -> Iterator[tuple[Any, ...]]:
    """Of the site's own, a part at a time: results of years do not fit into memory."""
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
