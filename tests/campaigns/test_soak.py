"""P11: a site that runs for long needs no more for a submission than at first."""

import asyncio
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count, islice
from pathlib import Path
from uuid import uuid4

import pytest

from leaderboard.api import tokens
from leaderboard.extras.signatures import record
from leaderboard.submissions.models import (
    BoardRow,
    Evaluation,
    Event,
    StoredBoard,
    StoredStatistics,
)
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.campaigns.browsers import Answer, Request, get, post
from tests.campaigns.chaos import everything_ended
from tests.campaigns.gauges import (
    Sample,
    cost,
    drift,
    growth,
    parts,
    rows,
    sample,
    slowness,
    stored_bytes,
    time_of_fixed_work,
)
from tests.campaigns.invariants import violations
from tests.campaigns.site import brokerless_worker, cookies_of, web_server
from tests.leaderboard.channels import API, PAGE
from tests.leaderboard.small import one_wrong, perfect
from tests.waiting import wait_until

pytestmark = pytest.mark.databases("locks", by_day="postgresql")

BOARD = "/tasks/otters/test/board/"
AT_A_TIME = 4
MOST_TEMPORARY = 50 << 20
# A process keeps its connections to three stores (caches and broker), of each as many
# as it once had requests at a time; the first rounds may not have had as many.
CONNECTIONS = 3 * AT_A_TIME
MOST_DRIFT = 1.1  # of the memory of a worker, and of what checks files
# By which a web process may grow, which makes boards of more and more systems
MOST_OF_BOARDS = 64 << 20
MOST_COST = 1.3  # of the processor time for one submission
STATISTICS = StoredStatistics._meta.label
COMPUTED = {STATISTICS, StoredBoard._meta.label, BoardRow._meta.label}
MOST_STATISTICS = 3  # of one state of a board: numbers, tests and ranks
AUDIENCES = 2  # for whom workers compute it: the public and organizers


@dataclass(frozen=True)
class Length:
    """`scorings` in rounds of so many; the site is looked at after each."""

    scorings: int
    each: int

    @property
    def is_full(self) -> bool:
        return self.scorings >= 10_000


@pytest.fixture(
    params=[
        pytest.param(Length(60, 10), id="short"),
        pytest.param(Length(10_000, 100), id="full", marks=pytest.mark.campaign),
    ]
)
def length(request: pytest.FixtureRequest) -> Length:
    return request.param


@pytest.fixture
def soaked(
    open_phase: Phase, teams: list[Participation], tmp_path: Path
) -> Iterator[int]:
    """A web server and a worker, whose temporary files are below tmp_path; its port."""
    open_phase.daily_limit = None
    open_phase.save()
    more = {
        "DJANGO_SETTINGS_MODULE": "tests.campaigns.soak_settings",
        "TMPDIR": str(tmp_path),
    }
    with web_server(**more) as port, brokerless_worker(**more):
        yield port


def requests(teams: list[Participation]) -> Iterator[Request]:
    """Sign everybody in, and then uploads without end."""
    users = [User.objects.get(teams__participations=team) for team in teams]
    forms = [cookies_of(user) for user in users]
    programs = [tokens.make(u, "soak", ("submit",))[1] for u in users]
    return uploads(forms, programs)


def uploads(forms: list[str], programs: list[str]) -> Iterator[Request]:
    """By form and API in turn, no two of the same bytes."""
    for number in count():
        data = one_wrong() if number % 3 else perfect()
        files = {"file_north": f"# upload {number}\n".encode() + data}
        fields = {"system": f"system {number}", "key": uuid4().hex, "again": "on"}
        who = number // 2 % len(forms)
        if number % 2:
            yield Request(PAGE, forms[who], fields, files)
        else:
            token = {"Authorization": f"Bearer {programs[who]}"}
            yield Request(API, "", fields, files, more=token)


async def send(port: int, waiting: list[Request]) -> list[Answer]:
    """All of them, some at a time, and then a look at the board."""
    places = asyncio.Semaphore(AT_A_TIME)

    async def one(request: Request) -> Answer:
        async with places:
            return await post(port, request)

    answers = await asyncio.gather(*map(one, waiting))
    while (board := await get(port, BOARD)).status == HTTPStatus.ACCEPTED:
        pass  # being computed; the server waited a while
    return [*answers, board]


