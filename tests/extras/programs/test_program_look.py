"""The look at a scoring program: told at import, at an upload and on its page."""

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import strip_tags

from leaderboard.extras.programs import look
from leaderboard.organize.bundle import note_on_draft
from leaderboard.sandbox import program_environment
from leaderboard.sandbox.program_environment import Inventory
from leaderboard.sandbox.queue import QueueFull
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.programs.test_programs import bundle
from tests.organize.phase_fields import text
from tests.scoring.programs import RIGHT, program

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
BROKEN = "import torch\nimport subprocess\nsubprocess.run(['ls'])\n"
OLD = "import sys\nprint 'accuracy: 1'\n"


@pytest.fixture(autouse=True)
def packages(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.PROGRAMS = "everyone"
    known = Inventory(
        "3.11.7",
        {"numpy": "2.4.6"},
        frozenset({"json", "numpy", "pathlib", "subprocess", "sys"}),
    )
    monkeypatch.setattr(program_environment, "_inventory", lambda *_: known)


def plain(answer: Any) -> str:
    """The text of a page, without its marks."""
    return " ".join(strip_tags(unescape(text(answer))).split())


def test_a_bundle_of_ours_says_so_beside_what_became_of_it(ada: User) -> None:
    assert "imports torch" in note_on_draft(load(bundle(BROKEN)))
    assert "cannot run" not in note_on_draft(load(bundle(RIGHT)))


def test_the_page_of_a_program_shows_what_was_seen_and_which_packages_there_are(
    ada: User, client: Client
) -> None:
    task = create_task(bundle(OLD), ada)
    client.force_login(ada)
    page = plain(client.get(reverse("organize-program", args=[task.slug])))
    assert "Line 2 is Python 2" in page and "Only a trial tells" in page
    assert "Python 3.11.7 with 1 package" in page and "numpy 2.4.6" in page


def test_the_page_of_a_program_that_runs_what_teams_send_says_what_it_means(
    ada: User, client: Client
) -> None:
    task = create_task(bundle("import sys\nexec(open(sys.argv[1]).read())\n"), ada)
    client.force_login(ada)
    page = plain(client.get(reverse("organize-program", args=[task.slug])))
    assert "Line 2 can run code that a file brings along (exec)." in page
    assert "the team's code runs beside the gold and can read it" in page
    assert "cannot run" not in note_on_draft(load(bundle("exec(input())\n")))


def test_another_program_by_form_is_looked_at_when_it_comes(
    ada: User, client: Client
) -> None:
    task = create_task(bundle(RIGHT), ada)
    client.force_login(ada)
    address = reverse("organize-program", args=[task.slug])
    before = plain(client.get(address))
    assert "Nothing that stands in its way was seen." in before
    file = SimpleUploadedFile("program.zip", program(BROKEN).single())
    answer = client.post(address, {"action": "replace", "program": file}, follow=True)
    assert "imports torch" in plain(answer)


def test_a_full_queue_keeps_nobody_from_the_page_and_claims_nothing(
    ada: User, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_words: Any) -> None:
        raise QueueFull

    task = create_task(bundle(BROKEN), ada)
    client.force_login(ada)
    monkeypatch.setattr(look.sandbox, "run", full)
    page = plain(client.get(reverse("organize-program", args=[task.slug])))
    assert "could not be looked at just now" in page
    assert "Nothing that stands" not in page


def test_a_new_task_by_form_says_that_its_program_cannot_run(
    ada: User, client: Client
) -> None:
    task = create_task(bundle(RIGHT), ada)
    client.force_login(ada)
    address = reverse("organize-scoring", args=[task.slug])
    form = client.get(address).context["form"]
    sent = {name: form[name].value() for name in form.fields}
    sent = {n: v for n, v in sent.items() if v not in (None, False)}
    sent["option_program"] = SimpleUploadedFile("p.zip", program(OLD).single())
    answer = client.post(address, sent, follow=True)
    said = plain(answer)
    assert "The scoring program cannot run here as it is. score.py: Line 2" in said
    assert Task.objects.get().options["program"] != task.options["program"]
