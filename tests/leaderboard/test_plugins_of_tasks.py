"""Tasks whose scorer is a plug-in: installed, gone, back, and in another version."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.results.status import receipt_of, status_of
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.gold.check import propose
from leaderboard.submissions.models import Evaluation, EvaluationState, Submission
from leaderboard.tasks import policy
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.models.plugins import PluginScorer, remember
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.scorers import get
from scoring.source import Source
from tests.leaderboard.small import inline, manifest, scored, upload
from tests.organize.gold_changes import make_live, score_all
from tests.scoring import plugs

pytestmark = pytest.mark.django_db
CODE = """
WRONG = replace(TOY.fixed_measures[0], name="wrong", title="Wrong",
    score=lambda right, whole: whole - right, higher_is_better=False, percent=False)
SCORER = replace(TOY, name="plugged", fixed_measures=(WRONG, *TOY.fixed_measures),
    headline="wrong")
"""
GOLD = "".join(f"d{i % 3}.{i} yes\n" for i in range(12))
LINK = re.compile(r'href="(/tasks/plugged/[^"#]*)"')


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    place = tmp_path / "packages"
    plugs.write(place, "plugged-toy", CODE, "1.2")
    return place


@pytest.fixture
def task(installed: Path, ada: User) -> Task:
    """A task with two systems on its board: 3 wrong answers, and 1."""
    table = manifest(
        slug="plugged",
        scorer={"name": "plugged"},
        test_sets=[{"name": "all", "gold": "gold.txt"}],
    )
    del table["description"]
    files = {"task.yaml": yaml.safe_dump(table).encode(), "gold.txt": GOLD.encode()}
    with plugs.on_path(installed), inline:
        task = create_task(Source("plugged", files), ada)
        for name, wrong in (("bens", 3), ("cys", 1)):
            user = User.objects.create_user(f"{name}@example.org")
            team = Team.found(name, user)
            answers = GOLD.replace("yes", "no", wrong)
            scored(task.phases.get(), join(task, team), {"all": answers.encode()})
    return Task.objects.get()


def sent_to(phase: Phase) -> Submission:
    """Sent while the scorer is gone, as nobody can read it."""
    entry = phase.task.participations.first()
    with inline:
        return accept.submit(upload(phase, entry, {"all": GOLD.encode()}))


def shown(phase: Phase) -> list[tuple[str, float | None, int | None]]:
    disclosure = policy.disclosure(User.objects.get(name="ada"), phase)
    rows = board(BoardQuery(phase), disclosure).rows
    return [(row.team, row.sorted_by.value, row.rank) for row in rows]


def test_boards_and_receipts_are_as_of_any_scorer(task: Task, installed: Path) -> None:
    with plugs.on_path(installed):
        assert shown(task.phases.get()) == [("cys", 1.0, 1), ("bens", 3.0, 2)]
        row = Evaluation.objects.earliest("pk")
        found = receipt_of(row, row.submission.phase.test_sets.get())
    assert found.package == "plugged-toy==1.2"


def test_how_a_scorer_describes_itself_is_written_once(
    task: Task, installed: Path, django_assert_num_queries: Any
) -> None:
    with plugs.on_path(installed):
        scorer = get("plugged")
    assert PluginScorer.objects.get().package == "plugged-toy==1.2"
    with django_assert_num_queries(1):
        remember(scorer)


def test_of_a_scorer_that_is_gone_the_board_shows_the_stored_numbers(
    task: Task,
) -> None:
    assert [row[:2] for row in shown(task.phases.get())] == [
        ("cys", 1.0),
        ("bens", 3.0),
    ]


@pytest.mark.thorough
def test_no_page_of_such_a_task_breaks_and_organizers_are_told(
    task: Task, client: Client
) -> None:
    client.force_login(User.objects.get(name="ada"))
    seen, waiting = set(), ["/tasks/plugged/", "/tasks/plugged/organize/"]
    while waiting and len(seen) < 120:
        path = waiting.pop().replace("&amp;", "&")
        seen.add(path)
        answer = client.get(path)
        assert answer.status_code in (200, 302, 404, 503), path
        if "html" in answer.get("Content-Type", "") and not answer.streaming:
            text = answer.content.decode()
            waiting += set(LINK.findall(text)) - seen - set(waiting)
    start = client.get("/tasks/plugged/organize/phases/").content.decode()
    assert "plugged-toy==1.2 is not installed" in start
    assert len(seen) > 30, seen


def test_what_is_sent_meanwhile_waits_and_is_scored_when_it_is_back(
    task: Task, installed: Path
) -> None:
    sent = sent_to(task.phases.get())
    assert sent.evaluations.update(not_before="2020-01-01T00:00Z") == 1
    row = sent.evaluations.get()
    with inline:
        assert not evaluation.run(row.pk)
    row.refresh_from_db()
    assert (row.state, row.attempt) == (EvaluationState.QUEUED, 0)
    assert "plugged is not installed" in row.last_error
    (member,) = sent.participation.team.members.all()
    assert "waits until it is back" in status_of(sent, member).text
    sent.evaluations.update(not_before="2020-01-01T00:00Z")
    with plugs.on_path(installed), inline:
        assert evaluation.run(row.pk)
    row.refresh_from_db()
    assert row.state == EvaluationState.SCORED


def test_counts_of_another_version_with_other_columns_keep_their_numbers(
    task: Task, tmp_path: Path
) -> None:
    code = (
        CODE
        + 'COLUMNS = ("bonus", "right", "all")\n'
        + (
            "BONUS = replace(TOY.fixed_measures[0], name='bonus', columns=COLUMNS,\n"
            "    score=lambda bonus, right, whole: bonus + whole - right, share=None)\n"
            "SCORER = replace(SCORER, fixed_measures=(*SCORER.fixed_measures, BONUS))\n"
        )
    )
    plugs.write(tmp_path / "newer", "plugged-toy", code, "2.0")
    with plugs.on_path(tmp_path / "newer"):
        found = shown(Phase.objects.get())
    assert [row[:2] for row in found] == [("cys", 1.0), ("bens", 3.0)]


def test_the_same_gold_published_again_has_all_scored_by_a_newer_version(
    task: Task, tmp_path: Path
) -> None:
    plugs.write(tmp_path / "newer", "plugged-toy", CODE, "2.0")
    ada = User.objects.get(name="ada")
    with plugs.on_path(tmp_path / "newer"), inline:
        task = Task.objects.get()
        test_set = task.test_sets.get()
        file = SimpleUploadedFile("gold.txt", GOLD.encode())
        revision = propose(task, {test_set: file}, ada)
        assert score_all() == 2
        make_live(revision, ada)
        found = Evaluation.objects.filter(gold_revision=revision)
        packages = {receipt_of(row, test_set).package for row in found}
        assert packages == {"plugged-toy==2.0"}
        assert shown(Phase.objects.get()) == [("cys", 1.0, 1), ("bens", 3.0, 2)]
