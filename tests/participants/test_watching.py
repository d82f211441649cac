"""Watching: the place in the queue, the wait, what happened, what was given back."""

import html
import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.results import queue_progress, waiting_pages
from leaderboard.results.queue_progress import QueueProgress, in_words
from leaderboard.results.status import status_of
from leaderboard.submissions import accept, dispatch, leases
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Event,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, scored, upload

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("sql"),
]
Login = Callable[[User], Client]


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return join(task, Team.found("Cys", cy))


def send(phase: Phase, entry: Participation) -> Submission:
    return accept.submit(upload(phase, entry, both()))


def watched(submission: Submission) -> QueueProgress:
    fresh = Submission.objects.get(pk=submission.pk)
    found = queue_progress.queue_progress(status_of(fresh, fresh.sender))
    assert found is not None
    return found


def lasted(*seconds: int) -> None:
    """The scored evaluations took that long, oldest first."""
    rows = Evaluation.objects.filter(state=EvaluationState.SCORED).order_by("pk")
    for evaluation, lasting in zip(rows, seconds, strict=True):
        begun = evaluation.events.filter(new=EvaluationState.RUNNING)
        begun.update(at=evaluation.finished_at - timedelta(seconds=lasting))


def test_teams_take_turns_in_the_line(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    first, second, third = (send(phase, entry) for _ in range(3))
    theirs = send(phase, other)
    places = {one: watched(one).place for one in (first, second, third, theirs)}
    assert places == {first: 1, theirs: 2, second: 3, third: 4}


def test_the_line_is_the_order_in_which_workers_are_told(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    sent = [send(phase, one) for one in (entry, entry, other, entry, other)]
    told = dispatch.in_turn(Evaluation.objects.ready(), 99, count_hints=False)
    line = {one.evaluations.get().pk: watched(one).ahead for one in sent}
    assert [line[pk] for pk in told] == [0, 1, 2, 3]


def test_the_wait_is_not_known_before_three_were_scored(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(2):
        scored(phase, entry, both())
    assert watched(send(phase, entry)).wait is None


def test_the_wait_follows_from_what_took_how_long(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    """Of 10, 20 and 40 s the quartile is 10 s and the 90 % quantile 40 s."""
    for _ in range(3):
        scored(phase, entry, both())
    lasted(10, 20, 40)
    alone = send(phase, other)
    found = watched(alone)
    assert (found.ahead, str(found.wait)) == (0, "10 seconds to 40 seconds")
    behind = watched(send(phase, other))
    assert (behind.ahead, str(behind.wait)) == (1, "20 seconds to 80 seconds")


def test_a_full_team_waits_for_one_of_its_own(
    phase: Phase, entry: Participation
) -> None:
    """At worst one more of 40 s ends first, and a worker hears of it after 2 s."""
    for _ in range(3):
        scored(phase, entry, both())
    lasted(10, 20, 40)
    for _ in range(2):
        assert leases.claim(send(phase, entry).evaluations.get().pk)
    found = watched(send(phase, entry))
    assert (found.team_busy, str(found.wait)) == (2, "10 seconds to 80 seconds")


def test_a_page_that_waits_long_is_told_cheaply_that_nothing_happened(
    phase: Phase, entry: Participation, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    lasted(1800, 2400, 3000)
    sent = send(phase, entry)
    assert watched(sent).token == ""  # it may begin at once
    monkeypatch.setattr(queue_progress, "YOUNG", timedelta(0))
    reader = as_user(sent.sender)

    def asked() -> str:
        page = reader.get(sent.get_absolute_url()).text
        (address,) = re.findall(r'hx-get="([^"]+)"', page)
        return html.unescape(address)

    def answered(address: str, client: Client) -> int | str:
        answer = client.get(address, headers={"HX-Request": "true"})
        to_sign_in = answer.headers.get("HX-Redirect", "").startswith("/accounts/")
        return "to sign in" if to_sign_in else answer.status_code

    first = asked()
    with CaptureQueriesContext(connection) as seen:
        assert answered(first, reader) == 204
    assert len(seen) == 1 and reader.get(first).content == b""
    # Without a session too: who has the address was shown all that this says.
    assert answered(first, Client()) == 204
    forged = first.replace("unless=", "unless=x")
    assert (answered(forged, reader), answered(forged, Client())) == (200, "to sign in")
    over = waiting_pages.token_of(sent.evaluations.get(), timedelta(0))
    late = re.sub(r"(unless=).*", rf"\g<1>{over}", first)
    assert (answered(late, reader), answered(late, Client())) == (200, "to sign in")
    Submission.objects.filter(pk=sent.pk).update(disqualified_at=timezone.now())
    assert answered(first, reader) == 200
    Submission.objects.filter(pk=sent.pk).update(disqualified_at=None)
    assert answered(first, reader) == 204
    assert leases.claim(sent.evaluations.get().pk)
    assert (answered(first, reader), answered(first, Client())) == (200, "to sign in")
    leases.release(sent.evaluations.all(), "")
    assert answered(first, reader) == 200  # queued again is another state


def test_a_running_one_says_how_long_and_never_that_it_is_done(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(3):
        scored(phase, entry, both())
    lasted(10, 20, 40)
    sent = send(phase, entry)
    assert leases.claim(sent.evaluations.get().pk)
    begins = timezone.now() + timedelta(minutes=1)  # new, however slow the test is
    sent.evaluations.update(state_since=begins)
    assert watched(sent).milliseconds == 100
    for seconds, share in ((20, 50), (4000, 95)):
        since = timezone.now() - timedelta(seconds=seconds)
        sent.evaluations.update(state_since=since)
        assert watched(sent).share == share
    assert watched(sent).milliseconds == 1000
    assert str(watched(sent).usual) == "10 seconds to 40 seconds"


def test_what_happened_is_told_in_words_and_never_in_those_for_operators(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    sent = send(phase, entry)
    for _ in range(3):
        Evaluation.objects.update(not_before=timezone.now() - timedelta(hours=1))
        assert leases.claim(sent.evaluations.get().pk)
        leases.release(sent.evaluations.all(), "/srv/gold is full")
    found = watched(sent)
    assert [step.text for step in found.steps] == [
        "Received",
        "Accepted and queued",
        "A worker began to score it",
        "The attempt failed on our side; it is tried again, at no cost",
        "A worker began, attempt 2",
        "The attempt failed on our side; it is tried again, at no cost",
        "A worker began, attempt 3",
        "Finished: System error",
    ]
    assert found.refunded_at is not None
    page = as_user(ben).get(f"/submissions/{sent.pk}/").content.decode()
    assert "System error" in page
    assert "Returned" in page
    assert "/srv" not in page


def test_after_a_failure_the_page_says_when_it_is_tried_again(
    phase: Phase, entry: Participation
) -> None:
    sent = send(phase, entry)
    assert leases.claim(sent.evaluations.get().pk)
    leases.release(sent.evaluations.all(), "gone")
    found = watched(sent)
    assert found.ahead is None
    assert found.again_at is not None
    assert found.again_at > timezone.now()


def test_a_blind_phase_does_not_say_how_it_ended(
    phase: Phase, entry: Participation
) -> None:
    Phase.objects.update(policy=Phase.Policy.BLIND)
    sent = scored(phase, entry, both())
    words = [step.text for step in watched(sent).steps]
    assert words[-1] == "Finished: Received"
    assert "Scored" not in " ".join(words)


def test_a_late_one_is_not_watched(over: Phase, entry: Participation) -> None:
    sent = send(over, entry)
    assert queue_progress.queue_progress(status_of(sent, sent.sender)) is None


def test_the_page_asks_seldom_at_the_end_of_a_long_queue(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    sent = [send(phase, entry) for _ in range(7)]
    begins = timezone.now() + timedelta(minutes=1)  # new, however slow the test is
    Evaluation.objects.update(state_since=begins)
    first, last = (
        as_user(ben).get(f"/submissions/{one.pk}/").content.decode()
        for one in (sent[0], sent[-1])
    )
    assert "every 100ms" in first
    assert "Place 7 in the queue: 6 begin before it." in last
    assert "every 3000ms" in last


@pytest.mark.thorough
def test_the_status_takes_the_same_queries_however_long_the_queue_is(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    sent, browser = send(phase, entry), as_user(ben)
    address, headers = f"/submissions/{sent.pk}/?part=status", {"HX-Request": "true"}
    browser.get(address, headers=headers)  # what is cached for all looks is read
    counts = []
    for _ in range(2):
        caches["at-hand"].clear()  # for seconds only, which a slow machine may take
        with CaptureQueriesContext(connection) as captured:
            browser.get(address, headers=headers)
        counts.append(len(captured))
        for _ in range(6):
            send(phase, entry)
    assert counts[0] == counts[1] <= 16
    assert Event.objects.count() == 13


def test_scoring_again_that_failed_gives_nothing_back(
    phase: Phase, entry: Participation
) -> None:
    submission = send(phase, entry)
    said = {}
    for again in (False, True):
        submission.evaluations.update(
            state=EvaluationState.FAILED_SYSTEM, background=again
        )
        fresh = Submission.objects.get(pk=submission.pk)
        said[again] = status_of(fresh, fresh.sender).text
    assert "given back" in said[False]
    assert "No attempt was used" in said[True]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "1 second"),
        (7.6, "8 seconds"),
        (43, "45 seconds"),
        (100, "2 minutes"),
        (3000, "50 minutes"),
        (7200, "2 hours"),
    ],
)
def test_times_are_told_roughly(seconds: float, words: str) -> None:
    assert in_words(timedelta(seconds=seconds)) == words
