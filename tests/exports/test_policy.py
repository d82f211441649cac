"""What a phase withholds is in no export, badge, frame or feed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.exports.formats import all_formats
from leaderboard.submissions import admin_actions
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from tests.exports.answers import text_of
from tests.exports.conftest import two_sent
from tests.joined import joined
from tests.leaderboard.small import both, scored
from tests.organize.disclosing import revealed, salted, unrevealed

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage(then=two_sent)]
Login = Callable[[User], Client]
Sent = list[Submission]
HERE = "/tasks/otters/test"
OTHERS = tuple(page for pages in joined("PAGES") for page in pages)


def everything(client: Client) -> dict[str, Any]:
    exports = [f"{HERE}/board.{form}" for form in all_formats()]
    return {address: client.get(address) for address in (*exports, *OTHERS)}


def test_a_blind_phase_exports_nothing(
    phase: Phase, sent: Sent, ada: User, ben: User, as_user: Login
) -> None:
    unrevealed(phase, "blind")
    for client in (Client(), as_user(ben)):
        for address, answer in everything(client).items():
            assert answer.status_code == (200 if address in OTHERS else 404), address
            text = text_of(answer)
            assert not any(one in text for one in ("small", "large", "Bens", "93.7"))
        assert client.get(f"{HERE}/board/exports/").status_code == 404
    organizer = as_user(ada).get(f"{HERE}/board.csv")
    assert (organizer.status_code, organizer["Cache-Control"]) == (
        200,
        "private, no-store",
    )
    assert as_user(ada).get(f"{HERE}/board.csv?as=public").status_code == 404
    # What stands on other pages is the same for everybody.
    for address in OTHERS:
        assert "small" not in text_of(as_user(ada).get(address))
    revealed(phase)
    caches["at-hand"].clear()  # pages of a second ago
    assert all(
        "small" in text_of(a)
        for u, a in everything(Client()).items()
        if not u.endswith("bib")
    )


def test_before_the_reveal_exports_hold_the_public_part_alone(
    phase: Phase, sent: Sent
) -> None:
    salted(phase)
    unrevealed(phase)
    for form in all_formats():
        assert "0.9375" not in text_of(Client().get(f"{HERE}/board.{form}"))
        for part in ("private", "all"):
            hidden = Client().get(f"{HERE}/board.{form}?part={part}")
            assert hidden.status_code == 404


def test_who_was_disqualified_is_in_nothing(
    phase: Phase, sent: Sent, ada: User
) -> None:
    admin_actions.disqualify(sent[1], ada, "Gold.")
    for answer in everything(Client()).values():
        assert answer.status_code == 200
        assert not any(one in text_of(answer) for one in ("large", "Dans"))


def test_a_private_answer_is_in_no_export(sent: Sent) -> None:
    for answer in everything(Client()).values():
        assert "kolibri" not in text_of(answer)


def test_a_draft_is_exported_to_its_organizers_alone(
    task: Task, sent: Sent, ada: User, as_user: Login
) -> None:
    Task.objects.update(draft=True)
    for address, answer in everything(Client()).items():
        assert answer.status_code == (200 if address == "/feed/" else 404)
        assert "small" not in text_of(answer)
    shown = as_user(ada).get(f"{HERE}/board.csv")
    assert shown["Cache-Control"] == "private, no-store"


def test_more_submissions_take_no_more_queries(phase: Phase, sent: Sent) -> None:
    addresses = [f"{HERE}/board.json", *OTHERS]
    before = [asked(address) for address in addresses]
    entry = sent[0].participation
    for number in range(3):
        scored(phase, entry, both(), system=f"more {number}", facts={"size": 1})
    assert [asked(address) for address in addresses] == before


def asked(address: str) -> int:
    """Queries of a look: what was counted before is stored, and no page is known."""
    Client().get(address)
    caches["at-hand"].clear()
    with CaptureQueriesContext(connection) as queries:
        assert Client().get(address).status_code == 200
    return len(queries)


def test_a_board_of_the_past_can_be_taken_too(phase: Phase, sent: Sent) -> None:
    early = (timezone.now() - timedelta(days=2)).date().isoformat()
    text = Client().get(f"{HERE}/board.csv?at={early}").content.decode()
    assert "small" not in text and text.count("\n") == 1
