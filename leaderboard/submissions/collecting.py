"""Removing what crashes leave behind: files without a row, parts of uploads (T10)."""

import json
import logging
import re
import time
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import models

from leaderboard.tasks import blobs

log = logging.getLogger(__name__)
DIGEST = re.compile(r"[0-9a-f]{64}")
DIGEST_FIELD = re.compile(r"(^|_)sha256$")


def collect() -> int:
    """Remove blobs without a row and left-over parts, a day after they were written.

    How many went. A file is written before the row that refers to it, so a young one
    may still be on its way.
    """
    before = time.time() - settings.KEEP_UNUSED_SECONDS
    # The files are listed first: one that is stored while we look is not among them.
    stored = set(blobs.stored())
    wanted = referenced() if stored else set()
    removed = sum(blobs.discard(digest, before) for digest in sorted(stored - wanted))
    removed += blobs.discard_parts(before, wanted) + _discard_uploads(before)
    if removed:
        log.info("collected %d unused files", removed)
    return removed


def referenced() -> set[str]:
    """Every digest that any row of any model holds.

    Found by looking at the models, so that a new field with a hash cannot be
    forgotten here: what nobody knows about must not be deleted.
    """
    found: set[str] = set()
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, models.CharField) and DIGEST_FIELD.search(field.name):
                found.update(model._base_manager.values_list(field.name, flat=True))
            elif isinstance(field, models.JSONField):
                found.update(_digests_in(model, field.name))
    return found


def _digests_in(model: type[models.Model], name: str) -> Iterator[str]:
    for value in model._base_manager.values_list(name, flat=True).iterator():
        yield from DIGEST.findall(json.dumps(value))


def _discard_uploads(before: float) -> int:
    """Temporary files of requests that died."""
    removed = 0
    for path in Path(settings.FILE_UPLOAD_TEMP_DIR).glob("*.upload*"):
        if path.stat().st_mtime < before:
            path.unlink(missing_ok=True)
            removed += 1
    return removed
