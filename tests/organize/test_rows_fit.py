"""What every row may hold: titles that can be seen, numbers that databases take."""

# ruff: noqa: RUF001 - letters of other scripts are what this is about

import copy
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.db.backends.base.operations import BaseDatabaseOperations

from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.names import check_display_name, check_seen
from scoring.errors import SetupError
from scoring.source import Source
from tests.loops import loop_over
from tests.organize.bundles import full_bundle, full_manifest

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sandbox_inline")]
OURS = ("leaderboard.",)
# What people write and others read in one line.
SHOWN = {"title", "subject", "summary", "system", "unit", "licence", "affiliations"}
NAMES = {("teams", "name"), ("api", "name"), ("judging", "title")}
# Asked by the forms and the bundle that bring them, and a unit of the scorer's.
OTHERWISE = {
    "api.Token.name",
    "submissions.Submission.system",
    "submissions.SystemDescription.title",
    "tasks.Task.unit",
}
UNSEEN = [
    *("Otter\u200bs", "\u202egnisraP", "\ufeffOtters", "Ott\u00aders", "\u2800"),
    *("Otters\u2067", "two\nlines", "tab\there", "\u00a0", "   ", "\u3164"),
]
SEEN = [
    "Otters",
    "水獺",
    "می\u200cخواهم",
    "क्\u200dष",
    "👩\u200d💻 2026",
    "Ωμέγα",
    "a\u00a0b",
]
TOO_MANY = 10**12


def fields(kind: type[Any]) -> Iterator[Any]:
    for model in apps.get_models():
        if model.__module__.startswith(OURS):
            own = model._meta.concrete_fields
            yield from (field for field in own if isinstance(field, kind))


def refusal(source: Source) -> str:
    with pytest.raises(SetupError) as caught:
        create_task(source, None)
    return str(caught.value)


def changed(place: tuple[str | int, ...], value: object) -> Source:
    table = copy.deepcopy(full_manifest())
    part: Any = table
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return full_bundle(**table)


def test_no_number_is_larger_than_each_database_takes() -> None:
    ranges = BaseDatabaseOperations.integer_field_ranges
    for field in fields(models.IntegerField):
        least, most = ranges[field.get_internal_type()]
        for number in (least - 1, most + 1):
            with pytest.raises(ValidationError):
                field.run_validators(number)


@loop_over(
    "place",
    [
        ("prizes",),
        ("bootstrap", "seed"),
        ("bootstrap", "resamples"),
        ("test_sets", 0, "position"),
        ("phases", 0, "daily_limit"),
        ("phases", 0, "total_limit"),
        ("phases", 0, "most_runs"),
    ],
)
def test_a_bundle_with_a_number_that_no_column_takes_is_refused_at_its_key(
    place: tuple[str | int, ...],
) -> None:
    assert str(place[-1]) in refusal(changed(place, TOO_MANY))


def test_short_texts_of_people_are_asked_whether_they_can_be_seen() -> None:
    for field in fields(models.CharField):
        name = (field.model._meta.app_label, field.name)
        if field.name not in SHOWN and name not in NAMES:
            continue
        whole = f"{field.model._meta.label}.{field.name}"
        if whole not in OTHERWISE:
            asks = check_seen in field.validators or (
                check_display_name in field.validators
            )
            assert asks, whole


@loop_over(
    "place",
    [
        ("title",),
        ("summary",),
        ("phases", 0, "title"),
        ("test_sets", 0, "title"),
        ("boards", 0, "title"),
        ("fact_sheet", 0, "title"),
        ("registration", 0, "title"),
        ("baselines", 0, "system"),
        ("authors", 0),
        ("licence",),
    ],
)
def test_a_bundle_with_a_title_that_cannot_be_seen_is_refused_at_its_key(
    place: tuple[str | int, ...],
) -> None:
    for text in UNSEEN:
        assert str(place[0]) in refusal(changed(place, text)), repr(text)


def test_a_text_that_can_be_seen_may_hold_what_joins_its_letters() -> None:
    for text in SEEN:
        check_seen(text)
    for text in UNSEEN:
        with pytest.raises(ValidationError):
            check_seen(text)


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\t", "U+0009 TAB"),
        ("\r", "U+000D CARRIAGE RETURN"),
        ("\u200b", "U+200B ZERO WIDTH SPACE"),
        ("\x07", "U+0007"),
    ],
)
def test_a_character_that_cannot_be_seen_is_told_by_its_name(
    character: str, name: str
) -> None:
    with pytest.raises(ValidationError, match=re.escape(f"seen: {name}.")):
        check_seen(f"a{character}b")
