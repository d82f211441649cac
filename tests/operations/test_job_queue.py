"""One account's flood of sandbox jobs on a running site, and somebody else's upload."""

import asyncio
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from uuid import uuid4

import pytest
from django.conf import settings as site

from leaderboard.sandbox import program as sandbox_program
from leaderboard.tasks.models import Organizer, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zipped
from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.site import cookies_of
from tests.conftest import _url_of_test_database
from tests.extras.programs.test_programs import task_of
from tests.leaderboard.small import both, bundle, perfect
from tests.operations.units import environment, grown_site

pytestmark = [pytest.mark.broker, pytest.mark.thorough]

FLOOD, ALONE = 16, 3
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
    given = zipped("bundle.zip", files).single()
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


def all_at_once(port: int, asked: list[Request]) -> list[Answer]:
    async def sent() -> list[Answer]:
        return list(await asyncio.gather(*(post(port, one) for one in asked)))

    # In a thread of its own: a browser of another test may have a loop in this one.
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(sent())).result()


def reading_bundles() -> int:
    """How many bundles are read just now, each by a server of its own."""
    found = 0
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            words = place.read_bytes().split(b"\0")
            pid = int(place.parent.name)
            if b"leaderboard.tasks.bundle.trial:trial" in words:
                found += os.getsid(pid) == pid  # its forks are in its session
    return found


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
def test_an_upload_beside_sixteen_jobs_of_another_account_is_hardly_later(
    phase: Phase, ben: User, port: int, of_kind: Maker
) -> None:
    """The same upload is timed alone first, so that a busy machine slows both."""
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
    alone = [all_at_once(port, [upload(cookies)])[0] for _ in range(ALONE)]
    assert {one.status for one in alone} == {302}
    with ThreadPoolExecutor(1) as apart:
        flood = apart.submit(all_at_once, port, asked)
        beside, most = [], 0
        while not flood.done() and len(beside) < 10:
            beside += all_at_once(port, [upload(cookies)])
            most = max(most, reading_bundles())
        answers = flood.result()
    assert {one.status for one in beside} == {302}
    usual = median(one.seconds for one in alone)
    assert max(one.seconds for one in beside) < 5 * usual + 2
    assert most <= 1
    assert {one.status for one in answers} <= {200, 302, 422, 503}
    refused = [one for one in answers if one.status == 503]
    assert all(one.header("retry-after") == "30" for one in refused)
    assert len(refused) >= FLOOD // 4
