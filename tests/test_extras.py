"""Points where extras join: what they name is there, and no two have one name."""

import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from django.conf import settings
from django.core.checks import WARNING
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

from leaderboard.settings import extras_of
from leaderboard.web import extras
from leaderboard.web.extras import (
    ArchivePart,
    BoardCharts,
    BoardFormats,
    BoardLink,
    ChartFile,
    CodeStep,
    DemoPart,
    Extra,
    FeedLink,
    Importer,
    Link,
    OrganizerTab,
    OutsideCounts,
    PagePart,
    PeriodicJob,
    PersonalRows,
    ProgramRunner,
    SandboxJob,
    SubmissionLink,
    SystemsPage,
    TaskFiles,
    UnitPage,
    check_extras,
)
from tests.loops import loop_over

NOT_KEPT = extras.points_by_kind.__wrapped__
LED_TO = re.compile(r"""(?:\burl |reverse\(|redirect\()\s*['"]([\w-]+)['"]""")
WRONG: list[tuple[Any, str]] = [
    (
        Link("account", "Otters", "See them", "nowhere"),
        "Reverse for 'nowhere' not found",
    ),
    (Link("step", "a", "b", "nowhere", "builtins.print"), "Reverse for 'nowhere'"),
    (Importer("a", *["tests.cast.nobody"] + 2 * ["builtins.print"], "task"), "define"),
    (BoardFormats("tests.cast"), "does not define"),
    (FeedLink("task-log"), "Reverse for 'task-log'"),
    (OrganizerTab("results", "Otters", "nowhere", "EDIT"), "Reverse for 'nowhere'"),
    (Link("task", "a", "b", "task", "tests.nothing.at_all"), "No module named"),
    (Link("snapshot", "a", "b", "task"), "Reverse for 'task'"),
    (Link("attic", "a", "b", "home"), "no place 'attic'"),
    (SubmissionLink("a", "submission", "tests.cast.nobody"), "does not define"),
    (UnitPage("task"), "Reverse for 'task'"),
    (DemoPart("tests.nothing.at_all"), "No module named"),
    (PersonalRows("otters", "teams.Otter", ("name",)), "'Otter'"),
    (TaskFiles("tasks.Otter", "task"), "'Otter'"),
    (OrganizerTab("a", "b", "organize", "SEE", "tests.cast.nobody"), "does not define"),
    (OutsideCounts("tests.cast.nobody"), "does not define"),
    (ArchivePart("a", "otters/list.csv", "tests.cast.nobody"), "does not define"),
    (SandboxJob("otters", "tests.cast:nobody"), "does not define"),
    (ProgramRunner("tests.cast.me", *["builtins.print"] * 4, "task"), "not define"),
    (
        PagePart("otters.html", "tests.cast.nobody", place="submission"),
        "does not define",
    ),
    (PagePart("otters.html", "tests.cast.nobody"), "does not define"),
    (PagePart("otters.html", "builtins.print", "attic"), "no place 'attic'"),
    (PagePart("otters.html", "tests.cast.nobody", "row"), "does not define"),
    (SystemsPage("Otters", "Two otters", "nowhere"), "Reverse for 'nowhere'"),
    (BoardLink("Otters", "board", relation="otters"), "a task has no 'otters'"),
    (BoardCharts("tests.cast"), "does not define"),
    (ChartFile("a", "pdf", "board", "tests.cast.nobody"), "does not define"),
    (
        PagePart("otters.html", "tests.house.read", "row"),
        "called with 2 values: too many",
    ),
    (DemoPart("tests.house.counts"), "called with 3 values: too many"),
    (Link("task", "a", "b", "task", "tests.house.main"), "with 1 value: too many"),
    (CodeStep("builtins.print", "tests.house.TRACED"), "is not a callable"),
]


def with_points(monkeypatch: pytest.MonkeyPatch, *points: Any) -> None:
    made = Extra("leaderboard.extras", extras)
    made.points = points
    import_module(settings.ROOT_URLCONF)  # with the addresses of all, not of this one
    monkeypatch.setattr(extras, "extras", lambda: [made])
    monkeypatch.setattr(extras, "points_by_kind", NOT_KEPT)


@loop_over(("point", "said"), WRONG)
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


def test_an_extra_that_lacks_what_it_needs_keeps_a_site_from_starting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_points(monkeypatch)
    (lonely,) = extras.extras()
    monkeypatch.setattr(type(lonely), "needs", {"otters": "They swim."})
    (found,) = check_extras()
    assert found.msg == "extras needs the extra otters."


def test_a_site_names_its_extras_and_an_unknown_one_is_refused() -> None:
    everything = extras_of("")
    assert extras_of("none") == []
    assert extras_of(f"{everything[1]}, {everything[0]}") == everything[:2]
    with pytest.raises(ImproperlyConfigured, match="there are "):
        extras_of("otters")


def test_every_extra_of_this_site_is_sound() -> None:
    assert check_extras() == []


