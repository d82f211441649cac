"""Leftovers of crashes are removed: files without a row, parts of uploads (T10),
folders of programs."""

import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models import Field, QuerySet
from django.db.models.functions import Cast

from leaderboard.tasks import blobs
from scoring.sandbox.scoring_program import clear_old

log = logging.getLogger(__name__)
DIGEST = re.compile(r"[0-9a-f]{64}")
DIGEST_FIELD = re.compile(r"(^|_)sha256$")
DIGITS = "0123456789abcdef"
SHARES = [first + second for first in DIGITS for second in DIGITS]
AFTER_DIGITS = "g"  # greater than whatever may follow in a digest
AT_A_TIME = 200  # rows in memory
# Digests of numbers and of requests, of which no file is stored
NO_FILES = ("result_sha256", "request_sha256")


def collect() -> int:
    """Remove blobs without a row and left-over parts, a day after they were written.

    How many went. A file is written before the row that refers to it, so a young one
    may still be on its way.
    """
    return sum(pieces())


def pieces() -> Iterator[int]:
    """The same piece by piece, with how many went in each: between two of them other
    work may be done, however long that takes."""
    before, removed = time.time() - settings.KEEP_UNUSED_SECONDS, 0
    old: set[str] = set()
    for share in SHARES:
        # All JSON is read for them, so not for what just came and has its row soon.
        old |= {
            digest
            for digest in _blobs_without_row(share)
            if blobs.is_older(digest, before)
        }
        yield 0
    for held in _digests_in_json() if old else ():
        old -= held
        yield 0
    for digest in sorted(old):
        removed += (gone := blobs.discard(digest, before))
        yield gone
    rest = blobs.discard_parts(before, named_digests) + _discard_uploads(before)
    rest += clear_old(str(settings.DATA / "programs"))
    if removed + rest:
        log.info("collected %d unused files", removed + rest)
    yield rest


def _blobs_without_row(share: str) -> set[str]:
    """Blobs of a share that no column holds: a site of a million submissions has
    several million, of which an index finds a share at once."""
    # Files are listed first: one that is stored while we look is not among them.
    stored = set(blobs.stored_digests(share))
    if stored:
        stored.difference_update(_digests_in_columns(share))
    return stored


def named_digests(digests: set[str]) -> set[str]:
    """Digests, out of those given, that any row of any model holds."""
    return (
        {digest for digest in referenced_digests() if digest in digests}
        if digests
        else set()
    )


def referenced_digests() -> Iterator[str]:
    """Every digest that any row of any model holds, some more than once.

    Found by looking at the models, so that a new field with a hash cannot be
    forgotten here: what nobody knows about must not be deleted.
    """
    yield from _digests_in_columns()
    for held in _digests_in_json():
        yield from held


def _digests_in_json() -> Iterator[set[str]]:
    """Digests in columns of JSON, of so many rows at a time."""
    for rows, name in _fields(models.JSONField):
        # As text: results are large, and nothing of them is needed but this.
        text = rows.annotate(text=Cast(name, models.TextField())).order_by("pk")
        texts = list(text.values_list("pk", "text")[:AT_A_TIME])
        while texts:
            yield {
                digest for _pk, value in texts for digest in DIGEST.findall(value or "")
            }
            after = text.filter(pk__gt=texts[-1][0])
            texts = list(after.values_list("pk", "text")[:AT_A_TIME])


def _digests_in_columns(share: str = "") -> Iterator[str]:
    """Digests in columns, or those that begin so; one query."""
    columns = [
        _share_of(rows, name, share).values_list(name, flat=True)
        for rows, name in _fields(models.CharField)
        if DIGEST_FIELD.search(name) and name not in NO_FILES
    ]
    yield from columns[0].union(*columns[1:], all=True).iterator(AT_A_TIME)


def _share_of(rows: QuerySet[Any], name: str, share: str) -> QuerySet[Any]:
    """Rows whose digest begins so. A range is read from an index, LIKE often is not."""
    rows = rows.order_by()
    if not share:
        return rows
    ends = {f"{name}__gte": share, f"{name}__lt": share + AFTER_DIGITS}
    return rows.filter(**ends)


def _fields(kind: type[Field]) -> Iterator[tuple[QuerySet[Any], str]]:
    """The rows of each model that has such a field, and its name."""
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, kind):
                yield model._base_manager.all(), field.name


def _discard_uploads(before: float) -> int:
    """Temporary files of requests that died."""
    removed = 0
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*"):
        if path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
            removed += 1
    return removed
