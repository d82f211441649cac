"""Whatever waits to be scored, mail leaves, boards follow, and no list grows."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import pytest
import redis
from django.conf import settings as site
from django.test import Client
from django.utils import timezone

from leaderboard.mail.models import Mail
from leaderboard.submissions import accept
from leaderboard.submissions.models import FINAL, Evaluation
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns import backlog
from tests.campaigns.conftest import TEAMS
from tests.campaigns.invariants import violations
from tests.campaigns.site import brokerless_worker
from tests.campaigns.test_reevaluation import corrected, scored_before
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, upload
from tests.operations.units import environment, started
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks")

# Mail about results leaves by the clock, every 20 seconds.
MAIL_SECONDS, BOARD_SECONDS, LONGEST_LIST = 40.0, 30.0, 10
MOST_SECONDS = 1800.0
PASSWORD_SECONDS = 20.0  # between requests of new passwords


@dataclass(frozen=True)
class Amount:
    """Work that waits: programs of two seconds, submissions to score anew, uploads."""

    programs: int = 0
    revised: int = 0
    rushed: int = 0


SHORT = Amount(programs=12, revised=90, rushed=60)
# In full length each kind has the site to itself.
FULL = {
    "programs": Amount(programs=90),
    "corrected gold": Amount(revised=10_000),
    "rush": Amount(rushed=1_000),
}


@dataclass
class Watch:
    """What is seen while scoring goes on, in seconds and messages of a list."""

    lists: redis.Redis | None = None
    mail: float = 0.0
    board: float = 0.0
    longest: int = 0
    passwords: int = 0
    _due: dict[int, tuple[datetime | None, float]] = field(default_factory=dict)
    _asked: float = float("-inf")

    def look(self) -> None:
        now = timezone.now()
        waiting = Mail.objects.filter(sent_at=None).order_by("at")
        if (oldest := waiting.values_list("at", flat=True).first()) is not None:
            self.mail = max(self.mail, (now - oldest).total_seconds())
        self._look_at_boards()
        if self.lists is not None:
            lengths = map(self.lists.llen, ("upkeep", "boards"))
            self.longest = max(self.longest, *lengths)
        if time.monotonic() - self._asked > PASSWORD_SECONDS:
            self._ask_for_a_password()

    def _look_at_boards(self) -> None:
        """How long boards have waited: since they changed, or were computed last."""
        columns = ("pk", "board_version", "computed_boards__version")
        now, still = time.monotonic(), {}
        rows = Phase.objects.filter(board_version__gt=0)
        for pk, wanted, found, at in rows.values_list(*columns, "computed_boards__at"):
            if wanted != found:
                before = self._due.get(pk)
                since = before[1] if before and before[0] == at else now
                still[pk] = at, since
                self.board = max(self.board, now - since)
        self._due = still

    def _ask_for_a_password(self) -> None:
        self._asked = time.monotonic()
        address = f"forgot{self.passwords}@example.org"
        User.objects.create_user(address, "x")
        self.passwords += 1
        form = {"email": address}
        answer = Client().post("/accounts/password/reset/", form)
        assert answer.status_code == 302
        assert Mail.objects.filter(kind="account").count() == self.passwords

    def broken(self) -> list[str]:
        found = []
        if self.mail > MAIL_SECONDS:
            found.append(f"mail waited {self.mail:.0f} s")
        if self.board > BOARD_SECONDS:
            found.append(f"a board was {self.board:.0f} s old")
        if self.longest >= LONGEST_LIST:
            found.append(f"a list had {self.longest} messages")
        return found


@contextmanager
def with_broker(processes: int, redis_url: str) -> Iterator[Watch]:
    env = environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DATABASE_URL=_url_of_test_database(),
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WORKER_PROCESSES=str(processes),
    )
    lists = redis.Redis.from_url(redis_url)
    lists.flushall()
    with started("worker", 0, env) as log, started("sweeper", 0, env):
        wait_until(lambda: b" ready." in log.read_bytes(), 60, f"{log}")
        yield Watch(lists)
    lists.flushall()


@contextmanager
def without_broker() -> Iterator[Watch]:
    with brokerless_worker(DJANGO_SETTINGS_MODULE="tests.settings"):
        yield Watch()


Start = Callable[[], AbstractContextManager[Watch]]


@pytest.fixture(params=[1, 2, "no broker"])
def scoring(request: pytest.FixtureRequest) -> Start:
    """One or two processes that score, and a scheduler; or `manage.py work`."""
    if request.param == "no broker":
        request.getfixturevalue("no_queue")
        return without_broker
    if request.config.getoption("--no-broker"):
        pytest.skip("about the broker itself")
    url = request.getfixturevalue("redis_url")
    return partial(with_broker, request.param, url)


def watched(watch: Watch) -> list[str]:
    """Look until everything is scored, told and on its board; what was too late."""
    began = time.monotonic()

    def ended() -> bool:
        watch.look()
        return not Evaluation.objects.exclude(state__in=FINAL).exists()

    wait_until(ended, MOST_SECONDS, "everything is scored")
    print(f"scored in {time.monotonic() - began:.0f} s; {watch}")
    return watch.broken()


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(SHORT, id="short"),
        *(
            pytest.param(size, id=name, marks=pytest.mark.campaign)
            for name, size in FULL.items()
        ),
    ],
)
def test_nothing_waits_for_what_is_scored(
    size: Amount, scoring: Start, open_phase: Phase
) -> None:
    """For programs, for corrected gold and for a rush of uploads: all at once, and in
    full length each of them alone."""
    entries = [
        join(open_phase.task, Team.found(f"Team {i}", member(i)))
        for i in range(max(TEAMS, size.rushed))
    ]
    if size.revised:
        scored_before(open_phase, entries[:TEAMS], size.revised)
        Mail.objects.all().delete()
        corrected(open_phase)
    with scoring() as watch:
        sent = backlog.heavy_work(size.programs)
        for entry in entries[: size.rushed]:
            sent.append(str(accept.submit(upload(open_phase, entry, both())).pk))
            watch.look()
        assert watched(watch) == []
    assert violations(sent) == []


def member(number: int) -> User:
    return User.objects.create_user(f"member{number}@example.org", "x")
