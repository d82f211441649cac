"""The pages of gold revisions: who may open them, what they say, how they end."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.organize import gold
from leaderboard.submissions import dispatch, evaluation, leases
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import (
    GoldRevision,
    Notice,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.teams.models import User
from tests.leaderboard.small import (
    both,
    one_wrong,
    perfect,
    scored,
)

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.one_stage,
]
Login = Callable[[User], Client]
GOLD = "/tasks/otters/organize/gold/"
PLAIN = ("organize-gold", "organize-gold-new")
OF_ONE = ("organize-gold-revision", "organize-gold-preview")
VERBS = ("live", "discard", "prepare", "retry")
POSTED = tuple(f"organize-gold-{verb}" for verb in VERBS)


@pytest.fixture
def organizer(ada: User, as_user: Login) -> Client:
    return as_user(ada)


def sent(data: bytes = one_wrong(), **notes: str) -> dict[str, Any]:
    return {"file_north": SimpleUploadedFile("north.conllu", data), **notes}


def score_all() -> None:
    while ids := dispatch.in_turn(Evaluation.objects.ready(), 99, count_hints=False):
        assert all(map(evaluation.run, ids))


def addresses() -> list[str]:
    return [
        *(reverse(name, args=["otters"]) for name in PLAIN),
        *(reverse(name, args=["otters", 1]) for name in OF_ONE + POSTED),
        reverse("organize-gold-file", args=["otters", 1, "north"]),
    ]


def test_a_large_board_stands_on_several_pages_of_the_preview(
    phase: Phase,
    entry: Participation,
    organizer: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gold, "PER_PAGE", 2)
    for number in range(3):
        scored(phase, entry, both(), system=f"system {number}")
    organizer.post(f"{GOLD}new/", sent(note="Wrong.", public_note="One head."))
    score_all()
    pages = [
        organizer.get(f"{GOLD}2/preview/?entries=all&page={number}").content.decode()
        for number in (1, 2)
    ]
    assert [page.count('<th scope="row" class="system">') for page in pages] == [2, 1]
    assert "Page 2 of 2" in pages[1]


@pytest.fixture
def people(task: Task, ben: User, cy: User, as_user: Login) -> dict[str, Client]:
    """Everybody who may not edit; cy is a reviewer, ben takes part."""
    Organizer.objects.create(task=task, user=cy, role=Organizer.Role.REVIEWER)
    signed_in = {"participant": as_user(ben), "reviewer": as_user(cy)}
    return {"anonymous": Client(), **signed_in}


def test_from_the_upload_to_the_board(
    phase: Phase, entry: Participation, organizer: Client, client: Client
) -> None:
    scored(phase, entry, both())
    notes = {"note": "Found by a reader.", "public_note": "One head."}
    answer = organizer.post(f"{GOLD}new/", sent(**notes))
    assert answer.url == f"{GOLD}2/"
    page = organizer.get(answer.url).content.decode()
    assert "<strong>0 of 1</strong>" in page
    assert "Make this revision live" not in page
    score_all()
    page = organizer.get(answer.url).content.decode()
    assert "<strong>1 of 1</strong>" in page and "Make this revision live" in page
    preview = organizer.get(f"{GOLD}2/preview/").content.decode()
    assert "\u22126.25" in preview and "1 unit, against revision 1" in preview
    done = organizer.post(f"{GOLD}2/live/", {"public_note": "One head was wrong."})
    assert done.status_code == 302
    assert "One head was wrong." in Notice.objects.get().text
    board = client.get("/tasks/otters/test/board/").content.decode()
    assert "93.75" in board and "Version 2 of the answer key" in board


def test_problems_are_listed_with_their_line_and_nothing_is_stored(
    task: Task, organizer: Client
) -> None:
    broken = perfect().replace(b"\t2\tdet", b"\tx\tdet")
    answer = organizer.post(f"{GOLD}new/", sent(broken))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "north.conllu" in page and 'data-name="Line">2</td>' in page
    assert task.gold_revisions.count() == 1


def test_a_form_without_a_file_says_so(task: Task, organizer: Client) -> None:
    answer = organizer.post(f"{GOLD}new/", {"note": "Nothing."})
    assert answer.status_code == 422
    assert "Choose a corrected file" in answer.content.decode()


def test_a_second_correction_waits_for_the_first(task: Task, organizer: Client) -> None:
    organizer.post(f"{GOLD}new/", sent())
    assert "is being prepared" in organizer.get(f"{GOLD}new/").content.decode()
    answer = organizer.post(f"{GOLD}new/", sent())
    assert answer.status_code == 422
    assert "Another revision is being prepared" in answer.content.decode()


def test_the_part_that_is_asked_for_again_ends_by_itself(
    phase: Phase, entry: Participation, organizer: Client
) -> None:
    scored(phase, entry, both())
    organizer.post(f"{GOLD}new/", sent())
    part = organizer.get(f"{GOLD}2/?part=progress")
    assert "hx-trigger" in part.content.decode() and "HX-Refresh" not in part
    score_all()
    part = organizer.get(f"{GOLD}2/?part=progress")
    assert "hx-trigger" not in part.content.decode()
    assert part["HX-Refresh"] == "true"


def test_a_live_revision_needs_words(
    phase: Phase, entry: Participation, organizer: Client
) -> None:
    organizer.post(f"{GOLD}new/", sent())
    answer = organizer.post(f"{GOLD}2/live/", {"public_note": " "})
    assert answer.status_code == 422
    phase.refresh_from_db()
    assert phase.gold_revision.number == 1


@pytest.fixture
def failing(
    phase: Phase, entry: Participation, organizer: Client, settings: Any
) -> Evaluation:
    """ben's one submission, that failed under the draft by our fault."""
    settings.MOST_ATTEMPTS = 1
    scored(phase, entry, both())
    organizer.post(f"{GOLD}new/", sent())
    lease = leases.claim(Evaluation.objects.get(background=True).pk)
    assert lease
    leases.release(lease.mine, "the worker stopped answering")
    found: Evaluation = Evaluation.objects.get(background=True)
    return found


