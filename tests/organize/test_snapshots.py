"""Snapshots: what they hold, for good, where they are, and how they are checked."""

import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import (
    Notice,
    Participation,
    Phase,
    Snapshot,
    Task,
)
from leaderboard.teams.models import User
from tests.leaderboard.small import CANARY, both, scored, set_boards
from tests.organize.disclosing import revealed, salted, unrevealed
from tests.organize.sheets import (
    DECLARE,
    FREEZE,
    OVERVIEW,
    declare,
    two_sent,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=two_sent),
]
Login = Callable[[User], Client]
API = "/api/v1/tasks/otters/test"


def test_anybody_can_check_the_hash(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    page = declare(as_user(ada))["Location"]
    data = Client().get(f"{page}rows.json").content
    digest = hashlib.sha256(data).hexdigest()
    assert page.endswith(f"/{digest[:16]}/")
    assert digest in Client().get(page).content.decode()
    told = Client().get(f"/api/v1{page}").json()
    assert told["sha256"] == digest
    assert told["data"] == json.loads(data)
    # Written anew with the documented recipe, in another program's words.
    anew = json.dumps(
        told["data"], sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )
    assert hashlib.sha256(anew.encode()).hexdigest() == digest


def test_the_hash_survives_the_database() -> None:
    hard = {
        "b": [0.1, 1.0, 1e-7, 123456.789, -0.0, 1 / 3],
        "a": "zaun “ü” \u2028",
        "": 1,
    }
    plain = snapshots.plain(hard)
    phase = Phase()
    row = Snapshot(phase=phase, data=plain, sha256=snapshots.digest(plain))
    with connection.cursor() as cursor:
        kind = "jsonb" if connection.vendor == "postgresql" else "text"
        cursor.execute(f"SELECT CAST(%s AS {kind})", [json.dumps(row.data)])
        (found,) = cursor.fetchone()
    back = json.loads(found) if isinstance(found, str) else found
    assert snapshots.digest(back) == row.sha256


def test_a_snapshot_holds_only_what_the_public_sees(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    client = as_user(ada)
    unrevealed(phase, "blind")
    refused = client.post(FREEZE, {"title": "early"})
    assert refused.status_code == 422
    assert "The public sees no row" in refused.content.decode()
    salted(phase)
    unrevealed(phase, "best")
    page = client.post(FREEZE, {"title": "Half time"})["Location"]
    (board,) = Snapshot.objects.get().data["boards"]
    assert board["part"] == "public" and "publication" not in board
    assert not Snapshot.objects.get().final
    shown = Client().get(page).content.decode()
    assert "Half time" in shown and "kolibri" not in shown and CANARY not in shown
    phase.refresh_from_db()
    assert phase.declared_at is None
    assert not Notice.objects.filter(kind=Notice.Kind.RANKING).exists()


def test_a_frozen_board_is_frozen_as_of_its_freeze(
    phase: Phase,
    entry: Participation,
    sent: tuple[Submission, ...],
    ada: User,
    as_user: Login,
) -> None:
    since = timezone.now()
    scored(phase, entry, both(), system="later")
    unrevealed(phase, freeze_from=since)
    as_user(ada).post(FREEZE)
    (board,) = Snapshot.objects.get().data["boards"]
    assert [row["system"] for row in board["rows"]] == ["small", "large"]


def test_named_boards_are_frozen_too(
    task: Task, phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    set_boards(
        task,
        [
            {
                "name": "n",
                "title": "North only",
                "measures": ["uas"],
                "headline": "uas",
                "test_sets": ["north"],
            }
        ],
    )
    revealed(phase)
    page = declare(as_user(ada))["Location"]
    first, second = Snapshot.objects.get().data["boards"]
    assert (first["board"], second["board"]) == (None, "n")
    assert second["rows"] == Client().get(f"{API}/board/?board=n").json()["rows"]
    assert "North only" in Client().get(page).content.decode()


@pytest.mark.parametrize("start", ["0" * 16, "x" * 16, "0" * 64, "abc"])
def test_another_address_is_not_found(
    start: str, phase: Phase, sent: tuple[Submission, ...]
) -> None:
    for address in (
        f"/tasks/otters/test/snapshots/{start}/",
        f"/tasks/otters/test/snapshots/{start}/rows.json",
        f"{API}/snapshots/{start}/",
    ):
        assert Client().get(address).status_code == 404


def test_pages_ask_as_often_however_many_rows_and_snapshots(
    entry: Participation,
    sent: tuple[Submission, ...],
    ada: User,
    as_user: Login,
    django_assert_num_queries: Any,
) -> None:
    phase = revealed(sent[0].phase)
    client = as_user(ada)
    page = declare(client)["Location"]
    pages = (OVERVIEW, DECLARE, page, "/tasks/otters/test/snapshots/")
    asked = [_asked(client, address) for address in pages]
    soon = phase.closes - timedelta(minutes=5)
    for number in range(3):
        scored(phase, entry, both(), system=f"s{number}", arrived_at=soon)
    client.post(FREEZE)
    client.post(FREEZE)
    for address, number in zip(pages, asked, strict=True):
        _asked(client, address)  # fills what is kept in memory
        with django_assert_num_queries(number, info=address):
            client.get(address)


def _asked(client: Client, address: str) -> int:
    client.get(address)
    with CaptureQueriesContext(connection) as found:
        client.get(address)
    return len(found.captured_queries)


def test_no_page_of_this_tells_gold(
    phase: Phase, sent: tuple[Submission, ...], ada: User, ben: User, as_user: Login
) -> None:
    revealed(phase)
    page = declare(as_user(ada))["Location"]
    system = f"/submissions/{sent[0].pk}"
    public = (
        page,
        f"{page}rows.json",
        f"/api/v1{page}",
        f"{API}/snapshots/",
        "/tasks/otters/test/snapshots/",
        "/tasks/otters/log/",
        "/api/v1/tasks/otters/log/",
        f"{system}/system/",
        f"{system}/paper/",
        f"{system}/facts/",
        f"{system}/describe/",
    )
    organizing = (
        OVERVIEW,
        DECLARE,
        FREEZE,
        OVERVIEW,
        "/tasks/otters/organize/fact-sheet/",
        "/tasks/otters/organize/boards/",
        "/tasks/otters/organize/news/",
    )
    for client in (Client(), as_user(ben), as_user(ada)):
        for address in (*public, *organizing):
            assert CANARY.encode() not in client.get(address).content, address
