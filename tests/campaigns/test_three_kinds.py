"""Whatever waits to be scored, mail leaves, boards follow, and no list grows."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from itertools import count
from pathlib import Path
from random import Random

import psutil
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
from tests.campaigns.chaos import Broker, Storm, Striker, everything_ended
from tests.campaigns.conftest import TEAMS
from tests.campaigns.invariants import violations
from tests.campaigns.site import brokerless_worker
from tests.campaigns.test_reevaluation import corrected, scored_before
from tests.conftest import _url_of_test_database
from tests.leaderboard.small import both, upload
from tests.operations.units import environment, started
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks", by_day="sqlite")

# Mail about results leaves by the clock, every 20 seconds.
MAIL_SECONDS, BOARD_SECONDS, LONGEST_LIST = 40.0, 30.0, 10
PASSWORD_SECONDS = 20.0  # between requests of new passwords
LOOK_SECONDS = 0.2  # each look asks the database, which others are to have


@dataclass(frozen=True)
class Amount:
    """Work that waits: programs of two seconds, submissions to score anew, uploads.

    `seconds`: corrected gold that is not scored by then is not waited for. `blows`:
    parts of the site are killed meanwhile.
    """

    programs: int = 0
    revised: int = 0
    rushed: int = 0
    seconds: float = 1800.0
    blows: bool = False


SHORT = Amount(programs=12, revised=90, rushed=60)
# In full length each kind has the site to itself.
FULL = {
    "programs": Amount(programs=90),
    "corrected gold": Amount(revised=10_000, seconds=120),
    "rush": Amount(rushed=600),
    "storm": Amount(programs=12, revised=200, rushed=200, blows=True),
}
# Seconds between blows of a kind
GAPS = {
    "worker": (20.0, 40.0),
    "scheduler": (30.0, 60.0),
    "lane": (10.0, 20.0),
    "broker": (30.0, 60.0),
    "queue": (10.0, 30.0),
}


@dataclass
class Watch:
    """What is seen while scoring goes on, in seconds and messages of a list."""

    lists: redis.Redis | None = field(default=None, repr=False)
    blows: Mapping[str, Callable[[], object]] = field(default_factory=dict, repr=False)
    mail: float = 0.0
    board: float = 0.0
    longest: int = 0
    passwords: int = 0
    _due: dict[int, tuple[datetime | None, float]] = field(
        default_factory=dict, repr=False
    )
    _asked: float = field(default=float("-inf"), repr=False)

    def look(self) -> None:
        now = timezone.now()
        waiting = Mail.objects.filter(sent_at=None).order_by("at")
        if (oldest := waiting.values_list("at", flat=True).first()) is not None:
            self.mail = max(self.mail, (now - oldest).total_seconds())
        self._look_at_boards()
        if self.lists is not None:
            with suppress(redis.RedisError):  # it was killed just now
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


class Unit:
    """A process of the site, started again when it was killed, as systemd does."""

    def __init__(self, name: str, env: dict[str, str]) -> None:
        self._name, self._env, self._times = name, env, count()
        self._up, self.log = ExitStack(), Path()

    def __enter__(self) -> "Unit":
        self.log = self._up.enter_context(
            started(self._name, next(self._times), self._env)
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._up.close()

    def strike(self) -> None:
        self.__exit__()
        self.__enter__()


def strike_a_lane(chance: Random) -> None:
    """One of the processes that boards and upkeep have for themselves."""
    with suppress(psutil.NoSuchProcess):  # it ended by itself
        units = psutil.Process().children()
        beats = [unit for unit in units if "beat" in " ".join(unit.cmdline())]
        keepers = [keeper for beat in beats for keeper in beat.children()]
        if lanes := [lane for keeper in keepers for lane in keeper.children()]:
            chance.choice(lanes).kill()


@contextmanager
def with_broker(processes: int, redis_url: str) -> Iterator[Watch]:
    env = environment(
        DJANGO_SETTINGS_MODULE="tests.settings",
        DATABASE_URL=_url_of_test_database(),
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WORKER_PROCESSES=str(processes),
    )
    server = Broker(redis_url)
    server.flush()
    with Unit("worker", env) as worker, Unit("sweeper", env) as scheduler:
        wait_until(lambda: b" ready." in worker.log.read_bytes(), 60, f"{worker.log}")
        blows = {
            "worker": worker.strike,
            "scheduler": scheduler.strike,
            "lane": partial(strike_a_lane, Random(1)),
            "broker": server.kill_and_restart,
            "queue": server.flush,
        }
        yield Watch(server.link, blows)
    server.flush()


@contextmanager
def without_broker() -> Iterator[Watch]:
    with brokerless_worker(DJANGO_SETTINGS_MODULE="tests.settings"):
        yield Watch()


Start = Callable[[], AbstractContextManager[Watch]]


# One process alone is slow: by day test_heavy_backlog has it.
@pytest.fixture(params=[pytest.param(1, marks=pytest.mark.campaign), 2, "no broker"])
def scoring(request: pytest.FixtureRequest) -> Start:
    """One or two processes that score, and a scheduler; or `manage.py work`."""
    if request.param == "no broker":
        request.getfixturevalue("no_queue")
        return without_broker
    if request.config.getoption("--no-broker"):
        pytest.skip("about the broker itself")
    url = request.getfixturevalue("redis_url")
    return partial(with_broker, request.param, url)


def watched(watch: Watch, size: Amount) -> list[str]:
    """Look until everything is scored, or for as long; what was too late."""
    began = time.monotonic()
    until = began + size.seconds
    gaps = {kind: GAPS[kind] for kind in watch.blows} if size.blows else {}
    striker = Striker(watch.blows, Storm(0, 0, gaps), lambda: None)
    patience = size.seconds + 60

    def ended() -> bool:
        watch.look()
        gold_goes_on = size.revised and time.monotonic() > until
        return gold_goes_on or everything_ended()

    if gaps:
        striker.strike_until(ended, patience)
    else:
        wait_until(ended, patience, "everything is scored", every=LOOK_SECONDS)
    left = Evaluation.objects.exclude(state__in=FINAL).count()
    took = time.monotonic() - began
    print(f"{took:.0f} s, {left} not scored, {dict(striker.dealt)}; {watch}")
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
    """For programs, for corrected gold and for a rush of uploads: all at once, in full
    length each of them alone, and all while parts of the site are killed."""
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
        assert watched(watch, size) == []
    assert violations(sent) == []


def member(number: int) -> User:
    return User.objects.create_user(f"member{number}@example.org", "x")
