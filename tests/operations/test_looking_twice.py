"""Every page at the second look, and after others looked: the same as seen alone.

Two web servers run on one Redis, as on a grown site. What a page is to be is what its
reader gets while nothing is cached.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest
import redis
import requests
from django.conf import settings

from tests.board_worker import board_worker
from tests.conftest import _environment
from tests.leaderboard.small import Inline
from tests.many import Servers
from tests.organize.crawling import RELEASED, TYPED
from tests.organize.matrix import MATRIX
from tests.organize.matrix_access import Target
from tests.organize.matrix_asking import package_addresses, targets
from tests.organize.matrix_world import World, build
from tests.organize.routes import Route
from tests.waiting import wait_until

pytestmark = pytest.mark.broker
TASKS_ROLES = ("anonymous", "participant", "rival", "owner")
ROLES = (*TASKS_ROLES, "administrator")
# What takes a second to make: one who sees less opens it, and one who sees more.
SLOW_FILES = {"chart-pdf", "kit", "paper-kit"}
BOARD = "/tasks/otters/test/board/"
# Who may open what packages bring along; addresses lead elsewhere where nothing is.
PACKAGES = {
    "admin/": ("administrator",),
    "accounts/": ("anonymous", "participant", "rival"),
}
# What tells of the very requests that are made here.
UNLIKE = {"metrics", "queue", "readyz"}
NONCES = (
    re.compile(r'name="csrfmiddlewaretoken" value="[^"]*"'),
    re.compile(r'name="key" value="[^"]*"'),  # by which a form is sent once
    re.compile(r"/invitations/[^/\s]+/"),  # signed at this second
    re.compile(r'value="\d\d:\d\d:\d\d"'),  # what the clock says
)
# Headers by which readers and their browsers decide what to do with an answer.
HEADERS = ("Location", "Content-Type", "Content-Disposition", "Cache-Control", "Vary")
PARTIAL = {"HX-Request": "true"}


class Page(NamedTuple):
    """An address, the name of its route, and who may open it."""

    address: str
    route: str
    roles: tuple[str, ...]
    partial: bool = False  # what a script fetches of it


class Answer(NamedTuple):
    status: int
    headers: tuple[str | None, ...]
    body: bytes


@dataclass
class Readers:
    """Readers of a running site, by role; `first` is what each saw alone."""

    url: str
    store: redis.Redis
    sessions: dict[str, requests.Session]
    first: dict[tuple[str, Page], Answer] = field(default_factory=dict)

    def ask(self, role: str, page: Page) -> Answer:
        # What the page before left to be said is said once.
        self.sessions[role].cookies.pop("messages", None)
        (got,) = wait_until(lambda: self._computed(role, page))
        headers = tuple(got.headers.get(name) for name in HEADERS)
        if page.route in UNLIKE:
            return Answer(got.status_code, headers, b"")
        return Answer(got.status_code, headers, plain(got.content))

    def _computed(self, role: str, page: Page) -> list[requests.Response]:
        """The answer; none while a board is being computed."""
        got = self.sessions[role].get(
            f"{self.url}{page.address}",
            headers=PARTIAL if page.partial else {},
            allow_redirects=False,
            timeout=60,
        )
        waits = "Refresh" in got.headers or "HX-Redirect" in got.headers
        return [] if waits else [got]

    def alone(self, role: str, page: Page) -> None:
        """Look while Redis caches nothing."""
        self.store.flushdb()
        self.first[role, page] = self.ask(role, page)

    def compared(self, role: str, page: Page, when: str) -> Iterator[str]:
        """The difference between two answers, as a sentence."""
        alone, now = self.first[role, page], self.ask(role, page)
        if now.status >= 500 and page.route != "readyz":
            yield f"{page.address} is {now.status} to {role} {when}"
        elif now != alone:
            yield f"{page.address} differs for {role} {when}: {difference(alone, now)}"


def plain(body: bytes) -> bytes:
    """Without what is drawn anew for every answer."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return body
    for nonce in NONCES:
        text = nonce.sub("", text)
    return text.encode()


def difference(one: Answer, other: Answer) -> str:
    """The first line that differs, or what else does."""
    if one[:2] != other[:2]:
        return f"{one[:2]} and {other[:2]}"
    lines = zip(one.body.splitlines(), other.body.splitlines(), strict=False)
    odd = next((pair for pair in lines if pair[0] != pair[1]), None)
    return " and ".join(map(str, odd)) if odd else "one is longer"


@pytest.fixture
def world(transactional_db: None) -> World:
    with Inline():
        return build()


@pytest.fixture
def boards(world: World) -> Iterator[None]:
    with board_worker():
        yield


@pytest.fixture
def readers(world: World, boards: None) -> Iterator[Readers]:
    servers = Servers(_environment("tests.many_settings"))
    sessions = {role: requests.Session() for role in ROLES}
    for role, session in sessions.items():
        for name, morsel in world.clients[role].cookies.items():
            session.cookies.set(name, morsel.value)
    with redis.Redis.from_url(settings.CACHE_URL) as store:
        yield Readers(str(servers), store, sessions)
    for session in sessions.values():
        session.close()
    servers.stop()


def pages(world: World) -> Iterator[Page]:
    """Every object of the task that each route can be asked for."""
    for name, route in MATRIX.items():
        for target in targets(name, route, world, ("otters",)):
            roles = tuple(roles_at(name, route, target))
            if roles and route.get != 405:
                yield Page(target.address, name, roles)
    yield from (Page(f"{BOARD}?{typed}", "board", TASKS_ROLES) for typed in TYPED)
    for start, roles in PACKAGES.items():
        for address in package_addresses(start):
            yield Page(address, start, roles)


def roles_at(name: str, route: Route, target: Target) -> list[str]:
    """Who may open it; of pages of a task the administrator gets the owner's."""
    rule = route.reading or route.access
    roles = [role for role in ROLES if rule.lets_in(role, target)]
    if name in SLOW_FILES or target.address.startswith(RELEASED):
        return [role for role in roles if role in ("anonymous", "owner")]
    return roles[:-1] if target.slug and "owner" in roles else roles


def test_every_page_is_the_same_at_the_second_look_and_after_others(
    world: World, readers: Readers
) -> None:
    """Of all routes together, as two servers and a world take seconds to make."""
    wrong: list[str] = []
    for page in dict.fromkeys(pages(world)):
        wrong += looks(readers, page)
        if "HX-Request" in (readers.first[page.roles[0], page].headers[-1] or ""):
            wrong += looks(readers, page._replace(partial=True))
    assert not wrong, "\n".join(wrong)
    statuses = {(page.route, one.status) for (_, page), one in readers.first.items()}
    opened = {(name, route.get) for name, route in MATRIX.items() if route.get != 405}
    assert opened <= statuses, "routes that nobody of these roles could open"
    assert "You: rank 1 of" in board_of(readers, "participant")
    assert "You: rank 2 of" in board_of(readers, "rival")


def looks(readers: Readers, page: Page) -> Iterable[str]:
    """Faults when each looks again after all others."""
    for role in page.roles:
        readers.alone(role, page)
        if (status := readers.first[role, page].status) >= 500:
            yield f"{page.address} is {status} to {role} at the first look"
    for role in page.roles:
        yield from readers.compared(role, page, "at the second look")


def board_of(readers: Readers, role: str) -> str:
    return readers.first[role, Page(BOARD, "board", TASKS_ROLES)].body.decode()
