"""Corrected gold is as secret as the first: on no page of others, in no log."""

import logging

import pytest
from django.conf import LazySettings
from django.test import Client

from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import CANARY, HEADS, RELATIONS, conllu, scored
from tests.organize.gold_changes import score_all
from tests.organize.test_gold_pages import GOLD, Login, addresses, sent

pytestmark = [pytest.mark.usefixtures("no_queue"), pytest.mark.django_db]
# The relation of the last word of both files changes too, to another canary.
SECOND_CANARY = "zweitvogel"
CORRECTED = conllu(HEADS["north"], (*RELATIONS[:-1], SECOND_CANARY)).encode()
GUESS = tuple("dobj" if r == CANARY else r for r in RELATIONS)
FILES = {name: conllu(heads, GUESS).encode() for name, heads in HEADS.items()}


@pytest.fixture(autouse=True)
def in_the_sandbox(settings: LazySettings) -> None:
    """Its messages and its log could hold gold as well."""
    settings.SANDBOX_INLINE = False


@pytest.fixture
def readers(ada: User, ben: User, as_user: Login) -> dict[str, Client]:
    return {"anybody": Client(), "ada": as_user(ada), "ben": as_user(ben)}


def test_nobody_else_sees_the_corrected_gold_and_no_log_holds_it(
    phase: Phase,
    entry: Participation,
    readers: dict[str, Client],
    caplog: pytest.LogCaptureFixture,
) -> None:
    organizer = readers["ada"]
    kept = scored(phase, entry, FILES)
    with caplog.at_level(logging.DEBUG):
        organizer.post(f"{GOLD}new/", sent(CORRECTED, public_note="One label."))
        broken = CORRECTED.replace(b"\t0\t", b"\tx\t")
        organizer.post(f"{GOLD}2/discard/")
        organizer.post(f"{GOLD}new/", sent(broken))
        organizer.post(f"{GOLD}new/", sent(CORRECTED, public_note="One label."))
        score_all()
        organizer.post(f"{GOLD}3/live/", {"public_note": "One label."})
    assert Phase.objects.get().gold_revision.number == 3
    told = [r for r in caplog.records if r.name != "django.db.backends"]
    assert not [r for r in told if SECOND_CANARY in r.getMessage()]
    for reader in (readers["anybody"], readers["ben"]):
        for address in (
            "/tasks/otters/",
            "/tasks/otters/test/board/",
            "/tasks/otters/test/board/?revision=1",
            "/tasks/otters/test/board/?revision=2",
            "/tasks/otters/test/board/?slice=genre:x",
            "/api/v1/tasks/otters/test/board/",
            f"/submissions/{kept.pk}/",
            f"/api/v1/submissions/{kept.pk}/",
            f"/submissions/{kept.pk}/receipt/north/",
            *addresses(),
        ):
            shown = reader.get(address).content.decode(errors="replace")
            assert SECOND_CANARY not in shown and CANARY not in shown, address
