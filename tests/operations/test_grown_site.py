"""A site of several processes, set up by the files of deploy/ and environment alone."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.conf import settings as site
from django.db import connection

from leaderboard.submissions.models import FINAL, Evaluation, EvaluationState, Event
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.invariants import violations
from tests.campaigns.site import cookies_of
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, bundle
from tests.operations.units import environment, grown_site
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks")

URL = "/tasks/otters/test/submit/"
TEAMS = 5


def requests(phase: Phase, number: int) -> list[Request]:
    phase.daily_limit = None
    phase.save()
    cookies = []
    for i in range(TEAMS):
        user = User.objects.create_user(f"member{i}@example.org", "x")
        join(phase.task, Team.found(f"Team {i}", user))
        cookies.append(cookies_of(user))
    files = {f"file_{name}": data for name, data in both().items()}
    return [
        Request(
            URL,
            cookies[i % TEAMS],
            {"system": f"s{i}", "key": uuid4().hex, "again": "on"},
            files,
        )
        for i in range(number)
    ]


def send(ports: list[int], asked: list[Request]) -> list[Answer]:
    """All at once, over all servers in turn; in a thread that has no loop yet."""

    async def all_of_them() -> list[Answer]:
        sent = (post(ports[i % len(ports)], ask) for i, ask in enumerate(asked))
        return list(await asyncio.gather(*sent))

    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(all_of_them())).result()


def everything_ended() -> bool:
    connection.close()
    return not Evaluation.objects.exclude(state__in=FINAL).exists()


def check(ports: list[int], phase: Phase, uploads: int) -> None:
    answers = send(ports, requests(phase, uploads))
    assert {answer.status for answer in answers} == {302}
    wait_until(everything_ended, 180 + uploads, "everything is scored")
    acknowledged = [answer.location.split("/")[-2] for answer in answers]
    assert len(set(acknowledged)) == uploads
    assert violations(acknowledged) == []
    states = Evaluation.objects.values_list("state", flat=True)
    assert list(states) == [EvaluationState.SCORED] * uploads
    assert (
        Event.objects.filter(new=EvaluationState.RUNNING).count() == uploads
    )  # each once


@pytest.mark.broker
def test_two_servers_share_one_site(
    redis_url: str, phase: Phase, transactional_db: None
) -> None:
    env = environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DATABASE_URL=_url_of_test_database(),
        REDIS_URL=redis_url,
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WEB_PROCESSES="1",
        PLUMBLINE_WORKER_PROCESSES="2",
        PLUMBLINE_LOG="json",
    )
    with grown_site(env, webs=2, workers=1) as ports:
        check(ports, phase, 8)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", ["production", "production_in_a_bucket"])
def test_two_servers_and_three_workers_score_each_upload_once(
    kind: str, request: pytest.FixtureRequest
) -> None:
    """Over PostgreSQL and Redis, with the settings of a site and none of the tests."""
    production: dict[str, str] = request.getfixturevalue(kind)
    ada = User.objects.create_user("ada@example.org", "x")
    phase = create_task(bundle(), ada).phases.get()
    with grown_site(production, webs=2, workers=3) as ports:
        check(ports, phase, 20)
