"""Connections that are silent or slow leave the site answering everybody else."""

import asyncio
import math
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.campaigns.browsers import Answer, Request, post
from tests.campaigns.floods import (
    Flood,
    Seen,
    Target,
    flooded,
    polls,
    silent,
    slow,
    stalled,
)
from tests.campaigns.site import web_server
from tests.operations.proxies import NAME, Proxy, require, started_proxy
from tests.waiting import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def alone(emptied: None) -> Iterator[int]:
    with web_server() as port:
        yield port


@dataclass(frozen=True)
class Polls:
    """How often, how many seconds apart, within how many, and which part must be.

    The short one is for machines that are busy with other tests.
    """

    number: int
    every: float
    patience: float
    part: float
    sizes: tuple[int, ...]
    kinds: tuple[Callable[[int], Flood], ...]


@pytest.fixture(
    params=[
        pytest.param(Polls(20, 0.05, 6.0, 0.7, (300,), (silent, stalled)), id="short"),
        pytest.param(
            Polls(100, 0.1, 1.0, 0.99, (10, 50, 100, 500), (silent, slow, stalled)),
            id="full",
            marks=pytest.mark.campaign,
        ),
    ]
)
def asked(request: pytest.FixtureRequest) -> Polls:
    found: Polls = request.param
    return found


def stands(seen: Seen, size: int) -> bool:
    return seen.standing >= size


def holds(target: Target, asked: Polls) -> None:
    """Beside every flood."""
    found = {}
    for flood in [kind(size) for kind in asked.kinds for size in asked.sizes]:
        with flooded(flood, target) as seen:
            most = int(0.9 * flood.size)
            wait_until(partial(stands, seen, most), 60, "a flood")
            took = polls(asked.number, asked.every, asked.patience, target)
        inside = [one for one in took if one < math.inf]
        name = f"{flood.size} of {flood.length} bytes, {len(flood.at_once)} at once"
        found[name] = len(inside) / asked.number
        print(
            f"{name}: {len(inside)} of {asked.number} polls in time, slowest "
            f"{max(inside, default=0):.2f} s, load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
    assert min(found.values()) >= asked.part, found


def answered(port: int, asked: Request) -> Answer:
    """In a thread that has no loop yet: a browser of other tests may have one here."""
    with ThreadPoolExecutor(1) as apart:
        return apart.submit(lambda: asyncio.run(post(port, asked))).result()


def test_a_server_without_a_proxy_answers_beside_them(alone: int, asked: Polls) -> None:
    holds(Target(alone), asked)


def test_one_address_leaves_room_for_uploads_of_others(alone: int) -> None:
    target = Target(alone)
    form = Request("/accounts/login/", "", {"login": "x"}, {"file": b"x" * 200_000})
    with flooded(stalled(500, sources=1), target) as seen:
        wait_until(lambda: b"HTTP/1.1 503" in seen.answers, 60, "some are refused")
        answers = [answered(alone, form) for _ in range(4)]
    assert {answer.status for answer in answers} <= {200, 403}
    assert max(answer.seconds for answer in answers) < 20


def test_a_slow_form_is_stamped_when_it_began_and_holds_no_thread(alone: int) -> None:
    """It is whole before the site hears of it, however many come as slowly."""
    form = Request("/accounts/login/", "", {"login": "x" * 200}, {}, rate=100)
    with flooded(stalled(500), Target(alone)) as seen:
        wait_until(lambda: seen.standing >= 450, 60, "a flood")
        answer = answered(alone, form)
    assert answer.status == 403, "it has no token, which is known only in the end"
    assert answer.ended - answer.sent < 10


@pytest.mark.campaign
def test_a_request_that_does_not_move_is_ended(alone: int) -> None:
    for flood in (slow(20), stalled(20)):
        with flooded(flood, Target(alone)) as seen:
            wait_until(lambda: seen.answers, 120, "it is told")
        assert all(answer.startswith(b"HTTP/1.1 4") for answer in seen.answers)


@pytest.mark.parametrize("proxy", Proxy)
def test_a_site_behind_its_proxy_answers_beside_them(
    proxy: Proxy, public_server: int, tmp_path: Path, asked: Polls
) -> None:
    require(proxy)
    host = NAME if proxy is Proxy.NGINX else "localhost"
    with started_proxy(proxy, public_server, tmp_path) as (url, _plain):
        holds(Target(int(url.rpartition(":")[2]), host, tls=True), asked)