def test_nothing_grows_but_what_is_stored(
    length: Length, soaked: int, teams: list[Participation], tmp_path: Path
) -> None:
    told: Counter[int] = Counter()
    stream, began = requests(teams), time.monotonic()
    samples, counted = [], [rows()]
    with ThreadPoolExecutor(1) as apart:
        while not samples or samples[-1].done < length.scorings:
            asked = list(islice(stream, length.each))
            sending = apart.submit(asyncio.run, send(soaked, asked))
            fixed_work = time_of_fixed_work()
            answers = sending.result()
            told.update(answer.status for answer in answers)
            wait_until(everything_ended, 180 + length.each, "all are scored")
            done = length.each * (1 + len(samples))
            samples.append(sample(done, tmp_path, fixed_work))
            if done in (length.scorings // 2, length.scorings):
                record.update_due()  # which follows once a minute
                counted.append(rows())
    report(samples, time.monotonic() - began)
    assert told == {
        201: length.scorings // 2,
        302: length.scorings // 2,
        200: len(samples),
    }
    everything_was_scored_once(length.scorings)
    processes_are_as_they_were(samples, length)
    assert counted[-1][STATISTICS] <= MOST_STATISTICS * (len(samples) + AUDIENCES)
    if length.is_full:
        tables_grow_with_submissions_alone(counted, length.scorings // 2)


def everything_was_scored_once(scorings: int) -> None:
    states = Counter(Evaluation.objects.values_list("state", flat=True))
    assert states == {"scored": scorings}
    assert Event.objects.count() == 3 * scorings, "accepted, begun, scored"
    assert violations() == []


def processes_are_as_they_were(samples: list[Sample], length: Length) -> None:
    first, last = parts(samples)
    assert first[0].memory.keys() == last[-1].memory.keys(), "no process ended"
    assert max(s.temporary for s in samples) < MOST_TEMPORARY
    assert last[-1].temporary == first[0].temporary
    for name in samples[0].files:
        before = max(s.files[name] for s in first)
        after = max(s.files[name] for s in last)
        assert after <= before + CONNECTIONS, f"open files of {name}"
    if length.is_full:
        for name, times in drift(samples).items():
            if name.startswith("web"):
                assert growth(samples)[name] < MOST_OF_BOARDS, name
            else:
                assert times < MOST_DRIFT, name
        # The machine may have others to serve that slow it down meanwhile.
        allowed = MOST_COST * slowness(samples)
        for role in ("web", "worker"):
            assert cost(last, role) < allowed * cost(first, role), role


def tables_grow_with_submissions_alone(counted: list[Counter[str]], half: int) -> None:
    """In the second half as in the first, each by a whole number for a submission.

    What has a row for a person or a day stays as it was. What a board was at a look is
    kept for readers, which depends on when they looked.
    """
    start, middle, end = counted
    for table in end.keys() - COMPUTED:
        grown = end[table] - middle[table]
        assert grown in (0, middle[table] - start[table]), table
        assert grown % half == 0, table


def report(samples: list[Sample], seconds: float) -> None:
    first, last = parts(samples)
    print(f"P11: {samples[-1].done} scored in {seconds:.0f} s")
    for name, times in sorted(drift(samples).items()):
        before, after = first[0].memory[name] >> 20, last[-1].memory[name] >> 20
        files = f"{samples[0].files[name]} to {samples[-1].files[name]} open files"
        print(f"  {name}: {before} to {after} MiB, {times:.3f} times; {files}")
    for role in ("web", "check", "worker"):
        print(
            f"  {role}: {1000 * cost(first, role):.1f} ms of processor for each "
            f"at first, {1000 * cost(last, role):.1f} ms at last"
        )
    print(f"  the same work took {slowness(samples):.3f} times as long at last")
    grown = (stored_bytes() - samples[0].stored) / (samples[-1].done - samples[0].done)
    most = max(s.temporary for s in samples)
    print(f"  {grown:.0f} bytes of database for each; temporary {most} bytes at most")
    for one in samples[:: max(1, len(samples) // 10)]:
        print(
            f"  after {one.done}: {sum(one.memory.values()) >> 20} MiB in all, "
            f"{one.stored >> 20} MiB stored"
        )
