"""100 uploads in flight from 20 programs, through gunicorn: none gets a 5xx."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import count

import pytest

from leaderboard.api import tokens
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.invariants import violations
from tests.campaigns.site import web_server
from tests.campaigns.test_deadline_rush import p95, treebank
from tests.leaderboard.small import bundle

pytestmark = pytest.mark.databases("locks")

URL = "/api/v1/tasks/otters/test/submissions/"
CLIENTS = 20
MOST_P95 = 60.0  # seconds, beside other programs too
REPEATED = 5  # every fifth request is sent again under its key
Answers = list[tuple[Request, Answer]]


@dataclass(frozen=True)
class Load:
    """`each` client has so many places in which `rounds` requests follow each other."""

    each: int
    rounds: int
    sentences: int


@pytest.fixture(
    params=[
        pytest.param(Load(2, 1, 2), id="short"),
        pytest.param(Load(5, 6, 3250), id="full", marks=pytest.mark.campaign),
    ]
)
def load(request: pytest.FixtureRequest) -> Load:
    return request.param


@pytest.fixture
def loaded_phase(load: Load, transactional_db: None) -> Phase:
    """Every team has exactly the attempts it needs."""
    files = dict(bundle().files)
    files["gold/north.conllu"] = treebank(load.sentences)
    ada = User.objects.create_user("ada@example.org", "x")
    phase = create_task(type(bundle())("otters", files), ada).phases.get()
    phase.daily_limit = load.each * load.rounds
    phase.save()
    return phase


@dataclass
class Gauge:
    """How many requests are under way, and were at most."""

    now: int = 0
    most: int = 0
    answers: Answers = field(default_factory=list)

    async def post(self, port: int, request: Request) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        answer = await post(port, request)
        self.now -= 1
        self.answers.append((request, answer))


def programs(phase: Phase) -> Iterator[dict[str, str]]:
    """Headers of a member of each team."""
    for number in range(CLIENTS):
        user = User.objects.create_user(f"member{number}@example.org", "x")
        join(phase.task, Team.found(f"Team {number}", user))
        _token, text = tokens.make(user, "load", ("submit",))
        yield {"Authorization": f"Bearer {text}"}


def planned(load: Load, phase: Phase) -> Iterator[list[Request]]:
    """Uploads that are sent one after the other in each of the places."""
    names = count()
    for headers in programs(phase):
        for _ in range(load.each):
            numbers = [next(names) for _ in range(load.rounds)]
            yield [one(load, headers, number) for number in numbers]


def one(load: Load, headers: dict[str, str], number: int) -> Request:
    files = {"file_north": treebank(load.sentences, number % load.sentences)}
    more = {**headers, "Idempotency-Key": f"key of {number}"}
    return Request(URL, "", {"system": str(number)}, files, more=more)


async def send_all(port: int, places: list[list[Request]], gauge: Gauge) -> None:
    async def in_turn(requests: list[Request]) -> None:
        for request in requests:
            await gauge.post(port, request)
            if int(request.fields["system"]) % REPEATED == 0:
                await gauge.post(port, request)

    await asyncio.gather(*map(in_turn, places))


def test_a_hundred_uploads_in_flight_are_all_accepted(
    load: Load, loaded_phase: Phase
) -> None:
    places, gauge = list(planned(load, loaded_phase)), Gauge()
    with web_server() as port, ThreadPoolExecutor(1) as apart:
        # A thread of its own: a browser of other tests has a loop in this one.
        apart.submit(lambda: asyncio.run(send_all(port, places, gauge))).result()
    statuses = Counter(answer.status for _, answer in gauge.answers)
    took = sorted(answer.seconds for _, answer in gauge.answers)
    print(
        f"in flight: {gauge.most} at most, {dict(statuses)}, p50 "
        f"{took[len(took) // 2]:.2f} s, p95 {p95(took):.2f} s, slowest {took[-1]:.2f} s"
    )
    assert gauge.most == CLIENTS * load.each
    assert statuses.keys() == {201}
    assert p95(took) <= MOST_P95
    each_is_stored_once(load, gauge.answers)


def each_is_stored_once(load: Load, answers: Answers) -> None:
    """A repeated request got the submission of the first, and was not charged again."""
    ids = {request.fields["system"]: set() for request, _ in answers}
    for request, answer in answers:
        ids[request.fields["system"]].add(answer.submission)
    size = CLIENTS * load.each * load.rounds
    assert len(answers) == size + size // REPEATED
    assert {len(found) for found in ids.values()} == {1}
    assert Submission.objects.count() == size
    assert violations([one for found in ids.values() for one in found]) == []
    charged = QuotaCounter.objects.filter(kind="scored", person=None)
    assert set(charged.values_list("used", flat=True)) == {load.each * load.rounds}
