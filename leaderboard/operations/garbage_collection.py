"""Removing what crashes leave behind: files without a row, parts of uploads (T10),
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

from leaderboard.sandbox.scoring_program import clear_old
from leaderboard.tasks import blobs

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
    before = time.time() - settings.KEEP_UNUSED_SECONDS
    spare = _unnamed(before)
    removed = sum(blobs.discard(digest, before) for digest in sorted(spare))
    removed += blobs.discard_parts(before, named) + _discard_uploads(before)
    removed += clear_old(str(settings.DATA / "programs"))
    if removed:
        log.info("collected %d unused files", removed)
    return removed


def _unnamed(before: float) -> set[str]:
    """Blobs that no row holds, stored before that time (seconds since 1970).

    A share of them at a time, as an index finds it: a site of a million submissions has
    several million.
    """
    unnamed: set[str] = set()
    for share in SHARES:
        # Files are listed first: one that is stored while we look is not among them.
        stored = set(blobs.stored(share))
        if stored:
            stored.difference_update(_in_columns(share))
        unnamed |= stored
    # All JSON is read for them, so not for what just came and has its row in a moment.
    old = {digest for digest in unnamed if blobs.is_older(digest, before)}
    return old - named(old)


def named(digests: set[str]) -> set[str]:
    """Digests, out of those given, that any row of any model holds."""
    return (
        {digest for digest in referenced() if digest in digests} if digests else set()
    )


def referenced() -> Iterator[str]:
    """Every digest that any row of any model holds, some more than once.

    Found by looking at the models, so that a new field with a hash cannot be
    forgotten here: what nobody knows about must not be deleted.
    """
    yield from _in_columns()
    for rows, name in _fields(models.JSONField):
        # As text: results are large, and nothing of them is needed but this.
        text = rows.annotate(text=Cast(name, models.TextField()))
        for value in text.values_list("text", flat=True).iterator(AT_A_TIME):
            yield from DIGEST.findall(value or "")


def _in_columns(share: str = "") -> Iterator[str]:
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
