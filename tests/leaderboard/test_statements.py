"""What one request knows is asked once: the statements of pages and of an upload."""

import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from leaderboard.submissions import evaluation
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.tasks.policy import Power, can
from leaderboard.teams.models import User
from leaderboard.web import page_cache, requests
from leaderboard.web.known import once
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, bundle, one_wrong, scored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("sql"),
]
Login = Callable[[User], Client]
API = "/api/v1/tasks/otters/test/submissions/"
# Transactions of tests are savepoints, and PostgreSQL is asked for its clock.
BESIDE = ("SAVEPOINT", "RELEASE", "BEGIN", "COMMIT", "SELECT statement_timestamp")


def statements(ask: Callable[[], Any]) -> int:
    """How many the second of two times takes: what is kept for all is kept then."""
    ask()
    with CaptureQueriesContext(connection) as seen:
        ask()
    return sum(not query["sql"].startswith(BESIDE) for query in seen)


@pytest.fixture(autouse=True)
def kept_for_long(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept for seconds is there at the second look, however busy it is."""
    settings.BOARD_SECONDS = 600
    monkeypatch.setattr(page_cache, "CHANGED_SECONDS", 600)


def files(**more: Any) -> dict[str, Any]:
    sent = {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in both().items()
    }
    return {"system": "otter", **sent, **more}


def test_an_upload_knows_phase_team_and_quota_from_its_first_look(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    form, program = as_user(ben), bearer(ben, "submit")
    page = reverse("submit", args=["otters", "test"])

    def by_form() -> None:
        form.post(page, files(key=str(uuid.uuid4()), again="on"))

    assert statements(by_form) <= 16
    assert statements(lambda: program.post(API, files())) <= 15
    assert Submission.objects.count() == 4


def test_its_page_asks_for_the_counters_of_the_quota_once(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    client, page = as_user(ben), reverse("submit", args=["otters", "test"])
    assert statements(lambda: client.get(page)) <= 8


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    scored(phase, entry, both({"north": one_wrong()}))
    return scored(phase, entry, both())


def test_pages_of_a_task_ask_once_for_roles_team_and_questions(
    sent: Submission, ada: User, ben: User, cy: User, as_user: Login
) -> None:
    member, organizer, guest = map(as_user, (ben, ada, cy))
    assert statements(lambda: member.get("/tasks/otters/")) <= 8
    assert statements(lambda: organizer.get("/tasks/otters/")) <= 9
    assert statements(lambda: guest.get("/tasks/otters/")) <= 9
    own = sent.get_absolute_url()
    assert statements(lambda: member.get(own)) <= 16
    assert statements(lambda: organizer.get(own)) <= 15


def test_a_stored_board_reads_phases_and_entries_of_teams_once(
    phase: Phase, entry: Participation, ben: User, as_user: Login, settings: Any
) -> None:
    settings.ANONYMOUS_SECONDS = 0
    scored(phase, entry, both())
    board, member = reverse("board", args=["otters", "test"]), as_user(ben)
    assert statements(lambda: Client().get(board)) <= 4
    assert statements(lambda: member.get(board)) <= 8


def test_the_front_page_asks_no_more_for_whoever_is_in_many_tasks(
    sent: Submission, ada: User, ben: User, cy: User, as_user: Login
) -> None:
    client, team = as_user(ben), sent.participation.team
    one = statements(lambda: client.get("/"))
    assert one <= 10
    for number in range(3):
        Task.objects.filter(slug="otters").update(slug=f"otters-{number}")
        other = create_task(bundle(), ada)
        scored(other.phases.get(), join(other, team), both())
    assert statements(lambda: client.get("/")) == one
    assert len(client.get("/").context["own_tasks"]) == 4
    for user in (ada, cy):
        reader = as_user(user)
        assert statements(lambda: reader.get("/")) <= 5  # noqa: B023


def test_a_worker_opens_no_savepoint_to_move_an_evaluation(
    phase: Phase, entry: Participation, ben: User
) -> None:
    program = bearer(ben, "submit")

    def score() -> None:
        assert evaluation.run(waiting.pop())

    for _ in range(2):
        assert program.post(API, files()).status_code == 201
    waiting = list(Evaluation.objects.values_list("pk", flat=True))
    assert statements(score) <= 16


def test_what_a_request_that_writes_asks_is_asked_anew(
    task: Task, cy: User, rf: Any
) -> None:
    def sees() -> bool:
        return can(cy, task, Power.SEE)

    for method, stays in (("GET", True), ("POST", False)):
        Organizer.objects.filter(user=cy).delete()
        token = requests.current.set(rf.generic(method, "/"))
        try:
            assert not sees()
            Organizer.objects.create(task=task, user=cy, role=Organizer.Role.OWNER)
            assert sees() is not stays
        finally:
            requests.current.reset(token)
        assert sees()


def test_outside_of_a_request_nothing_is_kept() -> None:
    found = iter((1, 2))
    assert [once("otters", lambda: next(found)) for _ in range(2)] == [1, 2]
