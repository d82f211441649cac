"""Words that name a person, taken out of every column that holds text."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast

from leaderboard.teams.models import Team, User

GAPS = re.compile(r"[\s._\-]+")
TEXTS = (models.CharField, models.TextField, models.JSONField)
# Accounts and teams are changed by name; a namesake keeps theirs.
BY_NAME = (User, Team)
NOT_LOOKED_AT = {
    "submissions.Evaluation.results": "measures and numbers of ours, and nothing else",
    "tasks.Snapshot.data": "frozen: its address is its hash, and others cite it",
}


@dataclass(frozen=True)
class Redaction:
    """Mail addresses and names, and what stands in their place.

    A name is found as whole words, however they are joined: as "Mira Tollen" and in
    "mira_tollen.conllu".
    """

    mails: frozenset[str]
    names: frozenset[str]
    place: str

    @cached_property
    def needles(self) -> frozenset[str]:
        """A text without any of these names nobody."""
        words = filter(None, map(parts, self.names))
        return self.mails | {max(name, key=len) for name in words}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = sorted(filter(None, map(parts, self.names)), key=len, reverse=True)
        patterns = [
            rf"(?<![\w.+\-]){re.escape(mail)}(?![\w\-])" for mail in self.mails
        ] + [
            "(?<![^\\W_])" + GAPS.pattern.join(map(re.escape, name)) + "(?![^\\W_])"
            for name in names
        ]
        return re.compile("|".join(patterns), re.IGNORECASE)

    def without(self, value: Any) -> Any:
        """A text, or what JSON holds, with the place in place of the person."""
        if isinstance(value, str):
            return self._pattern.sub(self.place, value) if self.needles else value
        if isinstance(value, list):
            return [self.without(item) for item in value]
        if isinstance(value, dict):
            return {
                self.without(key): self.without(item) for key, item in value.items()
            }
        return value


def parts(name: str) -> list[str]:
    return [word for word in GAPS.split(name) if word]


def unmistakable(names: Iterable[str]) -> Iterator[str]:
    """Names of two words and more; one word may be anybody, or no name at all."""
    return (name for name in names if len(parts(name)) > 1)


Rows = dict[type[models.Model], Q]
Column = tuple[type[models.Model], Any]


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


def scrub(words: Redaction, rows: Rows | None = None) -> Counter[str]:
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


def _scrub_column(words: Redaction, column: Column, only: Q) -> int:
    model, field = column
    rows = model._base_manager.filter(only)
    rows = rows.annotate(_as_text=Cast(field.name, models.TextField()))
    named = rows.filter(_naming(words)).values_list("pk", field.name)
    changed = 0
    for pk, old in list(named):
        new = _fitting(words.without(old), field)
        if new != old:
            model._base_manager.filter(pk=pk).update(**{field.name: new})
            changed += 1
    return changed


def _naming(words: Redaction) -> Q:
    """Rows that name one of the words as texts do, and as JSON of SQLite writes other
    letters than English."""
    either = Q()
    for needle in words.needles:
        for written in {needle, needle.casefold(), needle.title(), needle.upper()}:
            either |= Q(_as_text__icontains=written)
            either |= Q(_as_text__icontains=json.dumps(written)[1:-1])
    return either


def _fitting(value: Any, field: Any) -> Any:
    longest = getattr(field, "max_length", None)
    return value[:longest] if isinstance(value, str) and longest else value
