"""Every command of the handbook is typed, at a site that runs, or says why not."""

import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.management import CommandError, call_command
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.handbook.pages import ROOT
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.conftest import _url_of_test_database
from tests.documents.commands import Block, blocks
from tests.leaderboard.small import both, bundle, one_wrong, perfect, scored
from tests.operations.conftest import pg_programs

__all__ = ["pg_programs"]

BLOCKS = blocks()
RUN = [block for block in BLOCKS if not block.reason]
# How many each page leaves out: one more is a decision.
NOT_RUN = {
    "deploy/README.md": 22,
    "docs/developers/releasing.md": 3,
    "docs/developers/scorers.md": 1,
    "docs/developers/tests.md": 1,
    "docs/developers/design.md": 1,
    "docs/developers/translating.md": 1,
    "docs/operators/operating.md": 1,
    "docs/operators/sizes.md": 1,
    "docs/operators/trouble.md": 1,
    "docs/organizers/moving.md": 3,
    "docs/organizers/programs.md": 1,
    "docs/organizers/task.md": 1,
    "docs/participants/exports.md": 1,
    "docs/participants/signatures.md": 1,
    "docs/evidence/reproduced.md": 1,
}
# Typed by a test of its own, which looks at what came of it.
TYPED = {
    ("docs/api.md", "python"): "tests/api/test_examples.py",
    ("docs/organizers/judgements.md", "sh"): "tests/documents/test_judging.py",
}
# In this process, which has the site's code loaded already: a second each.
HERE = ("python manage.py ", "plumbline-site ")
ALONE = (
    "python manage.py work",
    "plumbline-site work",
)  # takes over signals of its process
# What a test may type without changing the machine that it runs on.
SAFE = re.compile(r"(?:python|plumbline-site|curl) ")


@dataclass(frozen=True)
class Desk:
    """A checkout with files of a participant; `env` is what they have set."""

    folder: Path
    backups: Path
    env: Mapping[str, str]

    def typed(self, block: Block) -> str:
        """The errors of a command; empty if it had none."""
        text = self.mine(block.text)
        lines = text.replace("\\\n", " ").splitlines()
        if block.language == "sh" and not all(map(SAFE.match, lines)):
            return f"{block} is neither marked nor safe to type here"
        if all(one.startswith(HERE) and not one.startswith(ALONE) for one in lines):
            return self.called(lines)
        words = ["sh", "-euc", text]
        if block.language == "python":
            words = [sys.executable, "-c", text]
        done = subprocess.run(
            words, cwd=self.folder, env=self.env, capture_output=True, text=True
        )
        return "" if done.returncode == 0 else f"{block}: {text}{done.stderr}"

    def called(self, lines: list[str]) -> str:
        for line in lines:
            words = shlex.split(line.removeprefix("python manage.py"))
            try:
                call_command(*words[words[0] == "plumbline-site" :], stdout=StringIO())
            except CommandError as refused:
                return f"{line}: {refused}"
        return ""

    def mine(self, text: str) -> str:
        """The machine of the document is this one."""
        for backup in sorted(self.backups.glob("plumbline-*.tar"))[-1:]:
            text = text.replace("plumbline-20310102T023000Z.tar", backup.name)
        text = text.replace("/var/backups/plumbline", str(self.backups))
        return text.replace("http://127.0.0.1:8000", self.env["PLUMBLINE_SITE"])


@pytest.fixture
def desk(
    tmp_path: Path, live_server: Any, pg_programs: None, monkeypatch: pytest.MonkeyPatch
) -> Desk:
    """A site with a task, two scored submissions and a snapshot of its board."""
    ada = User.objects.create_user("ada@example.org", "x", name="ada")
    ben = User.objects.create_user("ben@example.org", "x", name="ben")
    for email in ("you@example.org", "mira@example.org"):
        User.objects.create_user(email, "x", name=email.partition("@")[0])
    phase = create_task(bundle(), ada).phases.get()
    entry = join(phase.task, Team.found("Bens", ben))
    one = scored(phase, entry, both())
    other = scored(phase, entry, both({"north": one_wrong()}), system="otter-2")
    monkeypatch.chdir(_checkout(tmp_path))
    (tmp_path / "backups").mkdir(mode=0o700)
    programs = {"PATH": f"{_programs(tmp_path)}:{os.environ['PATH']}"}
    ours = {
        "DJANGO_SETTINGS_MODULE": "tests.settings",
        "DATABASE_URL": _url_of_test_database(),
        "HOME": str(tmp_path),
        "PLUMBLINE_SITE": live_server.url,
        "PLUMBLINE_TOKEN": _token("ben@example.org"),
        "SNAPSHOT": _snapshot(phase, ada),
        "SUBMISSION": str(one.pk),
        "OTHER_SUBMISSION": str(other.pk),
    }
    env = {**os.environ, **programs, **ours}
    return Desk(tmp_path / "checkout", tmp_path / "backups", env)


def _checkout(tmp_path: Path) -> Path:
    """As a checkout looks, beside the files that a participant has."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name != "var":
            (folder / path.name).symlink_to(path)
    files = dict.fromkeys(("gold", "blind", "north", "mine"), perfect())
    files |= {"other": one_wrong(), "south": perfect("south")}
    for name, data in files.items():
        (folder / f"{name}.conllu").write_bytes(data)
    return folder


def _programs(tmp_path: Path) -> Path:
    """`python` is the one that runs the tests, `plumbline-site` the operators' word."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, words in (("python", ""), ("plumbline-site", "manage.py ")):
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words}"$@"\n')
        script.chmod(0o755)
    return folder


def _token(email: str) -> str:
    printed = StringIO()
    call_command("make_token", email, "--scope", "submit", stdout=printed)
    return printed.getvalue().strip()


def _snapshot(phase: Phase, by: User) -> str:
    now = timezone.now()
    rows = snapshots.as_values(snapshots.public_boards(phase, now))
    return snapshots.take(phase, rows, snapshots.Wanted(by, now)).sha256[:16]


def test_every_command_of_the_handbook_does_what_it_is_for(desk: Desk) -> None:
    typed = [one for one in RUN if (one.page, one.language) not in TYPED]
    assert len(typed) >= 20
    assert [said for one in typed if (said := desk.typed(one))] == []
    assert Submission.objects.filter(phase__task__slug="otters").count() == 2
    assert [letter.to for letter in mail.outbox] == [["you@example.org"]]
    assert list(desk.backups.glob("plumbline-*.tar"))
    written = ("receipt.json", "harbour-log.zip", "a-new-folder/task.yaml")
    assert all((desk.folder / name).exists() for name in written)


def test_what_is_not_run_is_counted_and_says_why() -> None:
    """Printed with -s: every command that nobody types here."""
    left = [block for block in BLOCKS if block.reason]
    for block in left:
        print(f"{block}: {block.reason}")
    assert Counter(block.page for block in left) == NOT_RUN
    assert {page for page, _ in TYPED} <= {block.page for block in RUN}
    assert all((ROOT / where).exists() for where in TYPED.values())


@pytest.mark.parametrize("spoil", [lambda said: said + "x", lambda said: f"no-{said}"])
def test_a_command_that_does_not_work_is_found(
    spoil: Callable[[str], str], desk: Desk
) -> None:
    block = Block("page.md", 1, "sh", f"{spoil('python')} -m scoring list\n")
    assert "page.md:1" in desk.typed(block)
