"""Who may submit, and how often in all: page and API say the same."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings
from django.utils import timezone

from leaderboard.submissions import eligibility, evaluation, intake, operating, quota
from leaderboard.submissions.models import (
    Evaluation,
    QuotaCounter,
    State,
    Submission,
)
from leaderboard.tasks.joining import join
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, perfect, upload

pytestmark = pytest.mark.django_db
Login = Callable[[User], Client]
Kind, Status = QuotaCounter.Kind, Participation.Status
PAGE = "/tasks/otters/test/submit/"
API = "/api/v1/tasks/otters/test/submissions/"


def fields(data: bytes | None = None) -> dict[str, Any]:
    files = both({} if data is None else {"north": data})
    return {"system": "otter-1", "key": uuid4().hex} | {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", content)
        for name, content in files.items()
    }


def changed(phase: Phase, **values: Any) -> Phase:
    for name, value in values.items():
        setattr(phase, name, value)
    phase.save()
    return phase


def said(answer: Any) -> str:
    return answer.content.decode().replace("&#x27;", "'")


def refused_with(client: Client, sentence: str, code: str) -> None:
    """Page, form and API say it, nothing is stored and nothing charged."""
    assert sentence in said(client.get(PAGE))
    page = client.post(PAGE, fields())
    assert page.status_code == 422
    assert sentence in said(page)
    look = client.get(API).json()
    assert (look["may_submit"], look["code"]) == (False, code)
    answer = client.post(API, fields())
    assert answer.status_code == 409
    assert answer.json()["code"] == code
    assert sentence in answer.json()["detail"]
    assert not Submission.objects.exists()
    assert not QuotaCounter.objects.exists()


@pytest.mark.parametrize(
    "case",
    [
        (Status.PENDING, "Team Bens waits for admission"),
        (Status.REFUSED, "Team Bens was not admitted"),
        (Status.WITHDRAWN, "Team Bens withdrew"),
        (Status.DISQUALIFIED, "Team Bens was disqualified"),
        (Status.MERGED, "Team Bens was merged"),
    ],
)
def test_only_teams_that_take_part_may_submit(
    entry: Participation, ben: User, as_user: Login, case: tuple[str, str]
) -> None:
    entry.status, sentence = case
    entry.save()
    refused_with(as_user(ben), sentence, "not_taking_part")


def test_the_reason_of_a_disqualification_is_told_to_the_team(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    entry.status, entry.reason = Status.DISQUALIFIED, "Test data were trained on."
    entry.save()
    page = said(as_user(ben).get(PAGE))
    assert "Reason given: Test data were trained on." in page


def test_a_phase_of_organizers_takes_nothing_from_others(
    phase: Phase, entry: Participation, ben: User, ada: User, as_user: Login
) -> None:
    changed(phase, who=Phase.Who.ORGANIZERS)
    refused_with(as_user(ben), "Only organizers submit to Test", "not_chosen")
    house = join(phase.task, Team.found("House", ada))
    assert intake.submit(upload(phase, house, both())).pk


def test_a_phase_of_chosen_teams_takes_from_them_alone(
    phase: Phase, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    changed(phase, who=Phase.Who.CHOSEN)
    chosen = join(phase.task, Team.found("Cys", cy))
    phase.chosen.add(chosen)
    refused_with(as_user(ben), "Bens is not among them", "not_chosen")
    assert as_user(cy).post(API, fields()).status_code == 201


def test_a_paused_phase_refuses_with_its_note_and_scores_what_runs(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    earlier = intake.submit(upload(phase, entry, both()))
    changed(phase, paused=True, paused_note="Back on Monday.")
    client = as_user(ben)
    for answer in (client.get(PAGE), client.post(PAGE, fields())):
        assert "Test is paused" in said(answer)
        assert "Back on Monday." in said(answer)
    answer = client.post(API, fields())
    assert (answer.status_code, answer.json()["code"]) == (409, "paused")
    assert Submission.objects.count() == 1
    assert not QuotaCounter.objects.filter(used__gt=1).exists()
    assert evaluation.run(earlier.evaluations.get().pk)
    assert Evaluation.objects.get().state == State.SCORED


def test_a_repeated_request_finds_its_submission_in_a_paused_phase_too(
    phase: Phase, entry: Participation
) -> None:
    request = upload(phase, entry, both())
    first = intake.submit(request)
    changed(phase, paused=True)
    assert intake.submit(request) == first


def test_a_pause_that_begins_while_the_file_is_read_holds(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    paused = Phase.objects.filter(pk=phase.pk)
    monkeypatch.setattr(intake, "_require_fit", lambda _: paused.update(paused=True))
    with pytest.raises(eligibility.Paused):
        intake.submit(upload(phase, entry, both()))
    assert not Submission.objects.exists()
    assert not QuotaCounter.objects.exists()


def test_an_end_that_moved_while_the_file_was_read_counts(
    over: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = Phase.objects.filter(pk=over.pk)
    moved = timezone.now() + timedelta(days=1)
    monkeypatch.setattr(intake, "_require_fit", lambda _: later.update(closes=moved))
    assert not intake.submit(upload(over, entry, both())).late


def test_baselines_of_organizers_ask_nobody(phase: Phase, ada: User) -> None:
    changed(phase, who=Phase.Who.CHOSEN, paused=True, total_limit=1)
    house = join(phase.task, Team.found("House", ada))
    for _ in range(2):
        assert intake.submit(upload(phase, house, both(), baseline=True)).pk


def test_the_total_holds_over_the_days_and_names_no_next_one(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    changed(phase, daily_limit=2, total_limit=3)
    now = timezone.now()
    for days in (2, 1, 0):
        moment = now - timedelta(days=days)
        intake.submit(upload(phase, entry, both(), arrived_at=moment))
    with pytest.raises(quota.TotalUsed) as caught:
        intake.submit(upload(phase, entry, both()))
    assert caught.value.next_at is None
    answer = as_user(ben).post(API, fields())
    assert answer.status_code == 429
    assert answer.json() == {
        "type": "/api/docs/#total_used",
        "title": "Too Many Requests",
        "status": 429,
        "detail": "All 3 attempts of this phase are used.",
        "code": "total_used",
        "next_at": None,
        "left": {"today": 1, "total": 0},
    }


def test_what_is_left_stands_on_the_page_and_in_the_api(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    changed(phase, daily_limit=2, total_limit=9)
    client = as_user(ben)
    assert client.get(API).json()["left"] == {"today": 2, "total": 9}
    sent = client.post(API, fields())
    assert sent.json()["left"] == {"today": 1, "total": 8}
    page = said(client.get(PAGE))
    assert "1 of 2 left today" in page
    assert "8 of 9 left in all" in page


def test_a_person_in_two_teams_has_the_total_of_one(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    changed(phase, total_limit=2)
    other = join(phase.task, Team.found("Others", cy))
    intake.submit(upload(phase, entry, both(), sender=ben))
    intake.submit(upload(phase, other, both(), sender=ben))
    with pytest.raises(quota.TotalUsed):
        intake.submit(upload(phase, other, both(), sender=ben))
    assert intake.submit(upload(phase, other, both(), sender=cy)).pk


def test_a_total_set_later_counts_what_was_sent_before(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(3):
        intake.submit(upload(phase, entry, both()))
    changed(phase, total_limit=3)
    with pytest.raises(quota.TotalUsed):
        intake.submit(upload(phase, entry, both()))
    changed(phase, total_limit=4)
    assert intake.submit(upload(phase, entry, both())).pk


def test_a_refund_gives_back_of_the_day_and_of_the_total_once(
    phase: Phase, entry: Participation, ben: User
) -> None:
    changed(phase, daily_limit=1, total_limit=1)
    sent = intake.submit(upload(phase, entry, both()))
    use = quota.Use(phase, entry, ben, timezone.now())
    assert use.allowance().is_used
    assert quota.refund(sent.pk) == 4, "team and person, day and total"
    assert quota.refund(sent.pk) == 0
    assert (use.left(), use.left(Kind.TOTAL)) == (1, 1)


def test_letting_a_late_submission_in_uses_the_total(
    over: Phase, entry: Participation, ada: User, ben: User
) -> None:
    changed(over, total_limit=1)
    first, second = (intake.submit(upload(over, entry, both())) for _ in range(2))
    operating.admit(first, ada)
    with pytest.raises(quota.TotalUsed):
        operating.admit(second, ada)
    second.refresh_from_db()
    assert second.late


@override_settings(REFUSED_PER_DAY=1)
def test_a_wrong_file_uses_neither_day_nor_total(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    changed(phase, daily_limit=1, total_limit=1)
    broken = perfect().replace(b"\t0\troot", b"\t9\troot")
    assert as_user(ben).post(API, fields(broken)).status_code == 422
    assert as_user(ben).get(API).json()["left"] == {"today": 1, "total": 1}
