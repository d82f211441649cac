"""One account's flood of sandbox jobs on a running site, and somebody else's upload."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Self
from uuid import uuid4

import psutil
import pytest
from django.conf import settings as site

from leaderboard.tasks.models import Organizer, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zip_files
from scoring.sandbox import program as sandbox_program
from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.site import cookies_of
from tests.conftest import _url_of_test_database
from tests.extras.programs.test_programs import task_of
from tests.leaderboard.small import both, bundle, perfect
from tests.operations.units import environment, grown_site
from tests.waiting import wait_until

pytestmark = [pytest.mark.broker, pytest.mark.thorough]

FLOOD = 16
SUBMIT = "/tasks/otters/test/submit/"
# So large that reading it takes a second or more of a processor
LARGE = perfect("north") * 20_000
BUSY = "import time\nwhile time.process_time() < 3:\n    pass\n"
Maker = Callable[[Phase, User], Request]


def upload(cookies: str, files: dict[str, bytes] | None = None) -> Request:
    sent = {f"file_{name}": data for name, data in (files or both()).items()}
    fields = {"system": "s", "key": uuid4().hex, "again": "on"}
    return Request(SUBMIT, cookies, fields, sent)


def of_bundles(_phase: Phase, user: User) -> Request:
    files = {
        **bundle(slug=f"seals-{uuid4().hex[:8]}").files,
        "gold/north.conllu": LARGE,
    }
    given = zip_files("bundle.zip", files).single()
    return Request("/tasks/new/", cookies_of(user), {}, {"bundle": given})


def of_test_sets(phase: Phase, user: User) -> Request:
    name = f"more-{uuid4().hex[:8]}"
    fields = {"title": name, "name": name, "position": "7", "weight": "1"}
    path = f"/tasks/{phase.task.slug}/organize/test-sets/"
    return Request(path, cookies_of(user), fields, {"gold": LARGE})


def of_uploads(phase: Phase, user: User) -> Request:
    return upload(cookies_of(user), both({"north": LARGE}))


def of_programs(phase: Phase, user: User) -> Request:
    test_set = phase.task.test_sets.get()
    fields = {"action": "try", "test_set": str(test_set.pk)}
    path = f"/tasks/{phase.task.slug}/organize/program/"
    return Request(path, cookies_of(user), fields, {})


def all_at_once(port: int, asked: list[Request], answers: list[Answer]) -> None:
    """Sends all; adds each answer when it comes."""

    async def sent(one: Request) -> None:
        answers.append(await post(port, one))

    async def all_sent() -> None:
        await asyncio.gather(*map(sent, asked))

    # In a thread of its own: a browser of another test may have a loop in this one.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(lambda: asyncio.run(all_sent())).result()


def jobs() -> Iterator[psutil.Process]:
    """The overseers of sandbox jobs under way, each a fork of a sandbox server."""
    with suppress(psutil.NoSuchProcess):
        for server in psutil.Process().children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "leaderboard.sandbox.server" in server.cmdline():
                    yield from (x for x in server.children() if is_overseer(x, server))


def is_overseer(process: psutil.Process, server: psutil.Process) -> bool:
    """Its parent is a server, and no overseer itself, whose children do the jobs."""
    above = server.parent()
    started = above is not None and "leaderboard.sandbox.server" not in above.cmdline()
    return started and process.status() != psutil.STATUS_ZOMBIE


class Stopped:
    """Jobs that do not go on until the end of the context."""

    def __init__(self) -> None:
        self.jobs: list[psutil.Process] = []

    def stop(self) -> None:
        """Stops those that are under way."""
        for job in jobs():
            if job not in self.jobs:
                with suppress(psutil.NoSuchProcess):
                    job.suspend()
                    self.jobs.append(job)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for job in self.jobs:
            with suppress(psutil.NoSuchProcess):
                job.resume()


@pytest.fixture
def port(redis_url: str, transactional_db: None) -> Iterator[int]:
    """The port of a site with one web process, whose queue it is."""
    env = environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DATABASE_URL=_url_of_test_database(),
        REDIS_URL=redis_url,
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_PROGRAMS="everyone",
        PLUMBLINE_WEB_PROCESSES="1",
        PLUMBLINE_WORKER_PROCESSES="1",
    )
    with grown_site(env, webs=1, workers=0) as (port,):
        yield port


@pytest.mark.parametrize("of_kind", [of_bundles, of_test_sets, of_uploads, of_programs])
def test_an_upload_waits_for_none_of_sixteen_jobs_of_another_account(
    phase: Phase, ben: User, port: int, of_kind: Maker
) -> None:
    """The other account's job is stopped on the way: an upload that waited for its end,
    or for a place that it holds, would not be accepted at all."""
    phase.daily_limit = None
    phase.save()
    cookies = cookies_of(ben)
    join(phase.task, Team.found("Bens", ben))
    other = User.objects.create_user("mallory@example.org", "x")
    flooded = phase
    if of_kind is of_programs:
        if lost := sandbox_program.lacks():
            pytest.skip(f"this kernel lacks {lost}")
        flooded = task_of(other, BUSY).phases.get()
    elif of_kind is of_uploads:
        join(phase.task, Team.found("Mallories", other))
    elif of_kind is of_test_sets:
        Organizer.objects.create(task=phase.task, user=other)
    asked = [of_kind(flooded, other) for _ in range(FLOOD)]
    answers: list[Answer] = []
    beside: list[Answer] = []
    with ThreadPoolExecutor(1) as apart:
        flood = apart.submit(all_at_once, port, asked, answers)
        with Stopped() as stopped:

            def a_quarter_is_refused() -> bool:
                stopped.stop()
                return bool(stopped.jobs) and len(answers) >= FLOOD // 4

            wait_until(a_quarter_is_refused)
            assert len(stopped.jobs) == 1
            all_at_once(port, [upload(cookies)], beside)
            assert {one.status for one in [*beside, *answers]} == {302, 503}
        while not flood.done() and len(beside) < 10:
            all_at_once(port, [upload(cookies)], beside)
        flood.result()
    assert {one.status for one in beside} == {302}
    assert {one.status for one in answers} <= {200, 302, 422, 503}
    refused = [one for one in answers if one.status == 503]
    assert all(one.header("retry-after") == "30" for one in refused)
    assert len(refused) >= FLOOD // 4