def test_failures_are_confirmed_one_by_one(
    failing: Evaluation, organizer: Client
) -> None:
    page = organizer.get(f"{GOLD}2/").content.decode()
    assert "Scoring failed on our side" in page and "Bens: otter-1" in page
    words = {"public_note": "One head."}
    refused = organizer.post(f"{GOLD}2/live/", words)
    assert refused.status_code == 422
    assert "Confirm each of them by its name" in refused.content.decode()
    words["accepted"] = str(failing.submission_id)
    assert organizer.post(f"{GOLD}2/live/", words).status_code == 302
    assert Phase.objects.get().gold_revision.number == 2


def test_a_failure_can_be_scored_again(failing: Evaluation, organizer: Client) -> None:
    organizer.post(f"{GOLD}2/retry/")
    failing.refresh_from_db()
    assert failing.state == EvaluationState.QUEUED
    assert failing.events.filter(actor__email="ada@example.org").exists()


def test_the_old_board_stays_readable(
    phase: Phase,
    entry: Participation,
    organizer: Client,
    client: Client,
) -> None:
    scored(phase, entry, both())
    organizer.post(f"{GOLD}new/", sent())
    score_all()
    for suffix in ("board/", "compare/", "across/"):
        address = f"/tasks/otters/test/{suffix}?revision=2"
        assert client.get(address).status_code == 404  # a draft is for organizers
    address = "/tasks/otters/test/board/?revision="
    draft = organizer.get(f"{address}2").content.decode()
    assert "Only organizers see this" in draft and "93.75" in draft
    organizer.post(f"{GOLD}2/live/", {"public_note": "One head."})
    old = client.get(f"{address}1").content.decode()
    assert "100.00" in old and "as it was before" in old
    api = client.get("/api/v1/tasks/otters/test/board/?revision=1").json()
    assert (api["gold_revision"], api["rows"][0]["scores"]["las"]["value"]) == (1, 1.0)
    for odd in ("3", "x", "-1", "9" * 40, "²"):
        assert client.get(address + odd).status_code == 404


def test_organizers_take_the_gold_away(task: Task, organizer: Client) -> None:
    answer = organizer.get(f"{GOLD}1/files/north/")
    assert answer.content == perfect()
    assert answer["Content-Disposition"].startswith("attachment")
    assert organizer.get(f"{GOLD}1/files/west/").status_code == 404


def test_the_list_asks_a_constant_number_of_questions(
    task: Task,
    organizer: Client,
    django_assert_max_num_queries: Any,
) -> None:
    for number in range(2, 12):
        GoldRevision.objects.create(
            task=task, number=number, discarded_at=timezone.now()
        )
    with django_assert_max_num_queries(14):
        assert organizer.get(GOLD).content.decode().count("<tr>") == 12


def test_a_discarded_draft_is_a_discarded_draft(task: Task, organizer: Client) -> None:
    organizer.post(f"{GOLD}new/", sent())
    assert organizer.post(f"{GOLD}2/discard/").url == GOLD
    assert "Discarded" in organizer.get(f"{GOLD}2/").content.decode()
    again = organizer.post(f"{GOLD}2/discard/", follow=True)
    assert "is not being prepared" in again.content.decode()


def test_the_way_back_is_the_same_way(
    phase: Phase, entry: Participation, organizer: Client
) -> None:
    scored(phase, entry, both())
    organizer.post(f"{GOLD}new/", sent())
    score_all()
    organizer.post(f"{GOLD}2/live/", {"public_note": "One head."})
    page = organizer.get(f"{GOLD}1/").content.decode()
    assert "Go back to this revision" in page
    assert organizer.post(f"{GOLD}1/prepare/").url == f"{GOLD}1/"
    done = organizer.post(f"{GOLD}1/live/", {"public_note": "It was right."})
    assert done.status_code == 302
    phase.refresh_from_db()
    assert phase.gold_revision.number == 1
    assert Notice.objects.count() == 2
