"""What operators see and may do, and what visitors are told when we are in trouble."""

import errno
import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError, connection
from django.db.models.functions import Now
from django.test import Client, override_settings
from django.utils import timezone

from leaderboard.api.views import submissions
from leaderboard.celery import LANES
from leaderboard.operations import readiness
from leaderboard.submissions import (
    accept,
    admin_actions,
    evaluation,
    leases,
)
from leaderboard.submissions.broker import broker
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    LaneRun,
    Submission,
)
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.accounts import SignInElsewhere
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from leaderboard.web.statements import Statement
from tests.leaderboard.channels import API, PAGE, Channel, Told, bearer
from tests.leaderboard.small import attempts_left, both, one_wrong, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "x")


@pytest.fixture
def failed(phase: Phase, entry: Participation) -> Evaluation:
    """An evaluation that failed for good by our fault, on the only attempt of a day."""
    phase.daily_limit = 1
    phase.save()
    waiting = accept.submit(upload(phase, entry, both())).evaluations.get()
    with override_settings(MOST_ATTEMPTS=1):
        leases.claim(waiting.pk)
        running = Evaluation.objects.filter(pk=waiting.pk)
        leases.release(running, "the machine caught fire")
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.FAILED_SYSTEM
    return waiting


def test_an_operator_tries_again_and_it_costs_nothing(
    failed: Evaluation, root: User
) -> None:
    admin_actions.retry(failed, root)
    assert evaluation.run(failed.pk)
    failed.refresh_from_db()
    assert failed.state == EvaluationState.SCORED
    assert failed.events.filter(actor=root, new=EvaluationState.QUEUED).count() == 1
    sent = failed.submission
    assert attempts_left(sent.phase, sent.participation, sent.received_at) == 1


def test_only_what_failed_can_be_tried_again(failed: Evaluation, root: User) -> None:
    admin_actions.retry(failed, root)
    with pytest.raises(Refusal):
        admin_actions.retry(failed, root)


def test_cancelling_gives_the_attempt_back_once(
    phase: Phase, entry: Participation, root: User
) -> None:
    phase.daily_limit = 1
    phase.save()
    sent = accept.submit(upload(phase, entry, both()))
    admin_actions.cancel(sent.evaluations.get(), root)
    with pytest.raises(Refusal):
        admin_actions.cancel(sent.evaluations.get(), root)
    assert attempts_left(phase, entry, sent.received_at) == 1
    assert not evaluation.run(sent.evaluations.get().pk)


def test_a_late_submission_counts_once_an_organizer_admits_it(
    over: Phase, entry: Participation, ada: User
) -> None:
    sent = accept.submit(upload(over, entry, both()))
    waiting = admin_actions.admit(sent, ada)
    assert waiting.events.get().actor == ada
    sent.refresh_from_db()
    assert (sent.late, sent.admitted_by) == (False, ada)
    assert evaluation.run(waiting.pk)
    with pytest.raises(Refusal):
        admin_actions.admit(sent, ada)


@override_settings(LATE_PER_DAY=2)
def test_late_submissions_of_a_day_are_limited(
    channel: Channel, over: Phase, entry: Participation, ben: User
) -> None:
    *kept, refused = (channel.send(ben) for _ in range(3))
    assert all(told.sent and told.sent.late for told in kept)
    assert (refused.code, refused.stored) == ("too_many_late", 2)
    assert refused.charged == {"late": 2}


def test_the_buttons_of_the_admin_work_and_name_who_pressed_them(
    failed: Evaluation, root: User, as_user: Login
) -> None:
    fields = {"action": "retry", "_selected_action": [failed.pk]}
    answer = as_user(root).post("/admin/submissions/evaluation/", fields, follow=True)
    assert "queued again" in answer.content.decode()
    assert failed.events.last().actor == root


def test_the_history_of_an_evaluation_is_shown_and_cannot_be_typed(
    failed: Evaluation, root: User, as_user: Login
) -> None:
    address = f"/admin/submissions/evaluation/{failed.pk}/change/"
    page = as_user(root).get(address).content.decode()
    assert "1 attempts failed" in page
    assert "the machine caught fire" in page
    as_user(root).post(address, {"state": "scored"})
    failed.refresh_from_db()
    assert failed.state == EvaluationState.FAILED_SYSTEM


