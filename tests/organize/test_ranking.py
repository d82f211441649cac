"""Final rankings: what is open, what is frozen, for whom, and how it is checked."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.submissions import accept
from leaderboard.submissions.admin_actions import disqualify
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import (
    GoldRevision,
    Notice,
    Participation,
    Phase,
    Snapshot,
    Task,
)
from leaderboard.teams.models import User
from tests.leaderboard.small import both, upload
from tests.organize.disclosing import HOUR, revealed, salted, under
from tests.organize.sheets import (
    DECLARE,
    FREEZE,
    OVERVIEW,
    SEEN,
    declare,
    systems,
    two_sent,
)

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage(then=two_sent),
]
Login = Callable[[User], Client]
API = "/api/v1/tasks/otters/test"


def test_a_declared_ranking_holds_the_rows_of_the_api(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    told = Client().get(f"{API}/board/").json()
    answer = declare(as_user(ada), note="Thanks to all.")
    snapshot = Snapshot.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == f"/tasks/otters/test/snapshots/{snapshot.sha256[:16]}/"
    assert snapshot.final and snapshot.by == ada
    assert snapshot.data["boards"][0]["rows"] == told["rows"]
    assert [row["system"] for row in told["rows"]] == ["small", "large"]
    phase.refresh_from_db()
    assert (phase.declared_at, phase.declared_by) == (snapshot.at, ada)
    notice = Notice.objects.get(kind=Notice.Kind.RANKING)
    assert "Thanks to all." in notice.text
    assert snapshot.sha256[:16] in notice.text


def test_what_is_frozen_stays_whatever_happens_to_the_board(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    page = declare(as_user(ada))["Location"]
    before = Client().get(f"{page}rows.json").content
    disqualify(sent[0], ada, "copied")
    Submission.objects.filter(pk=sent[1].pk).update(system="renamed", facts={})
    assert Client().get(f"{page}rows.json").content == before
    shown = Client().get(page).content.decode()
    assert "small" in shown and "renamed" not in shown
    assert systems(Client()) == ["renamed"]


@pytest.mark.parametrize(
    ("times", "why"),
    [
        ({"closes": None}, "no end"),
        ({"closes": 1}, "not over yet"),
        ({"closes": -1, "reveal_at": 1}, "not revealed yet"),
    ],
)
def test_nothing_is_declared_before_its_time(
    times: dict[str, int | None],
    why: str,
    sent: tuple[Submission, ...],
    ada: User,
    as_user: Login,
) -> None:
    phase, now = sent[0].phase, timezone.now()
    under(phase, **{n: h and now + h * HOUR for n, h in times.items()}, policy="blind")
    client = as_user(ada)
    assert why in client.get(OVERVIEW).content.decode()
    assert client.get(DECLARE).status_code == 422
    refused = client.post(DECLARE, {"seen": "0" * 64})
    assert refused.status_code == 422
    assert why in refused.content.decode()
    assert not Snapshot.objects.exists()


def test_the_private_part_decides(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    salted(phase)
    revealed(phase)
    declare(as_user(ada))
    (board,) = Snapshot.objects.get().data["boards"]
    assert board["part"] == "private"
    # Of the four private words on each test set “large” has one of north wrong.
    values = {row["system"]: row["scores"]["las"]["value"] for row in board["rows"]}
    assert values == {"small": 1.0, "large": pytest.approx(0.875)}


def test_open_matters_are_listed_and_must_be_confirmed(
    phase: Phase,
    entry: Participation,
    sent: tuple[Submission, ...],
    ada: User,
    as_user: Login,
) -> None:
    revealed(phase)
    late = upload(phase, entry, both(), system="late")
    assert accept.submit(late).late
    waiting = upload(
        phase, entry, both(), system="waits", arrived_at=phase.closes - HOUR
    )
    accept.submit(waiting)
    GoldRevision.objects.create(task=phase.task, number=2)
    under(phase, counts="chosen")
    page = as_user(ada).get(DECLARE).content.decode()
    assert "1 late upload is not admitted" in page
    assert "1 evaluation is not through" in page
    assert "Corrected gold is a draft" in page
    assert "2 teams chose no submission" in page
    refused = declare(as_user(ada))
    assert refused.status_code == 422
    assert "Confirm that the open matters" in refused.content.decode()
    assert declare(as_user(ada), matters_known="on").status_code == 302


def test_a_board_that_changed_is_looked_at_again(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    client = as_user(ada)
    seen = SEEN.search(client.get(DECLARE).content.decode())
    assert seen
    disqualify(sent[0], ada, "copied")
    refused = client.post(DECLARE, {"seen": seen[1]})
    assert refused.status_code == 422
    text = refused.content.decode()
    assert "The board changed since you looked" in text
    again = SEEN.search(text)
    assert again and again[1] != seen[1]
    assert client.post(DECLARE, {"seen": again[1]}).status_code == 302


def test_a_newer_ranking_replaces_the_older_with_a_note(
    phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    client = as_user(ada)
    first = declare(client)["Location"]
    disqualify(sent[0], ada, "copied")
    refused = declare(client)
    assert refused.status_code == 422
    assert "Say why a new ranking replaces" in refused.content.decode()
    second = declare(client, note="One system was withdrawn.")["Location"]
    old, new = (Client().get(page).content.decode() for page in (first, second))
    assert f'href="{second}"' in old and "was replaced" in old
    assert "small\n" in old and "small\n" not in new
    assert "One system was withdrawn." in new
    assert Client().get(f"/api/v1{second}").json()["data"]["replaces"] == [
        Snapshot.objects.get(data__note="").sha256
    ]
    listed = Client().get(f"{API}/snapshots/").json()
    assert [one["page"] for one in listed] == [second, first]
    assert Notice.objects.filter(kind=Notice.Kind.RANKING).count() == 2
    board = Client().get("/tasks/otters/test/board/").content.decode()
    assert f'href="{second}"' in board


@pytest.mark.usefixtures("nothing_sent")
def test_an_empty_board_is_not_declared(
    phase: Phase, ada: User, as_user: Login
) -> None:
    revealed(phase)
    refused = declare(as_user(ada))
    assert refused.status_code == 422
    assert "nothing on the board" in refused.content.decode()


def test_a_draft_freezes_nothing(
    task: Task, phase: Phase, sent: tuple[Submission, ...], ada: User, as_user: Login
) -> None:
    revealed(phase)
    task.draft = True
    task.save()
    assert as_user(ada).post(FREEZE).status_code == 422
    assert as_user(ada).get(DECLARE).status_code == 422
