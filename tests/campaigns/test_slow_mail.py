"""Scoring does not wait for the mail server, and all mail arrives once in the end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
import redis
from django.conf import settings as site
from django.utils import timezone

from leaderboard.mail.models import Mail
from leaderboard.submissions import accept
from leaderboard.submissions.models import FINAL, Evaluation, Event
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns.mail_servers import (
    MailServer,
    Trouble,
    mail_server,
    settings_for,
)
from tests.campaigns.site import brokerless_worker
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, scored, upload
from tests.operations.units import environment, started
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks", by_day="sqlite")
SETTINGS = "tests.campaigns.mail_settings"
# Above what uploads wait with a quick server. A mail takes five seconds and there are
# many, and a server that hangs is waited for twenty: a worker that waited would show.
GENEROUS_SECONDS = 10.0


@dataclass(frozen=True)
class Post:
    """`results` to tell when the worker starts, then `uploads` one after the other."""

    results: int
    uploads: int
    interval: int  # seconds between looks at the outbox


SHORT, FULL = Post(6, 4, 2), Post(24, 24, 20)
sizes = pytest.mark.parametrize(
    "size",
    [
        pytest.param(SHORT, id="short"),
        pytest.param(FULL, id="full", marks=pytest.mark.campaign),
    ],
)


@sizes
@pytest.mark.parametrize("trouble", [Trouble.SLOW, Trouble.HANGS, Trouble.GREYLISTS])
def test_scoring_waits_for_no_mail_server(
    trouble: Trouble, size: Post, no_queue: None, open_phase: Phase
) -> None:
    results(open_phase, size, "quick")
    with mail_server(Trouble.NONE) as quick, without_broker(quick, size):
        usual = longest_wait(open_phase, size, "quick")
        assert all_told(quick) == size.results + size.uploads
    results(open_phase, size, "beside")
    with mail_server(trouble) as server, without_broker(server, size):
        assert longest_wait(open_phase, size, "beside") < usual + GENEROUS_SECONDS
        meet(server, trouble)
        assert all_told(server) == size.results + size.uploads


@sizes
@pytest.mark.broker
def test_nor_does_a_worker_with_one_process(
    size: Post, redis_url: str, open_phase: Phase
) -> None:
    queues = redis.Redis.from_url(redis_url)
    results(open_phase, size, "one")
    queues.flushall()
    with mail_server(Trouble.SLOW) as server, one_process(server, size):
        assert longest_wait(open_phase, size, "one") < GENEROUS_SECONDS
        meet(server, Trouble.SLOW)
        assert all_told(server) == size.results + size.uploads
    queues.flushall()


@contextmanager
def without_broker(server: MailServer, size: Post) -> Iterator[None]:
    more = {"DJANGO_SETTINGS_MODULE": SETTINGS, "POST_SECONDS": str(size.interval)}
    with brokerless_worker(**more, **settings_for(server)):
        yield


@contextmanager
def one_process(server: MailServer, size: Post) -> Iterator[None]:
    env = environment(
        DJANGO_SETTINGS_MODULE=SETTINGS,
        DATABASE_URL=_url_of_test_database(),
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WORKER_PROCESSES="1",
        POST_SECONDS=str(size.interval),
        **settings_for(server),
    )
    with started("worker", 0, env) as log, started("sweeper", 0, env):
        wait_until(lambda: b" ready." in log.read_bytes(), 60, f"{log}")
        yield


def results(phase: Phase, size: Post, name: str) -> None:
    """Results that nobody was told of yet."""
    for i in range(size.results):
        scored(phase, entered(phase, f"{name} {i}"), both())


def longest_wait(phase: Phase, size: Post, name: str) -> float:
    """Seconds from acceptance to result, beside mail about results of before."""
    wait_until(lambda: mail_is_under_way(name), 60, "the first mail is under way")
    waits = []
    for i in range(size.uploads):
        entry = entered(phase, f"{name} later {i}")
        sent = accept.submit(upload(phase, entry, both()))
        rows = Evaluation.objects.filter(submission=sent)
        wait_until(lambda at=rows: at.filter(state__in=FINAL).exists(), 120, "a score")
        waits.append((rows.get().finished_at - sent.accepted_at).total_seconds())
    return max(waits)


def entered(phase: Phase, name: str) -> Participation:
    address = f"{name.replace(' ', '')}@example.org"
    user = User.objects.create_user(address, "x")
    return join(phase.task, Team.found(name, user))


def mail_is_under_way(name: str) -> bool:
    """The mail of the results with that name: a worker of before has told of others."""
    team = "evaluation__submission__participation__team__name__startswith"
    events = Event.objects.filter(**{team: name})
    return Mail.objects.filter(about__in=events, kind="result", tried__gt=0).exists()


def meet(server: MailServer, trouble: Trouble) -> None:
    """Its trouble was met while uploads were scored; then it is over."""
    assert server.met["connections"]
    if trouble == Trouble.GREYLISTS:
        assert server.met["refusals"]
    if trouble == Trouble.HANGS:
        assert not server.received
    server.recovered.set()


def all_told(server: MailServer) -> int:
    """Wait until each result was told, as if pauses were over; each was told once."""

    def told() -> bool:
        open_rows = Mail.objects.filter(sent_at=None)
        # What is under way is claimed anew by nobody but the one thread that has it.
        open_rows.filter(tried__gt=0).exclude(error="").update(
            not_before=timezone.now(), error=""
        )
        finished = Evaluation.objects.filter(state__in=FINAL).count()
        return Mail.objects.exclude(sent_at=None).count() == finished

    wait_until(told, 240, "every result is told")
    assert set(server.received.values()) == {1}
    return len(server.received)