def test_the_queue_page_shows_depth_age_attempts_and_the_last_error(
    failed: Evaluation, root: User, as_user: Login
) -> None:
    page = as_user(root).get("/admin/queue/").content.decode()
    assert "the machine caught fire" in page
    assert "Failed, newest first (1)" in page


def test_the_queue_page_is_for_operators(ben: User, as_user: Login) -> None:
    assert as_user(ben).get("/admin/queue/").status_code == 302


def test_the_process_says_it_lives(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"


def swept() -> None:
    """Somebody was at work a moment ago."""
    leases.reap()
    for lane in LANES:
        LaneRun.note(lane)


@pytest.mark.parametrize("lane", LANES)
def test_a_kind_of_work_that_no_process_takes_is_told(
    lane: str, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "answers", lambda: True)
    swept()
    page = admin_client.get("/admin/queue/").content.decode()
    assert admin_client.get("/readyz").json()["status"] == "ok"
    assert "No process takes" not in page
    LaneRun.objects.filter(lane=lane).update(at=Now() - timedelta(minutes=6))
    found = admin_client.get("/readyz").json()
    assert (found["status"], found[f"{lane}_seconds"] > 300) == ("degraded", True)
    page = admin_client.get("/admin/queue/").content.decode()
    assert f"No process takes {lane}" in page


def test_without_a_broker_the_site_is_degraded_but_ready(
    client: Client, phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broker, "answers", lambda: False)
    accept.submit(upload(phase, entry, both()))
    swept()
    answer = client.get("/readyz")
    found = answer.json()
    assert (answer.status_code, found["status"]) == (200, "degraded")
    assert (found["queued"], found["broker"]) == (1, False)
    assert found["sweep_seconds"] < 10
    monkeypatch.setattr(broker, "answers", lambda: True)
    assert client.get("/readyz").json()["status"] == "ok"


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_machine_with_a_wrong_clock_says_so(
    minutes: int, admin_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift = timedelta(minutes=minutes)
    shared = f"{readiness.__name__}.shared_moment"
    monkeypatch.setattr(shared, lambda reading: timezone.now() - shift)
    monkeypatch.setattr(broker, "answers", lambda: True)
    swept()
    found = admin_client.get("/readyz").json()
    assert (found["status"], found["clock_seconds"]) == ("degraded", 60 * minutes)
    page = admin_client.get("/admin/queue/").content.decode()
    assert f"is {60 * minutes} s off the database" in page


def test_a_database_that_answers_late_makes_no_clock_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = timezone.now()
    now = [begun]

    def answered_late(reading: float) -> datetime:
        now[0] += timedelta(seconds=30)
        return begun

    monkeypatch.setattr(f"{readiness.__name__}.timezone.now", lambda: now[0])
    monkeypatch.setattr(f"{readiness.__name__}.shared_moment", answered_late)
    assert readiness._ahead() == 0


def test_without_a_database_the_site_is_down(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("leaderboard.operations.readiness._measure", away)
    monkeypatch.setattr("leaderboard.operations.readiness.connection.close", print)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "down")


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def is_trouble(told: Told, status: int, code: str) -> None:
    """Said as such, with when to come back; nothing is stored and nothing charged."""
    assert (told.status, told.code, told.retry_after) == (status, code, "10")
    assert (told.stored, told.charged) == (0, {})


def test_a_disk_that_fills_while_storing_is_a_clear_answer_and_leaves_nothing(
    channel: Channel,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(blobs.os, "fsync", full)
        before = set(blobs.stored_digests())
        told = channel.send(ben)
        is_trouble(told, 507, "no_room")
        assert "disk is full" in told.text
        assert set(blobs.stored_digests()) == before
    assert channel.send(ben).accepted, "mends itself"


def test_a_disk_that_fills_during_the_upload_refuses_all_of_it(
    channel: Channel,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tempfile._TemporaryFileWrapper.write", full, raising=False)
    is_trouble(channel.send(ben), 507, "no_room")


@override_settings(LEAST_FREE_BYTES=1 << 60)
def test_below_the_floor_of_free_space_uploads_are_refused(
    channel: Channel, entry: Participation, ben: User
) -> None:
    is_trouble(channel.send(ben), 507, "no_room")


@override_settings(LEAST_FREE_BYTES=1 << 60)
def test_the_queue_names_the_lack_of_room_that_keeps_the_site_down(
    admin_client: Client,
) -> None:
    page = admin_client.get("/admin/queue/").content.decode()
    assert "Queue: down" in page
    assert "less than PLUMBLINE_LEAST_FREE_MB: uploads are refused" in page


@pytest.mark.parametrize(
    "case",
    [
        ("database or disk is full", 507, "no_room"),
        ("server closed the connection", 503, "unavailable"),
    ],
)
def test_a_transaction_that_fails_is_an_answer_that_says_when_to_come_back(
    channel: Channel,
    entry: Participation,
    ben: User,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, int, str],
) -> None:
    said, status, code = case

    def broken(*_: object) -> None:
        raise OperationalError(said)

    monkeypatch.setattr(accept, "_accept", broken)
    is_trouble(channel.send(ben), status, code)


def test_nobody_is_told_that_nothing_was_stored_once_it_is(
    entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database goes between the commit and the answer."""

    def broken(*_: object) -> None:
        raise OperationalError("server closed the connection")

    client, key = bearer(ben, "submit"), {"Idempotency-Key": "k"}

    def form() -> dict[str, object]:
        return {"system": "x"} | {
            f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
            for name, data in both().items()
        }

    with monkeypatch.context() as patched:
        patched.setattr(submissions, "status_of", broken)
        answer = client.post(API, form(), headers=key)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
    assert Submission.objects.count() == 1
    assert "nothing was stored" not in answer.json()["detail"]
    assert "same Idempotency-Key counts once" in answer.json()["detail"]
    again = client.post(API, form(), headers=key)
    assert (again.status_code, again["Idempotent-Replayed"]) == (201, "true")
    assert Submission.objects.count() == 1


@pytest.mark.parametrize("address", [PAGE, API])
def test_a_database_that_goes_around_a_view_is_named_as_in_one(
    ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """Before a view, or on the way back from it: as when a session is saved."""

    def broken(*_: object) -> None:
        raise OperationalError("server closed the connection")

    client = as_user(ben)
    client.raise_request_exception = False
    monkeypatch.setattr(SignInElsewhere, "__call__", broken)
    answer = client.post(address)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "nothing was stored" not in answer.text.lower()


@pytest.mark.parametrize("name", ["AdminShutdown", "CrashShutdown", "CannotConnectNow"])
@pytest.mark.parametrize(
    "address", ["/tasks/otters/", "/api/v1/tasks/otters/test/board/"]
)
def test_an_error_of_the_driver_itself_is_that_of_an_absent_database(
    phase: Phase, monkeypatch: pytest.MonkeyPatch, name: str, address: str
) -> None:
    """As when PostgreSQL stops while a cursor of its own is read and closed."""
    errors = pytest.importorskip("psycopg.errors")

    def stopped(*_: object, **__: object) -> None:
        raise getattr(errors, name)("terminating connection")

    client = Client(raise_request_exception=False)
    monkeypatch.setattr(Statement, "__call__", stopped)
    answer = client.get(address)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")


@pytest.fixture
def database_away() -> Iterator[None]:
    def refuse(*_: object) -> None:
        raise OperationalError("connection refused")

    with connection.execute_wrapper(refuse):
        yield


@pytest.mark.parametrize(
    "address", ["/", "/tasks/otters/", PAGE, "/tasks/otters/submissions/", "/api/docs/"]
)
def test_without_a_database_every_page_says_so(
    ben: User, as_user: Login, address: str, request: pytest.FixtureRequest
) -> None:
    client = as_user(ben)
    request.getfixturevalue("database_away")
    answer = client.get(address)
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert answer["Content-Type"].startswith("text/html")
    assert "Nothing was stored" in answer.content.decode()
    sent = client.post(address).content.decode()
    assert "Nothing was stored" not in sent


@pytest.mark.parametrize(
    "address", ["/api/v1/me/", "/api/v1/tasks/", "/api/v1/tasks/otters/", API]
)
@pytest.mark.parametrize("how", ["token", "session", "anonymous"])
def test_without_a_database_every_address_of_the_api_is_a_problem_document(
    ben: User, as_user: Login, how: str, address: str, request: pytest.FixtureRequest
) -> None:
    ways = {"token": bearer, "session": as_user, "anonymous": lambda _: Client()}
    client = ways[how](ben)
    request.getfixturevalue("database_away")
    for answer in (client.get(address), client.post(address)):
        if answer.status_code in (401, 403, 405):
            continue  # what needs no database to be said
        assert (answer.status_code, answer["Retry-After"]) == (503, "10")
        assert answer["Content-Type"] == "application/problem+json"
        found = answer.json()
        assert (found["status"], found["code"]) == (503, "unavailable")
        assert found["type"] == "/api/docs/#unavailable"


@pytest.fixture
def lose() -> Iterator[Callable[[str], None]]:
    """Takes files out of storage, as a restore that lost them would; they come back
    after the test, as others share them."""
    taken = []

    def take(digest: str) -> None:
        taken.append(blobs.read(digest))
        blobs.storages["blobs"].delete(blobs.place(digest))

    yield take
    for content in taken:
        blobs.keep(content)


Lose = Callable[[str], None]


@pytest.mark.parametrize("address", ["receipt/north/", "files/north/"])
def test_a_submitted_file_that_storage_lost_is_named_with_what_to_do(
    phase: Phase,
    entry: Participation,
    ben: User,
    as_user: Login,
    lose: Lose,
    address: str,
) -> None:
    sent = scored(phase, entry, both())
    if "receipt" in address:  # which opens no file, and reads what its row says
        sent.files.all().delete()
    else:
        lose(sent.files.get(test_set__name="north").sha256)
    answer = as_user(ben).get(f"{sent.get_absolute_url()}{address}")
    assert answer.status_code == 503
    said = answer.content.decode()
    assert "A submitted file is missing" in said
    assert "Write to the organizers" in said
    assert "Scores that were counted stay" in said
    client, path = as_user(ben), f"{sent.get_absolute_url()}{address}"
    german = client.get(path, headers={"Accept-Language": "de"})
    assert "Eine eingereichte Datei fehlt" in german.content.decode()
    assert german["Content-Language"] == "de"


def test_a_file_of_the_task_that_storage_lost_is_not_taken_for_a_submitted_one(
    phase: Phase, client: Client, lose: Lose
) -> None:
    phase.task.draft = False
    phase.task.save()
    lose(phase.test_sets.get(name="north").blind_sha256)
    answer = client.get(f"/tasks/{phase.task.slug}/{phase.name}/blind/north/")
    assert answer.status_code == 503
    assert "A file of the task is missing" in answer.content.decode()


def test_a_program_learns_from_a_code_that_a_stored_file_is_lost(
    phase: Phase, entry: Participation, ben: User, lose: Lose
) -> None:
    lose(phase.test_sets.get(name="north").blind_sha256)
    answer = bearer(ben, "read").get(
        f"/api/v1/tasks/{phase.task.slug}/{phase.name}/test-sets/north/blind/"
    )
    assert (answer.status_code, answer.json()["code"]) == (503, "file_missing")
    assert "Retry-After" not in answer


def test_an_evaluation_whose_file_is_lost_waits_until_it_is_back(
    phase: Phase, entry: Participation, lose: Lose
) -> None:
    files = both({"north": one_wrong()})
    waiting = accept.submit(upload(phase, entry, files)).evaluations.get()
    digest = waiting.submission.files.get(test_set__name="north").sha256
    content = blobs.read(digest)
    lose(digest)
    assert evaluation.run(waiting.pk)
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.QUEUED
    assert waiting.last_error.startswith("MissingBlob in ")
    assert blobs.keep(content) == digest