def test_points_are_looked_up_in_an_index_that_is_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = list(extras.joined(FeedLink))
    monkeypatch.delattr(type(extras.apps), "get_app_configs")
    assert list(extras.joined(FeedLink)) == found


def test_jobs_of_extras_are_in_the_schedule() -> None:
    for job in extras.joined(PeriodicJob):
        entry = settings.CELERY_BEAT_SCHEDULE[job.name]
        assert (entry["task"], entry["schedule"]) == (job.task, job.seconds)


PROGRAM = """
from io import StringIO
import django
django.setup()
from django.core.management import call_command
from django.test import Client
from leaderboard.embedded.site import create_tables
from leaderboard.teams.models import User
from leaderboard.web.extras import extras
call_command("check", stdout=StringIO())
create_tables()
call_command("migrate", verbosity=0)
{what}
print(*(extra.label for extra in extras()))
user, _ = User.objects.get_or_create(email="ada@example.org")
client = Client()
client.force_login(user)
answer = client.get("/accounts/data/all.json")
print(answer.status_code, "Signs" in answer.text)
"""
DELETED = """
call_command("makemigrations", "--check", "--dry-run", stdout=StringIO())
User.objects.get(email="ada@example.org").delete()
"""
JUDGED = """
from leaderboard.extras.judging.models import Campaign, JudgeAccount
from tests.extras.judging.campaigns import people_task
user = User.objects.create_user("ada@example.org", "x")
owner = User.objects.create_user("ben@example.org", "x")
task = people_task(owner)
places = {"phase": task.phases.get(), "test_set": task.test_sets.get()}
judge = Campaign.objects.create(title="Signs", **places).judges.create(number=1)
JudgeAccount.objects.create(user=user, judge=judge)
"""


def started(data: Path, extras: str, what: str = "") -> list[str]:
    """Messages of a site that starts with these extras."""
    env = {**os.environ, "PLUMBLINE_EXTRAS": extras, "PLUMBLINE_TEST_DATA": str(data)}
    env["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    env["PLUMBLINE_HOSTS"] = "testserver"
    env["DATABASE_URL"] = f"sqlite:///{data / 'site.sqlite3'}"
    python = [sys.executable, "-c", PROGRAM.format(what=what)]
    run = subprocess.run(
        python, env=env, check=True, cwd=settings.BASE_DIR, text=True, stdout=PIPE
    )
    return run.stdout.splitlines()


@pytest.mark.all_extras
@pytest.mark.thorough
def test_extras_are_taken_away_and_added_again_and_what_they_kept_is_there(
    tmp_path: Path,
) -> None:
    everything = " ".join(extras_of(""))
    assert started(tmp_path, "", JUDGED) == [everything, "200 True"]
    assert started(tmp_path, "none") == ["", "404 False"]
    assert started(tmp_path, "erasure") == ["erasure", "200 True"]
    assert started(tmp_path, "") == [everything, "200 True"]


@pytest.mark.all_extras
@pytest.mark.thorough
def test_an_account_is_deleted_with_what_an_extra_kept_that_is_left_out(
    tmp_path: Path,
) -> None:
    started(tmp_path, "", JUDGED)
    started(tmp_path, "none", DELETED)
    assert "200 False" in started(tmp_path, "")


def test_a_removed_extra_that_a_site_names_is_passed_over_and_named_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert extras_of("feeds webhooks") == ["feeds"]
    assert extras_of("webhooks, style") == []
    monkeypatch.setenv("PLUMBLINE_EXTRAS", "feeds webhooks")
    (warning,) = check_extras()
    assert (warning.level, warning.id) == (WARNING, "web.W003")
    assert "'webhooks'" in warning.msg and "feeds, mail and the API" in warning.hint


def test_an_extra_that_joined_another_is_had_under_its_old_name_and_named_at_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert extras_of("mergers feeds") == ["feeds", "oversight"]
    assert extras_of("mergers, oversight") == ["oversight"]
    monkeypatch.setenv("PLUMBLINE_EXTRAS", "mergers feeds")
    (warning,) = check_extras()
    assert (warning.level, warning.id) == (WARNING, "web.W003")
    assert "'mergers'" in warning.msg and "'oversight'" in warning.hint


def test_the_core_leads_to_no_page_of_an_extra() -> None:
    modules = [import_module(extra.urls) for extra in extras.extras() if extra.urls]
    theirs = {one.name for module in modules for one in module.urlpatterns}
    root = Path(settings.BASE_DIR)
    files = [*root.glob("leaderboard/**/*.py"), *root.glob("templates/**/*.*")]
    core = [path for path in files if "extras" not in path.relative_to(root).parts]
    found = {
        (str(path.relative_to(root)), name)
        for path in core
        for name in LED_TO.findall(path.read_text("utf-8"))
        if name in theirs
    }
    assert found == set()


@pytest.mark.django_db
def test_the_account_page_has_what_extras_add(as_user: Any, ada: Any) -> None:
    client: Client = as_user(ada)
    page = client.get("/accounts/").text
    for line in extras.links_at("account"):
        assert f'href="{reverse(line.route)}"' in page
