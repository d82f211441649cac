"""The documented example and the client, against a live site with a worker."""

import json
import os
import re
import stat
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import bundle, one_wrong, perfect

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "docs" / "examples" / "first-submission.sh"


@pytest.fixture
def home(tmp_path: Path, live_server: Any, worker: Any) -> Path:
    """A folder with two files; ada organizes the task."""
    ada = User.objects.create_user("ada@example.org", "x", name="ada")
    create_task(bundle(), ada)
    User.objects.create_user("ben@example.org", "x", name="ben")
    (tmp_path / "north.conllu").write_bytes(one_wrong())
    (tmp_path / "south.conllu").write_bytes(perfect("south"))
    return tmp_path


def token(email: str, *scopes: str) -> str:
    printed = StringIO()
    words = [word for scope in scopes for word in ("--scope", scope)]
    call_command("make_token", email, *words, stdout=printed)
    return printed.getvalue().strip()


def ran(home: Path, command: list[str], **env: str) -> subprocess.CompletedProcess[str]:
    """The output of the command, run as somebody at home would."""
    path = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command,
        cwd=home,
        env={**path, **env},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_script_leads_from_a_token_to_the_table_of_a_paper(
    home: Path, live_server: Any
) -> None:
    files = ["north=north.conllu", "south=south.conllu"]
    env = {
        "PLUMBLINE_SITE": live_server.url,
        "PLUMBLINE_TOKEN": token("ben@example.org", "submit"),
        "TEAM_NAME": "Bens",
    }
    command = ["sh", str(SCRIPT), "otters", "test", "otter-1", *files]
    done = ran(home, command, **env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "rank: 1" in done.stdout
    table = (home / "otters-test.tex").read_text("utf-8")
    assert r"\begin{tabular}" in table and "Bens" in table
    again = ran(home, command, **env)
    assert again.returncode == 0, again.stdout + again.stderr
    assert Submission.objects.count() == 1


def test_the_python_of_the_document_runs_as_it_stands(
    home: Path, live_server: Any
) -> None:
    text = (ROOT / "docs" / "api.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(import os.*?)```", text, re.DOTALL)
    ben = User.objects.get(email="ben@example.org")
    join(Task.objects.get(), Team.found("Bens", ben))
    env = {
        "PLUMBLINE_SITE": live_server.url,
        "PLUMBLINE_TOKEN": token("ben@example.org", "submit"),
    }
    done = ran(home, [sys.executable, "-c", code], **env)
    assert done.stdout == "scored 0.9375\n", done.stderr


def plumbline(home: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return ran(home, [sys.executable, "-m", "plumbline", *words], **env)


def test_the_client_submits_what_it_has_checked_and_tells_the_result(
    home: Path, live_server: Any
) -> None:
    ben = User.objects.get(email="ben@example.org")
    join(Task.objects.get(), Team.found("Bens", ben))
    logged = subprocess.run(
        [sys.executable, "-m", "plumbline", "--site", live_server.url, "login"],
        cwd=home,
        env={"HOME": str(home), "PYTHONPATH": str(ROOT)},
        check=True,
        input=token("ben@example.org", "submit"),
        capture_output=True,
        text=True,
    )
    kept = home / ".config" / "plumbline" / "tokens.json"
    assert "ben@example.org" in logged.stdout
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    both = ["north=north.conllu", "south=south.conllu"]
    sent = plumbline(
        home, "--json", "submit", "otters/test", *both, "--system", "x", "--wait"
    )
    assert sent.returncode == 0, sent.stderr
    found = json.loads(sent.stdout)
    assert found["state"] == "scored" and found["scores"]["las"]["value"] < 1
    shown = plumbline(home, "board", "otters/test")
    assert "Bens" in shown.stdout and shown.returncode == 0
    assert plumbline(home, "status", found["id"]).returncode == 0
    assert "las  93.75" in plumbline(home, "status", "otters", "x").stdout
    tex = plumbline(home, "download", "otters/test", "tex")
    assert r"\begin{tabular}" in tex.stdout


def test_the_client_leads_from_a_token_to_a_rank_and_back(
    home: Path, live_server: Any
) -> None:
    env = {
        "PLUMBLINE_SITE": live_server.url,
        "PLUMBLINE_TOKEN": token("ben@example.org", "submit"),
    }
    both = ["north=north.conllu", "south=south.conllu"]
    submit = ["submit", "otters/test", *both, "--system", "x", "--wait"]
    assert "plumbline join otters" in plumbline(home, *submit, **env).stderr
    joined = plumbline(home, "join", "otters", "--new", "Bens", **env)
    assert joined.stdout.startswith("Bens: "), joined.stderr
    assert plumbline(home, "kit", "otters/test", **env).returncode == 0
    assert (home / "otters-test.zip").read_bytes()[:2] == b"PK"
    sent = plumbline(home, *submit, **env)
    assert "las  93.75 [" in sent.stdout and "rank 1 of 1" in sent.stdout, sent.stderr
    assert sent.stdout.rstrip().endswith("/")
    assert "--sure" in plumbline(home, "withdraw", "otters", "x", **env).stderr
    gone = plumbline(home, "withdraw", "otters", "x", "--sure", **env)
    assert gone.stdout == "x: withdrawn\n", gone.stderr
