"""One ordinary account tries to slow the site down in many ways, and somebody else.

Times are compared with those beside as many requests for a plain page, so that neither
the machine nor what else runs on it decides.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any
from uuid import uuid4

import httpx
import pytest

from leaderboard.extras.judging.models import Campaign, Vote
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zip_files
from tests.board_worker import board_worker
from tests.campaigns.site import TOKEN, brokerless_worker, cookies_of, web_server
from tests.extras.code.test_code_before_programs import code, code_bundle
from tests.extras.judging.campaigns import campaign_of, hidden, people_task, system
from tests.leaderboard.small import both, bundle, perfect, scored
from tests.marks import sample

pytestmark = [pytest.mark.thorough, pytest.mark.databases("locks", by_day="sqlite")]

AT_ONCE = 6
LOOKS = 3
# A page or check beside a flood takes so much longer than beside plain pages, and where
# these take longer already, because the machine is busy, twice as long.
MORE_SECONDS = 2.0
ANSWERS = {200, 302, 400, 413, 414, 422, 429, 503}  # done, or refused with a reason
PLAIN = "/?state=over"
HERE = "/tasks/otters/test"
OWN = "/tasks/seals"
TABLE = "|" + "a|" * 1000 + "\n|" + "-|" * 1000 + "\n" + "a\n" * 66
LARGE = perfect("north") * 20_000
JUDGING = "/judging/the-link-of-the-campaign/"
BUSY = code("while True: pass\n")
EVERY_SYSTEM = "&".join(f"system=otter%20{number}" for number in range(8))
Way = Callable[[httpx.Client], httpx.Response]


def asked(address: str) -> Way:
    return lambda client: client.get(address)


def sent(address: str, fields: dict[str, str], **files: bytes) -> Way:
    given = {
        name: (f"{name}.{'zip' if data[:2] == b'PK' else 'conllu'}", data)
        for name, data in files.items()
    }
    return lambda client: client.post(
        address, data={"csrfmiddlewaretoken": TOKEN, **fields}, files=given or None
    )


def large_bundle() -> bytes:
    files = {**bundle(slug="whales").files, "gold/north.conllu": LARGE}
    files["description.md"] = (TABLE * 12).encode()
    return zip_files("bundle.zip", files).single()


def new_test_set(client: httpx.Client) -> httpx.Response:
    name = f"more-{uuid4().hex[:8]}"
    fields = {"title": name, "name": name, "position": "7", "weight": "1"}
    return sent(f"{OWN}/organize/test-sets/", fields, gold=LARGE)(client)


def vote(client: httpx.Client) -> httpx.Response:
    """A vote on whatever is shown, or the beginning of judging."""
    page = client.get(JUDGING).text
    fields = {name: hidden(page, name) for name in ("assignment", "key", "shown")}
    return sent(JUDGING, {**fields, "choice": "left"} if fields["key"] else {})(client)


def upload_of_code(client: httpx.Client) -> httpx.Response:
    fields = {"system": "busy", "key": uuid4().hex}
    return sent("/tasks/answers/test/submit/", fields, file_only=BUSY)(client)


def deep_json(client: httpx.Client) -> httpx.Response:
    return client.post(
        "/api/v1/judging/the-link-of-the-campaign/",
        content=b'{"a":' * 200_000,
        headers={"Content-Type": "application/json", "X-CSRFToken": TOKEN},
    )


def check_alone(client: httpx.Client) -> httpx.Response:
    fields = {"system": "s", "key": uuid4().hex, "only": "check"}
    return sent(f"{HERE}/submit/", fields, file_north=LARGE)(client)


WAYS: dict[str, Way] = {
    "Markdown": sent(
        f"{OWN}/organize/edit/", {"title": "Seals", "description": TABLE * 12}
    ),
    "bundles": sent("/tasks/new/", {}, bundle=large_bundle()),
    "gold": new_test_set,
    "uploads": sent(
        f"{HERE}/submit/", {"system": "s", "key": "k" * 32}, file_north=LARGE
    ),
    "invitations": sent(
        f"{OWN}/organize/organizers/",
        {"email": "otter@example.org", "role": "owner"},
    ),
    "searches": asked("/?q=" + "a%20" * 500),
    "search of a board": asked(f"{HERE}/board/?search={'x' * 2000}"),
    "exports": asked(f"{HERE}/board.csv?everything=1&intervals=1"),
    "archives": asked(f"{OWN}/organize/archive/"),
    "kits": asked(f"{HERE}/paper-kit.zip"),
    "votes": vote,
    "long names": sent(f"{HERE}/submit/", {"system": "n" * 2_000_000, "key": "k" * 32}),
    "long addresses": asked("/?" + "q=a&" * 10_000),
    "deep JSON": deep_json,
    "checks": check_alone,
    "comparisons": asked(f"{HERE}/compare/?entries=all&{EVERY_SYSTEM}"),
    "feeds": asked("/tasks/otters/feed/"),
    "search of the handbook": asked("/docs/search/?q=" + "a*b?%20" * 300),
    "charts": asked(f"{HERE}/chart.svg?kind=ranks"),
    "code": upload_of_code,  # the last: it runs on for a while
}


@contextmanager
def flood(port: int, cookies: str, way: Way) -> Iterator[list[int]]:
    """So many requests at once, each sent again when it is answered; their answers."""
    over, found = threading.Event(), list[int]()

    def again() -> None:
        with browser(port, cookies) as client:
            while not over.is_set():
                found.append(way(client).status_code)

    threads = [threading.Thread(target=again) for _ in range(AT_ONCE)]
    for thread in threads:
        thread.start()
    try:
        yield found
    finally:
        over.set()
        for thread in threads:
            thread.join()


def browser(port: int, cookies: str) -> httpx.Client:
    base = f"http://127.0.0.1:{port}"
    headers = {"Cookie": cookies, "Referer": base}
    return httpx.Client(base_url=base, headers=headers, timeout=120)


def seconds_beside(port: int, cookies: str) -> tuple[float, float]:
    """The middle of some looks at a board, and of some checks of a file."""
    files = {f"file_{name}": (name, data) for name, data in both().items()}
    pages, checks = [], []
    with browser(port, cookies) as client:
        for _ in range(LOOKS):
            start = time.monotonic()
            assert client.get(f"{HERE}/board/").status_code == 200
            pages.append(time.monotonic() - start)
            fields = {"system": "b", "key": uuid4().hex, "only": "check"}
            start = time.monotonic()
            answer = client.post(
                f"{HERE}/submit/",
                data={"csrfmiddlewaretoken": TOKEN, **fields},
                files=files,
            )
            assert answer.status_code == 200
            checks.append(time.monotonic() - start)
    return median(pages), median(checks)


@pytest.fixture
def people(open_phase: Phase, settings: Any) -> tuple[str, str]:
    """Cookies of somebody who takes part, and of an account that would slow us down."""
    ada = User.objects.get()
    ben = User.objects.create_user("ben@example.org", "x")
    mallory = User.objects.create_user("mallory@example.org", "x")
    entry = join(open_phase.task, Team.found("Bens", ben))
    join(open_phase.task, Team.found("Mallories", mallory))
    for number in range(8):
        scored(open_phase, entry, both(), system=f"otter {number}")
    own: Task = create_task(bundle(slug="seals"), mallory)
    Task.objects.filter(pk=own.pk).update(draft=True)
    settings.PROGRAMS = "everyone"
    join(create_task(code_bundle(), ada), mallory.teams.get())
    judged = people_task(ada)
    for quality in range(4):
        author = User.objects.create_user(f"author{quality}@example.org", "x")
        system(judged, author, quality, f"Authors {quality}")
    campaign_of(judged, access="signed_in")
    Campaign.objects.update(token=JUDGING.split("/")[2])
    Phase.objects.update(daily_limit=None)
    return cookies_of(ben), cookies_of(mallory)


@pytest.fixture
def port(people: tuple[str, str]) -> Iterator[int]:
    allowed = {"PLUMBLINE_PROGRAMS": "everyone"}
    with (
        web_server(PLUMBLINE_WEB_PROCESSES="1", **allowed) as port,
        brokerless_worker(**allowed),
        board_worker(),
    ):
        yield port


@pytest.mark.sampled(7)
def test_an_account_slows_nobody_down(
    people: tuple[str, str], port: int, share: int
) -> None:
    ben, mallory = people
    seconds_beside(port, ben)  # what a process loads at first
    alone = seconds_beside(port, ben)
    print(f"alone: {alone[0]:.2f} s, {alone[1]:.2f} s")
    with flood(port, mallory, asked(PLAIN)):
        plain = seconds_beside(port, ben)
    print(f"plain pages: {plain[0]:.2f} s, {plain[1]:.2f} s")
    slow = {}
    chosen = sample(WAYS, share) | {"votes", "code"}  # which leave rows
    for name in filter(chosen.__contains__, WAYS):
        way = WAYS[name]
        with flood(port, mallory, way) as answers:
            seconds = seconds_beside(port, ben)
        print(f"{name}: {seconds[0]:.2f} s, {seconds[1]:.2f} s, {Counter(answers)}")
        allowed = [usual + max(MORE_SECONDS, usual) for usual in plain]
        assert answers and set(answers) <= ANSWERS, (name, set(answers))
        if any(took > most for took, most in zip(seconds, allowed, strict=True)):
            slow[name] = seconds
    assert slow == {}
    assert Vote.objects.exists()
    of_code = Evaluation.objects.filter(submission__phase__task__slug="answers")
    assert of_code.exclude(state=EvaluationState.QUEUED).exists()
