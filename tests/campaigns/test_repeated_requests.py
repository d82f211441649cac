"""A POST with an Idempotency-Key dies anywhere: repeated at once, it is done once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import QuerySet
from django.test import Client

from leaderboard.api import idempotency
from leaderboard.api.models import KeptAnswer
from leaderboard.api.views import base
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.tasks.models import GoldRevision, Phase, Task
from leaderboard.teams.models import Team, User
from scoring.formats.bundle import zip_files
from tests.campaigns.test_crash_points import killed_at
from tests.extras.judgements.judged import long_table
from tests.extras.judging.test_at_once import at_once
from tests.leaderboard.channels import bearer
from tests.leaderboard.judged import entry_of, judged_task, sent
from tests.leaderboard.small import bundle, one_wrong

pytestmark = [
    pytest.mark.usefixtures("no_queue", "sandbox_inline"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.databases("locks"),
]
PLACES: dict[str, tuple[object, str]] = {
    "after the check": (idempotency, "_done"),
    "after the work, before it is answered": (base.Endpoint, "serialize"),
    "before the answer is kept": (idempotency, "_keep"),
    "after the commit, before the answer is sent": (base.Endpoint, "finalize_response"),
}


@dataclass(frozen=True)
class Asked:
    """A request of a person, and the rows that it makes, one of them."""

    address: str
    fields: Callable[[], dict[str, Any]]
    user: User
    rows: QuerySet[Any]

    def send(self) -> Any:
        client: Client = bearer(self.user, "submit", "organize")
        key = {"Idempotency-Key": "k"}
        return client.post(self.address, self.fields(), headers=key)


def file_of(name: str, data: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


@pytest.fixture(params=["a team joins", "a bundle", "gold", "judgements"])
def asked(
    request: pytest.FixtureRequest, phase: Phase, ada: User, ben: User, cy: User
) -> Asked:
    if request.param == "a team joins":
        rows: QuerySet[Any] = Team.objects.filter(name="Cys")
        address = "/api/v1/tasks/otters/team/"
        return Asked(address, lambda: {"name": "Cys"}, cy, rows)
    if request.param == "a bundle":
        data = zip_files("bundle.zip", bundle(slug="seals").files).single()
        rows = Task.objects.filter(slug="seals")
        return Asked(
            "/api/v1/tasks/", lambda: {"bundle": file_of("b.zip", data)}, ada, rows
        )
    if request.param == "gold":
        rows = GoldRevision.objects.filter(preparing=True)
        address = "/api/v1/tasks/otters/gold-revisions/"
        fields = lambda: {"file_north": file_of("north.conllu", one_wrong())}  # noqa: E731
        return Asked(address, fields, ada, rows)
    task = judged_task(ada)
    one = sent(task, entry_of(task, ben))
    text = long_table({one: 0.5}).encode()
    rows = JudgementTable.objects.all()
    address = "/api/v1/tasks/judged/test/judgements/"
    return Asked(address, lambda: {"table": file_of("t.csv", text)}, ada, rows)


@pytest.mark.parametrize("place", PLACES)
def test_a_request_that_was_killed_is_done_once_when_it_comes_again(
    place: str, asked: Asked
) -> None:
    killed_at(PLACES[place], asked.send)
    done = place.startswith("after the commit")
    assert asked.rows.count() == KeptAnswer.objects.count() == int(done)
    again = asked.send()
    assert again.status_code in (200, 201), again.content
    assert ("Idempotent-Replayed" in again) == done
    once_more = asked.send()
    assert once_more["Idempotent-Replayed"] == "true"
    assert once_more.json() == again.json()
    assert asked.rows.count() == 1


def test_of_several_at_once_all_have_the_answer_of_the_first(asked: Asked) -> None:
    """But for one that found the queue of the sandbox full: it may come again."""
    answers = at_once(*[asked.send] * 3)
    done = [answer for answer in answers if answer.status_code != 503]
    assert sum("Idempotent-Replayed" not in answer for answer in done) == 1
    known = [answer.json() for answer in (*done, asked.send())]
    assert all(one == known[0] for one in known) and asked.rows.count() == 1
