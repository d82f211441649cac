"""What is not for everybody is on no page, fragment, route, mail, log or error."""

import json
import logging
from base64 import b64decode
from collections.abc import Iterator
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.celery import LIGHT
from leaderboard.mail import outbox
from leaderboard.submissions import dispatch
from leaderboard.submissions.models import Evaluation
from tests.cast import built_once
from tests.organize.canaries import (
    CANARIES,
    HEADS,
    OPERATORS,
    OWN,
    Aviary,
    build,
    canaries_in,
    guess,
)
from tests.organize.crawling import Crawl, starts

# Parameters are tried by one visitor from without and by one from within.
CURIOUS = ("anonymous", "participant")


pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[Aviary]:
    with built_once(django_db_blocker):
        yield build()


@pytest.fixture
def site(built: Aviary, db: None) -> Aviary:
    return built


def visitor(site: Aviary, role: str) -> Client:
    client, user = Client(), site.people[role]
    if user is not None:
        client.force_login(user)
    return client


@pytest.mark.parametrize("role", ["anonymous", "stranger", "participant", "rival"])
def test_no_address_shows_a_canary(site: Aviary, role: str) -> None:
    crawl = Crawl(visitor(site, role), role in CURIOUS, role == "anonymous")
    crawl.open(starts(site, role))
    found = {k: v[:5] for k, v in crawl.found.items() if k not in OWN.get(role, ())}
    assert found == {}


def test_the_same_crawl_shows_the_organizer_every_canary(site: Aviary) -> None:
    crawl = Crawl(visitor(site, "owner"), curious=False).open(starts(site, "owner"))
    assert set(CANARIES) - set(crawl.found) == set(OPERATORS)


BROKEN = {
    "empty": b"",
    "no table": b"nothing of the kind",
    "no text": b"\xff\xfe\x00kite",
    "one sentence": guess(HEADS[:4]),
    "other words": guess(HEADS).replace(b"otter", b"badger"),
    "no number": guess(HEADS).replace(b"\t0\t", b"\tx\t"),
    "two roots": guess((0, 0, 0, 0, 0, 0, 0, 0)),
    "no zip": b"PK\x03\x04 and nothing",
}


def test_no_refusal_of_a_broken_file_shows_a_canary(
    site: Aviary, caplog: pytest.LogCaptureFixture
) -> None:
    crawl = Crawl(visitor(site, "participant"))
    with caplog.at_level(logging.DEBUG):
        for phase, data in product(("test", "dark", "half"), BROKEN.values()):
            for address in (
                f"/tasks/otters/{phase}/submit/",
                f"/api/v1/tasks/otters/{phase}/submissions/",
            ):
                fields = {"system": "broken", "key": str(uuid4()), "fact_cost": "1"}
                name = "file_west" if phase == "dark" else "file_north"
                fields[name] = SimpleUploadedFile("north.conllu", data)
                answer = crawl.client.post(address, fields)
                assert answer.status_code != 404
                crawl.note(address, answer)
        crawl.note("/nowhere/", crawl.client.get("/nowhere/?q=1"))
    assert crawl.found == {}
    assert {422, 404} <= set(crawl.statuses)
    assert canaries_in(told(caplog)) == set()


def told(caplog: pytest.LogCaptureFixture) -> str:
    """All that was logged, without the statements that only a debugger logs."""
    records = [r for r in caplog.records if r.name != "django.db.backends"]
    assert records
    return "\n".join(str((r.getMessage(), r.exc_text)) for r in records)


def test_mail_goes_to_those_it_is_for(site: Aviary) -> None:
    with_letters = {
        "waits@example.org": {"letter", "subject"},
        "fox@example.org": {"reason", "reason of one"},
    }
    outbox.send()
    assert mail.outbox
    seen: dict[str, set[str]] = {}
    for message in mail.outbox:
        (reader,) = message.to
        text = f"{message.subject}\n{message.body}"
        seen[reader] = seen.get(reader, set()) | canaries_in(text)
    assert {reader: names for reader, names in seen.items() if names} == with_letters


@pytest.mark.broker
def test_hints_are_numbers(site: Aviary, redis_url: str) -> None:
    link = redis.Redis.from_url(redis_url)
    link.flushall()
    Evaluation.objects.update(state="queued", published_at=None)
    assert dispatch.hint(Evaluation.objects.latest("pk").pk)
    kept = [link.dump(key) or b"" for key in link.scan_iter()]
    bodies = [b64decode(json.loads(one)["body"]) for one in link.lrange(LIGHT, 0, 9)]
    text = b"\n".join((*kept, *bodies)).decode(errors="replace")
    assert bodies and canaries_in(text) == set()
    link.flushall()
