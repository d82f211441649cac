"""A grown site whose broker is RabbitMQ, by its address alone; and its troubles."""

import time
from collections.abc import Iterator

import pytest

from leaderboard.celery import for_celery, transport_options
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from tests.campaigns.browsers import Request
from tests.leaderboard.small import bundle
from tests.operations.rabbit import Rabbit, rabbit_server
from tests.operations.test_grown_site import everything_ended, requests, send
from tests.operations.units import grown_site
from tests.waiting import wait_until

MOST_SECONDS = 30.0  # of an upload, whatever the broker does


def test_each_broker_gets_limits_that_it_knows() -> None:
    assert transport_options("amqp://host//")["max_retries"] == 1
    assert transport_options("redis://host/0")["socket_timeout"] == 2
    assert for_celery("unix:///run/x.sock?db=1") == (
        "redis+socket:///run/x.sock?virtual_host=1"
    )


@pytest.fixture
def rabbit() -> Iterator[Rabbit]:
    with rabbit_server() as server:
        yield server


@pytest.mark.campaign
@pytest.mark.broker
@pytest.mark.parametrize("heavy_from", ["1", "0"], ids=["light", "heavy"])
def test_uploads_are_scored_while_rabbit_is_there_hung_killed_and_back(
    heavy_from: str, rabbit: Rabbit, production: dict[str, str]
) -> None:
    env = production | {"RABBIT_URL": rabbit.url}
    env["PLUMBLINE_HEAVY_SECONDS"] = heavy_from
    del env["REDIS_URL"]
    ada = User.objects.create_user("ada@example.org", "x")
    phase = create_task(bundle(), ada).phases.get()
    with grown_site(env, webs=2, workers=2) as ports:
        sent = requests(phase, 30)
        assert_accepted(ports, sent[:10])
        wait_until(everything_ended, 180, "everything is scored")
        with rabbit.hung():
            assert_accepted(ports, sent[10:20])
        wait_until(everything_ended, 180, "everything is scored after it hung")
        rabbit.kill()
        assert_accepted(ports, sent[20:])
        rabbit.start()
        wait_until(everything_ended, 180, "everything is scored after it was lost")
    heavy = heavy_from == "0"
    assert (
        Evaluation.objects.filter(state=EvaluationState.SCORED, heavy=heavy).count()
        == 30
    )


def assert_accepted(ports: list[int], sent: list[Request]) -> None:
    began = time.monotonic()
    answers = send(ports, sent)
    print(f"{len(sent)} uploads in {time.monotonic() - began:.1f} s")
    assert {answer.status for answer in answers} == {302}
    assert time.monotonic() - began < MOST_SECONDS
