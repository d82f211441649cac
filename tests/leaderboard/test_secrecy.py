"""Gold stays with the organizers; tests/organize/test_canaries.py crawls the site."""

import logging
from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.submissions import accept
from leaderboard.tasks import blobs
from leaderboard.tasks.models import GoldFile, Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.small import CANARY, HEADS, RELATIONS, conllu, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
# What ben sends does not know the canary; everything else about it is right.
GUESS = tuple("dobj" if r == CANARY else r for r in RELATIONS)
FILES = {name: conllu(heads, GUESS).encode() for name, heads in HEADS.items()}


def test_format_errors_show_nothing_of_the_gold(
    phase: Phase, entry: Participation
) -> None:
    broken = {name: data.replace(b"\t0\t", b"\tx\t") for name, data in FILES.items()}
    with pytest.raises(accept.Unfit) as caught:
        accept.submit(upload(phase, entry, broken))
    assert CANARY not in str(caught.value)


def test_the_format_check_never_opens_the_gold(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    read = blobs.read
    monkeypatch.setattr(blobs, "read", lambda name: opened.append(name) or read(name))
    assert accept.submit(upload(phase, entry, FILES)).pk
    assert opened
    assert not set(opened) & set(GoldFile.objects.values_list("sha256", flat=True))


def test_logs_show_nothing_of_the_gold(
    phase: Phase, entry: Participation, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        scored(phase, entry, FILES)
    shown = [record for record in caplog.records if record.name != "django.db.backends"]
    assert not [r for r in shown if CANARY in r.getMessage()]


def test_blind_files_are_published_only_when_the_phase_opens(
    upcoming: Phase, ada: User, client: Client, as_user: Login
) -> None:
    address = "/tasks/otters/test/blind/north/"
    assert client.get(address).status_code == 404
    assert as_user(ada).get(address).status_code == 200


def test_a_submission_is_seen_by_its_team_and_the_organizers_only(
    phase: Phase, entry: Participation, cy: User, as_user: Login
) -> None:
    address = f"/submissions/{scored(phase, entry, FILES).pk}/"
    people = (phase.task.organizers.get(), entry.team.members.get(), cy)
    seen = [as_user(user).get(address).status_code for user in people]
    assert seen == [200, 200, 404]
    assert Client().get(address).url.startswith("/accounts/login/")


def test_the_admin_site_has_no_login_of_its_own(client: Client) -> None:
    assert client.get("/admin/login/").url.startswith("/accounts/login/")
