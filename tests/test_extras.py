"""Points where extras join: what they name is there, and no two have one name."""

import os
import subprocess
import sys
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from leaderboard.settings import extras_of
from leaderboard.web import extras
from leaderboard.web.extras import (
    AccountLine,
    Extra,
    MenuEntry,
    OrganizerTab,
    PeriodicJob,
    PersonalRows,
    StylePart,
    SubmissionLink,
    TaskDownload,
    check_extras,
)

WRONG: list[tuple[Any, str]] = [
    (MenuEntry("account", "Otters", ("nowhere",)), "Reverse for 'nowhere' not found"),
    (MenuEntry("kitchen", "Otters", ("home",)), "no menu 'kitchen'"),
    (AccountLine("Otters", "See them", "nowhere"), "Reverse for 'nowhere' not found"),
    (OrganizerTab("results", "Otters", "nowhere", "EDIT"), "Reverse for 'nowhere'"),
    (TaskDownload("a", "b", "task", "tests.nothing.at_all"), "No module named"),
    (SubmissionLink("a", "submission", "tests.cast.nobody"), "does not define"),
    (StylePart("otters", "otters.html", "tests.cast.nobody"), "does not define"),
    (PersonalRows("otters", "teams.Otter", ("name",)), "'Otter'"),
]


def with_points(monkeypatch: pytest.MonkeyPatch, *points: Any) -> None:
    made = Extra("leaderboard.extras", extras)
    made.points = points
    monkeypatch.setattr(extras, "extras", lambda: [made])


@pytest.mark.parametrize(("point", "said"), WRONG)
def test_a_point_that_leads_nowhere_keeps_a_site_from_starting(
    point: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_points(monkeypatch, point)
    (found,) = check_extras()
    assert said in found.msg


def test_two_points_of_one_name_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = PersonalRows("teams", "teams.Membership", ("role",))
    with_points(monkeypatch, rows, rows)
    (found,) = check_extras()
    assert found.msg == "Two extras declare the personal rows 'teams'."


def test_a_site_names_its_extras_and_an_unknown_one_is_refused() -> None:
    everything = extras_of("")
    assert extras_of("none") == []
    assert extras_of(f"{everything[1]}, {everything[0]}") == everything[:2]
    with pytest.raises(ImproperlyConfigured, match="there are "):
        extras_of("otters")


def test_every_shipped_extra_is_sound() -> None:
    assert check_extras() == []


def test_jobs_of_extras_are_in_the_schedule() -> None:
    for job in extras.joined(PeriodicJob):
        entry = settings.CELERY_BEAT_SCHEDULE[job.name]
        assert (entry["task"], entry["schedule"]) == (job.task, job.seconds)


WITHOUT = """
import django
django.setup()
from django.core.management import call_command
from django.urls import NoReverseMatch, reverse
from leaderboard.web.extras import extras
call_command("check")
assert extras() == []
for name in ("webhooks", "own-data"):
    try:
        reverse(name)
    except NoReverseMatch:
        continue
    raise SystemExit(f"{name} has an address without its extra")
"""


def test_a_site_without_extras_starts() -> None:
    env = {**os.environ, "PLUMBLINE_EXTRAS": "none"}
    env["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    python = [sys.executable, "-c", WITHOUT]
    subprocess.run(python, env=env, check=True, cwd=settings.BASE_DIR)


@pytest.mark.django_db
def test_the_account_page_has_what_extras_add(as_user: Any, ada: Any) -> None:
    client: Client = as_user(ada)
    page = client.get("/accounts/").text
    for line in extras.joined(AccountLine):
        assert f'href="{reverse(line.route)}"' in page
    for entry in extras.joined(MenuEntry):
        assert f'href="{entry.address}"' in page
