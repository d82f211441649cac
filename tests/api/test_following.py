"""Submissions through the API: listed, waited for, withdrawn, chosen."""

import threading
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.request import Request

from leaderboard.api.views import submissions
from leaderboard.submissions import accept, evaluation
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import GoldFile, GoldRevision, Participation, Phase
from leaderboard.teams.models import User
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, one_wrong, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
SUBMIT, LIST = (
    "/api/v1/tasks/otters/test/submissions/",
    "/api/v1/tasks/otters/submissions/",
)
Answer = Any


def parts(**more: Any) -> dict[str, Any]:
    files = {
        f"file_{name}": SimpleUploadedFile(f"{name}.conllu", data)
        for name, data in both().items()
    }
    return {"system": "otter-api", **files, **more}


def one(sent: Submission, end: str = "") -> str:
    return f"/api/v1/submissions/{sent.pk}/{end}"


def test_a_key_of_a_submission_is_good_for_that_submission_alone(
    phase: Phase, entry: Participation, ben: User
) -> None:
    client, key = bearer(ben, "submit"), {"Idempotency-Key": "k"}
    first = client.post(SUBMIT, parts(), headers=key)
    again = client.post(SUBMIT, parts(), headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json()["id"] == again.json()["id"]
    assert "Idempotent-Replayed" not in first
    assert again["Idempotent-Replayed"] == "true"
    other = {"file_north": SimpleUploadedFile("n.conllu", one_wrong())}
    for changed in (parts(system="another"), parts(**other)):
        answer = client.post(SUBMIT, changed, headers=key)
        assert (answer.status_code, answer.json()["code"]) == (422, "key_reused")
    assert Submission.objects.count() == 1
    assert client.post(SUBMIT, parts()).status_code == 201  # without a key, a second


def test_a_team_lists_what_it_sent_and_nobody_else_does(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    sent = scored(phase, entry, both())
    found = bearer(ben).get(LIST, {"state": "scored"}).json()
    assert [line["id"] for line in found["submissions"]] == [str(sent.pk)]
    assert (found["found"], found["page"], found["pages"]) == (1, 1, 1)
    for page in ("2", "0", "x"):
        beyond = bearer(ben).get(LIST, {"page": page})
        assert (beyond.status_code, beyond.json()["code"]) == (404, "not_found")
    assert bearer(ben).get(LIST, {"state": "queued"}).json()["found"] == 0
    assert bearer(cy).get(LIST).json()["submissions"] == []


def test_the_list_asks_the_same_number_of_queries_for_many(
    phase: Phase, entry: Participation, ben: User
) -> None:
    client = bearer(ben)
    counts = []
    for _ in range(2):
        scored(phase, entry, both())
        client.get(LIST)  # what is computed once is kept
        with CaptureQueriesContext(connection) as asked:
            client.get(LIST)
        counts.append(len(asked))
    assert counts[0] == counts[1]


def test_waiting_ends_with_the_result(
    phase: Phase, entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker is played by what happens between two looks."""
    sent = accept.submit(upload(phase, entry, both()))
    looked = submissions._is_final

    def score_then_look(waiting: Any) -> bool:
        evaluation.run(waiting.pk)
        return looked(waiting)

    monkeypatch.setattr(submissions, "_is_final", score_then_look)
    answer = bearer(ben).get(one(sent), {"wait": "10"})
    assert answer.json()["state"] == "scored" and "Retry-After" not in answer


def test_waiting_ends_when_the_time_is_over(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = accept.submit(upload(phase, entry, both()))
    answer = bearer(ben).get(one(sent), {"wait": "0.3"})
    assert (answer.json()["state"], answer["Retry-After"]) == ("queued", "0")


@pytest.mark.parametrize("wait", ["-1", "nan", "inf", "x", "1e9"])
def test_nobody_waits_longer_than_allowed_whatever_they_ask(wait: str) -> None:
    request = Request(RequestFactory().get("/", {"wait": wait}))
    assert 0 <= submissions._seconds(request) <= submissions.LONGEST_WAIT


def test_who_finds_no_place_to_wait_is_answered_at_once(
    phase: Phase, entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submissions, "WAITING", threading.BoundedSemaphore(1))
    sent = accept.submit(upload(phase, entry, both()))
    with submissions.WAITING:
        answer = bearer(ben).get(one(sent), {"wait": "20"})
    assert (answer.json()["state"], answer["Retry-After"]) == ("queued", "2")


def test_evaluations_tell_the_scores_under_each_gold_that_was_live(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = scored(phase, entry, both({"north": one_wrong()}))
    first = phase.gold_revision
    second = GoldRevision.objects.create(
        task=phase.task, number=2, live_at=timezone.now()
    )
    draft = GoldRevision.objects.create(task=phase.task, number=3, preparing=True)
    for file in GoldFile.objects.filter(revision=first):
        for revision in (second, draft):
            file.pk, file.revision = None, revision
            file.save()
    phase.gold_revision = second
    phase.save()
    for revision in (second, draft):
        made = sent.evaluations.create(gold_revision=revision, engine="x")
        assert evaluation.run(made.pk)
    found = bearer(ben).get(one(sent, "evaluations/")).json()
    assert [(e["gold_revision"], e["shown"]) for e in found] == [(2, True), (1, False)]
    assert [e["scores"]["las"]["value"] for e in found] == [15 / 16, 15 / 16]


def test_a_blind_phase_tells_a_program_as_little_as_a_page(
    phase: Phase, entry: Participation, ben: User
) -> None:
    phase.policy = Phase.Policy.BLIND
    phase.save()
    sent = scored(phase, entry, both())
    for address in (one(sent), LIST, one(sent, "evaluations/")):
        text = bearer(ben).get(address).content.decode()
        assert '"scores":{}' in text and '"value"' not in text
    assert bearer(ben).get(one(sent)).json()["complete"] is True


def test_a_submission_is_withdrawn_once(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    sent = scored(phase, entry, both())
    client = bearer(ben, "submit")
    assert bearer(cy, "submit").post(one(sent, "withdraw/")).status_code == 404
    assert client.post(one(sent, "withdraw/")).json()["withdrawn_at"] is not None
    again = client.post(one(sent, "withdraw/"))
    assert (again.status_code, again.json()["code"]) == (409, "not_decided")


def test_a_team_chooses_what_counts_and_takes_it_back(
    phase: Phase, entry: Participation, ben: User
) -> None:
    sent = scored(phase, entry, both())
    client = bearer(ben, "submit")
    assert client.post(one(sent, "pick/")).json()["code"] == "not_decided"
    phase.counts = Phase.CountingRule.CHOSEN
    phase.save()
    assert client.post(one(sent, "pick/")).json()["picked"] is True
    assert client.delete(one(sent, "pick/")).json()["picked"] is False
