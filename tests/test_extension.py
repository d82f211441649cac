"""The extension: all that extras import of the site."""

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from tests import surface
from tests.house import ROOT, read
from tests.loops import loop_over

PAGE = read(Path("docs/developers/extras.md"))


@loop_over("subject", surface.subjects())
def test_each_name_says_what_it_promises(subject: str) -> None:
    names = import_module(f"leaderboard.extension.{subject}")
    beside = surface.comments(subject)
    silent = [
        name
        for name in names.__all__
        if not surface.promise(getattr(names, name)) and name not in beside
    ]
    assert silent == [], "give it a docstring, or a comment beside its name"
    assert f"| `{subject}` |" in PAGE


@loop_over("subject", surface.subjects())
def test_each_name_has_a_reason_and_is_in_the_page_below_it(subject: str) -> None:
    names = import_module(f"leaderboard.extension.{subject}").__all__
    groups = list(surface.groups(subject))
    assert [name for _reason, group in groups for name in group] == list(names)
    for reason, group in groups:
        assert reason.endswith("."), f"why do extras have {group}?"
        page = read(surface.PAGE).partition(f"\n## {subject}\n")[2]
        assert f"\n{reason}\n\n| name |" in page


def test_each_name_of_another_extra_has_a_promise_and_a_reason() -> None:
    for title, promise, user, why in surface.of_other_extras():
        assert len(promise) > 1 and why.endswith("."), f"{user} imports {title}"


def test_no_name_is_there_for_nobody() -> None:
    names = {
        f"{subject}.{name}"
        for subject in surface.subjects()
        for name in import_module(f"leaderboard.extension.{subject}").__all__
    }
    assert names - surface.users().keys() == set()


def test_the_page_of_the_surface_says_what_the_code_says() -> None:
    assert read(surface.PAGE) == surface.page(), "run python -m tests.surface"


def test_mypy_reads_every_function_that_a_point_of_an_extra_names() -> None:
    assert read(surface.TYPES) == surface.types(), "run python -m tests.surface"


EXAMPLE = ROOT / "docs" / "examples" / "dates"
PRINTED = """
import django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from leaderboard.boards.computation import compute_due
from leaderboard.embedded.site import create_tables
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, bundle, scored
call_command("check")
create_tables()
ada = User.objects.create_user("ada@example.org", "x", name="ada")
ben = User.objects.create_user("ben@example.org", "x", name="ben")
task = create_task(bundle(), ada)
phase = task.phases.get()
sent = scored(phase, join(task, Team.found("Bens", ben)), both())
compute_due()
organizer, reader = Client(), Client()
organizer.force_login(ada)
home = reverse("organize", args=[task.slug])
page = reverse("organize-dates", args=[task.slug])
print(reader.get(page).status_code, page in organizer.get(home).text)
page = organizer.get(page).text
print(f"<p>{phase.name}: " in page, "nothing sent" in page)
file = reverse("dates-csv", args=[task.slug])
results = reader.get(reverse("task-results", args=[task.slug])).text
print(reader.get(file).text.splitlines()[0], file in results)
row = reader.get(reverse("system", args=[sent.pk]), headers={"HX-Request": "true"})
print("Sent 0 days ago" in row.text)
from dates.jobs import count_open
print(settings.CELERY_BEAT_SCHEDULE["open phases"]["schedule"], count_open())
"""


def started(
    folder: Path, packages: str, program: str
) -> "subprocess.CompletedProcess[str]":
    """A site with these packages as extras, all others left out."""
    env = {**os.environ, "PLUMBLINE_EXTRAS": "none", "PLUMBLINE_TEST_DATA": str(folder)}
    env |= {"PLUMBLINE_EXTRA_PACKAGES": packages, "PYTHONPATH": f"{folder}:{ROOT}"}
    env |= {"PLUMBLINE_HOSTS": "testserver", "DJANGO_SETTINGS_MODULE": "tests.settings"}
    env["DATABASE_URL"] = f"sqlite:///{folder / 'site.sqlite3'}"
    command = [sys.executable, "-c", program]
    return subprocess.run(command, env=env, cwd=ROOT, text=True, capture_output=True)


@pytest.mark.thorough
def test_the_extra_of_the_examples_works_as_a_package(tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / EXAMPLE.name)
    run = started(tmp_path, "dates", PRINTED)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines()[1:] == [
        "404 True",
        "True False",
        "phase,closes True",
        "True",
        "3600 1",
    ]


@pytest.mark.thorough
def test_a_package_that_is_no_extra_or_not_there_keeps_a_site_from_starting(
    tmp_path: Path,
) -> None:
    (tmp_path / "otters").mkdir()
    (tmp_path / "otters/__init__.py").touch()
    check = (
        "import django; django.setup()\nfrom leaderboard.web.extras import check_extras"
    )
    run = started(tmp_path, "otters", f"{check}\nprint(check_extras()[0].msg)")
    said = "PLUMBLINE_EXTRA_PACKAGES names 'otters', whose apps.py has no Extra.\n"
    assert run.stdout == said, run.stderr
    run = started(tmp_path, "otters.nowhere", check)
    assert "The package otters.nowhere is not installed." in run.stderr
