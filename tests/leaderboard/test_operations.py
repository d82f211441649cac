"""What operators see and may do, and what visitors are told when we are in trouble."""

import errno
import os
from collections.abc import Callable

import pytest
from django.db import OperationalError
from django.http import HttpResponse
from django.test import Client, override_settings

from leaderboard.submissions import evaluation, intake, jobs, leasing, operating, quota
from leaderboard.submissions.models import Evaluation, State, Submission
from leaderboard.tasks import blobs
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import both, upload
from tests.leaderboard.test_intake import URL, form

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]


@pytest.fixture
def root(db: None) -> User:
    return User.objects.create_superuser("root@example.org", "x")


@pytest.fixture
def failed(phase: Phase, entry: Participation) -> Evaluation:
    """An evaluation that failed for good by our fault, on the only attempt of a day."""
    phase.daily_limit = 1
    phase.save()
    waiting = intake.submit(upload(phase, entry, both())).evaluations.get()
    with override_settings(MOST_ATTEMPTS=1):
        leasing.claim(waiting.pk)
        running = Evaluation.objects.filter(pk=waiting.pk)
        leasing.release(running, "the machine caught fire")
    waiting.refresh_from_db()
    assert waiting.state == State.FAILED_SYSTEM
    return waiting


def test_an_operator_tries_again_and_it_costs_nothing(
    failed: Evaluation, root: User
) -> None:
    operating.retry(failed, root)
    assert evaluation.run(failed.pk)
    failed.refresh_from_db()
    assert failed.state == State.SCORED
    assert failed.events.filter(actor=root, new=State.QUEUED).count() == 1
    sent = failed.submission
    assert quota.left(sent.phase, sent.participation, sent.received_at) == 1


def test_only_what_failed_can_be_tried_again(failed: Evaluation, root: User) -> None:
    operating.retry(failed, root)
    with pytest.raises(operating.NotPossible):
        operating.retry(failed, root)


def test_cancelling_gives_the_attempt_back_once(
    phase: Phase, entry: Participation, root: User
) -> None:
    phase.daily_limit = 1
    phase.save()
    sent = intake.submit(upload(phase, entry, both()))
    operating.cancel(sent.evaluations.get(), root)
    with pytest.raises(operating.NotPossible):
        operating.cancel(sent.evaluations.get(), root)
    assert quota.left(phase, entry, sent.received_at) == 1
    assert not evaluation.run(sent.evaluations.get().pk)


def test_a_late_submission_counts_once_an_organizer_admits_it(
    over: Phase, entry: Participation, ada: User
) -> None:
    sent = intake.submit(upload(over, entry, both()))
    waiting = operating.admit(sent, ada)
    assert waiting.events.get().actor == ada
    sent.refresh_from_db()
    assert (sent.late, sent.admitted_by) == (False, ada)
    assert evaluation.run(waiting.pk)
    with pytest.raises(operating.NotPossible):
        operating.admit(sent, ada)


def test_late_submissions_of_a_day_are_limited(
    over: Phase, entry: Participation
) -> None:
    with override_settings(LATE_PER_DAY=2), pytest.raises(quota.TooManyLate):
        for _ in range(3):
            intake.submit(upload(over, entry, both()))
    assert Submission.objects.count() == 2


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
    assert failed.state == State.FAILED_SYSTEM


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


def test_without_a_broker_the_site_is_degraded_but_ready(
    client: Client, phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs.queue, "answers", lambda: False)
    intake.submit(upload(phase, entry, both()))
    leasing.reap()
    answer = client.get("/readyz")
    found = answer.json()
    assert (answer.status_code, found["status"]) == (200, "degraded")
    assert (found["queued"], found["broker"]) == (1, False)
    assert found["sweep_seconds"] < 10
    monkeypatch.setattr(jobs.queue, "answers", lambda: True)
    assert client.get("/readyz").json()["status"] == "ok"


def test_without_a_database_the_site_is_down(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("leaderboard.operations.readiness._measured", away)
    monkeypatch.setattr("leaderboard.operations.readiness.connection.close", print)
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "down")


def full(*_: object, **__: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_while_storing_is_a_clear_answer_and_leaves_nothing(
    entry: Participation, ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(blobs.os, "fsync", full)
        before = set(blobs.stored())
        answer = as_user(ben).post(URL, form(**both()))
        assert answer.status_code == 507
        assert "disk is full" in answer.content.decode()
        assert set(blobs.stored()) == before
    assert not Submission.objects.exists()
    assert as_user(ben).post(URL, form(**both())).status_code == 302, "mends itself"


def test_a_disk_that_fills_during_the_upload_refuses_all_of_it(
    entry: Participation, ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile._TemporaryFileWrapper.write", full, raising=False)
    answer = as_user(ben).post(URL, form(**both()))
    assert answer.status_code == 507
    assert not Submission.objects.exists()


def test_below_the_floor_of_free_space_uploads_are_refused(
    entry: Participation, ben: User, as_user: Login
) -> None:
    with override_settings(LEAST_FREE_BYTES=1 << 60):
        assert as_user(ben).post(URL, form(**both())).status_code == 507
        api = "/api/v1/tasks/otters/test/submissions/"
        answer = as_user(ben).post(api, form(**both()))
    assert answer.status_code == 507
    assert "disk is full" in answer.json()["detail"]


@pytest.fixture
def send_amid_trouble(
    entry: Participation, ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], HttpResponse]:
    """An upload whose transaction fails with these words of the database."""

    def send(said: str) -> HttpResponse:
        def broken(*_: object) -> None:
            raise OperationalError(said)

        monkeypatch.setattr(intake, "_accept", broken)
        return as_user(ben).post(URL, form(**both()))

    return send


@pytest.mark.parametrize(
    ("said", "status"),
    [("database or disk is full", 507), ("server closed the connection", 503)],
)
def test_a_database_in_trouble_is_a_page_that_says_when_to_come_back(
    said: str, status: int, send_amid_trouble: Callable[[str], HttpResponse]
) -> None:
    answer = send_amid_trouble(said)
    assert (answer.status_code, answer["Retry-After"]) == (status, "10")
