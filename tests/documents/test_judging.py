"""The examples of judgements in the handbook: typed, and looked at on the boards."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.handbook.pages import ROOT
from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.source import Source
from tests.documents.commands import blocks
from tests.leaderboard.judged import run_all
from tests.leaderboard.small import upload

PAGE = "docs/organizers/judgements.md"
EXAMPLES = ROOT / "docs" / "examples"
ANSWERS = {
    "s1": "The ferry lands here.",
    "s2": "Please step on no ropes.",
    "s3": "The crane does not work.",
    "s4": "Fish only until noon.",
    "s5": "Attention with fog and ice.",
    "s6": "Boats pass right.",
}
JUDGED = """\
id,judge,adequacy,fluency
s1,ann,5,5
s1,ben,4,5
s2,ann,3,4
s4,ben,4,3
"""


def opened(name: str, ada: User) -> Task:
    task = create_task(Source.of_path(EXAMPLES / name), ada)
    task.draft = False
    task.save()
    return task


def sent(task: Task, ben: User) -> Submission:
    team = Team.objects.filter(name="Bens").first() or Team.found("Bens", ben)
    text = "id,text\n" + "".join(f'{u},"{a}"\n' for u, a in ANSWERS.items())
    file = SimpleUploadedFile("signs.csv", text.encode())
    phase = task.phases.get()
    request = upload(phase, join(task, team), {}, runs=[{task.test_sets.get(): file}])
    submission = accept.submit(request)
    run_all()
    return submission


@pytest.fixture
def organizer(
    tmp_path: Path, live_server: Any, ada: User, monkeypatch: pytest.MonkeyPatch
) -> Mapping[str, str]:
    """The environment of an organizer who has a token, in a folder of files."""
    from io import StringIO

    token = StringIO()
    call_command("make_token", ada.email, "--scope", "organize", stdout=token)
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "judged.csv").write_text(JUDGED)
    signs = (EXAMPLES / "harbour-signs" / "gold" / "signs.csv").read_text()
    (tmp_path / "references.csv").write_text(signs.replace("text", "reference", 1))
    monkeypatch.chdir(tmp_path)
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "HOME": str(tmp_path),
        "PLUMBLINE_SITE": live_server.url,
        "PLUMBLINE_TOKEN": token.getvalue().strip(),
    }


def typed(number: int, env: Mapping[str, str]) -> str:
    """The output of one block of commands of the page."""
    found = [b for b in blocks() if (b.page, b.language) == (PAGE, "sh")]
    assert len(found) == 2
    text = found[number].text.replace("python ", f"{sys.executable} ")
    done = subprocess.run(
        ["sh", "-euc", text], env=env, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shown(task: Task, name: str = "") -> Mapping[str, float | None]:
    (row,) = board(BoardQuery(task.phases.get(), board=name)).rows
    return {s.measure.name: s.exact["value"] for s in row.scores}


def test_people_judge_a_sample_beside_bleu_and_chrf(
    organizer: Mapping[str, str], ada: User, ben: User
) -> None:
    task = opened("harbour-signs", ada)
    submission = sent(task, ben)
    assert "waiting" in typed(0, {**organizer, "JUDGED": str(submission.pk)})
    run_all()
    # By hand: the means of s1, s2 and s4: 4.5, 3, 4 and 5, 4, 3.
    assert shown(task, "human") == {
        "adequacy": pytest.approx(11.5 / 3),
        "fluency": 4,
    }
    assert set(shown(task)) == {"chrf", "bleu"}


def test_a_metric_runs_on_the_organizers_machine(
    organizer: Mapping[str, str], ada: User, ben: User
) -> None:
    task = opened("harbour-signs-metric", ada)
    sent(task, ben)
    assert not board(BoardQuery(task.phases.get())).rows
    typed(1, organizer)
    run_all()
    (overlap,) = shown(task).values()
    assert overlap is not None and 0.5 < overlap < 1
