"""Those who watch the site learn how it does, and nothing of what it holds."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from leaderboard.mail.models import Mail
from leaderboard.operations import metrics
from leaderboard.submissions import accept, evaluation, leases
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import Message, Participation, Phase
from scoring.sandbox.fork import over_limit
from tests.leaderboard.small import CANARY, both, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.databases("sql")]


def samples(**headers: str) -> dict[tuple[str, ...], float]:
    answer = Client().get("/metrics", headers=headers)
    assert answer.status_code == 200
    families = text_string_to_metric_families(answer.content.decode())
    return {
        (sample.name.removeprefix("plumbline_"), *values_of(sample)): sample.value
        for family in families
        for sample in family.samples
    }


def values_of(sample: Any) -> list[str]:
    """By the names of their labels."""
    return [value for _, value in sorted(sample.labels.items())]


def test_numbers_are_those_of_the_rows(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both())
    failing = accept.submit(upload(phase, entry, both())).evaluations.get()
    leases.claim(failing.pk)
    Evaluation.objects.filter(pk=failing.pk).update(attempt=3)
    leases.release(Evaluation.objects.filter(pk=failing.pk), "fire in the engine room")
    accept.submit(upload(phase, entry, both()))
    letter = Message.objects.create(task=phase.task, subject="Rain", text="Rain")
    Mail.objects.create(kind="message", about=letter.pk, user=entry.team.members.get())
    found = samples()
    assert found["accepted_total",] == 3
    assert (found["waiting",], found["running",], found["background",]) == (1, 0, 0)
    assert (found["queue_waiting", "light"], found["queue_waiting", "heavy"]) == (1, 0)
    assert found["queue_running", "light"] == 0
    assert found["queue_oldest_seconds", "light"] < 60
    assert found["queue_oldest_seconds", "heavy"] == 0
    assert found["files_up",] == 1
    assert found["ended_last_hour", "", "scored"] == 1
    assert found["ended_last_hour", "other", "failed_system"] == 1
    assert found["refunds_last_hour",] == 1
    assert found["mail_waiting", "message"] == 1
    assert found["mail_waiting", "result"] >= 0
    assert 0 < found["scoring_seconds", "1", "attachment"] < 60
    assert found["queue_age_seconds",] < 60
    assert found["free_bytes",] > 0
    assert found["database_up",] == 1


def test_an_attempt_that_was_lost_and_a_refused_file_are_counted(
    phase: Phase, entry: Participation
) -> None:
    first = accept.submit(upload(phase, entry, both())).evaluations.get()
    leases.claim(first.pk)
    leases.release(Evaluation.objects.filter(pk=first.pk), "gone")
    second = accept.submit(upload(phase, entry, both())).evaluations.get()
    lease = leases.claim(second.pk)
    assert lease is not None
    problem = over_limit("cpu", evaluation.score_limits())
    evaluation.finish_refused(lease, [problem])
    found = samples()
    assert found["attempts_lost_last_hour",] == 1
    ended = [key for key in found if key[0] == "ended_last_hour"]
    assert ended == [("ended_last_hour", "cpu_time", "invalid")]


def test_what_was_long_ago_is_not_of_the_last_hour(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    assert metrics.Hour(timezone.now()).ends_by_state == {}


def test_no_team_no_task_no_file_is_named(phase: Phase, entry: Participation) -> None:
    scored(phase, entry, both())
    text = Client().get("/metrics").content.decode()
    for secret in ("Bens", "otter", "Otter", "north", "ben@", '"las"', CANARY):
        assert secret not in text


def test_a_full_table_costs_no_more_queries(
    phase: Phase, entry: Participation, django_assert_max_num_queries: Any
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    with django_assert_max_num_queries(18):
        Client().get("/metrics")


def test_a_code_is_a_word_of_ours() -> None:
    assert metrics.code_of("bad-tag") == "bad-tag"
    assert metrics.code_of("3 attempts failed") == "other"
    assert metrics.code_of("x" * 41) == "other"
    assert metrics.code_of("") == ""


@pytest.mark.parametrize(
    ("token", "headers", "address", "status"),
    [
        ("", {}, "127.0.0.1", 200),
        ("", {}, "::1", 200),
        ("", {}, "192.0.2.7", 403),
        ("", {"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", 403),
        ("", {"Via": "1.1 Caddy"}, "127.0.0.1", 403),
        ("secret", {}, "127.0.0.1", 403),
        ("secret", {"Authorization": "Bearer wrong"}, "127.0.0.1", 403),
        ("secret", {"Authorization": "Bearer secret"}, "192.0.2.7", 200),
    ],
)
def test_numbers_are_for_those_who_watch(
    settings: Any, token: str, headers: dict[str, str], address: str, status: int
) -> None:
    settings.METRICS_TOKEN = token
    answer = Client(REMOTE_ADDR=address).get("/metrics", headers=headers)
    assert answer.status_code == status
