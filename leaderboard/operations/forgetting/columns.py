"""Every column of every table that holds text, and taking words out of it."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast

from leaderboard.operations.forgetting.words import Words
from leaderboard.teams.models import Team, User

Rows = dict[type[models.Model], Q]
Column = tuple[type[models.Model], Any]
TEXTS = (models.CharField, models.TextField, models.JSONField)
# Accounts and teams are changed by name; a namesake keeps theirs.
BY_NAME = (User, Team)
NOT_LOOKED_AT = {
    "submissions.Evaluation.results": "measures and numbers of ours, and nothing else",
    "tasks.Snapshot.data": "frozen: its address is its hash, and others cite it",
}


def text_columns() -> Iterator[Column]:
    for model in apps.get_models():
        if model in BY_NAME or model._meta.proxy or not model._meta.managed:
            continue
        for field in model._meta.concrete_fields:
            label = f"{model._meta.label}.{field.name}"
            if (
                isinstance(field, TEXTS)
                and not field.primary_key
                and label not in NOT_LOOKED_AT
            ):
                yield model, field


def scrub(words: Words, rows: Rows | None = None) -> Counter[str]:
    """Take the words out of all rows, or of some only; how many cells were changed.

    Past every manager: history refuses changes, and would note what was taken out.
    """
    changed: Counter[str] = Counter()
    if not words.needles:
        return changed
    for model, field in text_columns():
        if rows is None or model in rows:
            only = Q() if rows is None else rows[model]
            number = _scrub_column(words, (model, field), only)
            if number:
                changed[f"{model._meta.label}.{field.name}"] += number
    return changed


def _scrub_column(words: Words, column: Column, only: Q) -> int:
    model, field = column
    found = model._base_manager.filter(only)
    found = found.annotate(_as_text=Cast(field.name, models.TextField()))
    named = found.filter(_naming(words)).values_list("pk", field.name)
    changed = 0
    for pk, old in list(named):
        new = _fitting(words.without(old), field)
        if new != old:
            model._base_manager.filter(pk=pk).update(**{field.name: new})
            changed += 1
    return changed


def _naming(words: Words) -> Q:
    """As texts are, and as JSON of SQLite writes other letters than English."""
    either = Q()
    for needle in words.needles:
        for written in {needle, needle.casefold(), needle.title(), needle.upper()}:
            either |= Q(_as_text__icontains=written)
            either |= Q(_as_text__icontains=json.dumps(written)[1:-1])
    return either


def _fitting(value: Any, field: Any) -> Any:
    longest = getattr(field, "max_length", None)
    return value[:longest] if isinstance(value, str) and longest else value
