"""Mail about results: to whom, once each, and no more than the page shows."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.mail import outbox
from leaderboard.mail.models import Mail
from leaderboard.submissions import (
    accept,
    admin_actions,
    evaluation,
    leases,
)
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    Submission,
)
from leaderboard.tasks.models import Participant, Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.mail import results_off_address
from leaderboard.teams.models import Membership, Team, User
from tests.leaderboard.small import both, one_wrong, scored, upload

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    """7 of 8 heads right in the north and all in the south: the mean is 93.75."""
    return scored(phase, entry, both({"north": one_wrong()}))


def failed(phase: Phase, entry: Participation) -> Evaluation:
    """Given up after the last attempt, by no fault of the file."""
    waiting = accept.submit(upload(phase, entry, both())).evaluations.get()
    for _ in range(3):
        Evaluation.objects.update(not_before=timezone.now() - timedelta(hours=1))
        assert leases.claim(waiting.pk)
        running = Evaluation.objects.filter(pk=waiting.pk)
        leases.release(running, f"/srv/{waiting.pk} is full")
    waiting.refresh_from_db()
    assert waiting.state == EvaluationState.FAILED_SYSTEM
    return waiting


def test_who_sent_it_is_told_the_score_once(sent: Submission, ben: User) -> None:
    assert [outbox.send("result") for _ in range(3)] == [1, 0, 0]
    (message,) = mail.outbox
    assert message.to == ["ben@example.org"]
    assert message.subject == "[Otter Parsing] otter-1: Scored"
    assert "93.75 [" in message.body
    assert f"/submissions/{sent.pk}/" in message.body
    off = results_off_address(ben).partition(":")[0]
    assert off in message.body, "all but the time of the signature"


def test_others_of_the_team_are_not_told(sent: Submission, cy: User) -> None:
    team = sent.participation.team
    Membership.objects.create(team=team, user=cy)
    outbox.send("result")
    assert [message.to for message in mail.outbox] == [["ben@example.org"]]


def test_a_failure_of_ours_says_so_and_shows_nothing_of_our_machines(
    phase: Phase, entry: Participation
) -> None:
    failed(phase, entry)
    assert outbox.send("result") == 1
    text = mail.outbox[0].body
    assert "System error" in text
    assert "given back" in text
    assert "/srv" not in text


def test_what_was_retried_is_told_when_it_ends(
    phase: Phase, entry: Participation, ada: User
) -> None:
    again = failed(phase, entry)
    admin_actions.retry(again, ada)
    assert outbox.send("result") == 0, "nobody is told of a state that is over"
    evaluation.run(again.pk)
    assert outbox.send("result") == 1
    assert "Scored" in mail.outbox[0].subject


@pytest.mark.parametrize("policy", [Phase.Policy.BLIND, Phase.Policy.OPEN])
def test_the_mail_of_a_blind_phase_holds_no_score(
    phase: Phase, entry: Participation, policy: str
) -> None:
    Phase.objects.update(policy=policy)
    phase.refresh_from_db()
    scored(phase, entry, both({"north": one_wrong()}))
    outbox.send("result")
    (message,) = mail.outbox
    blind = policy == Phase.Policy.BLIND
    assert ("93." not in message.body) == blind
    assert ("Scored" not in message.subject + message.body) == blind
    assert ("Received and valid." in message.body) == blind


def test_a_score_that_is_not_the_best_is_not_in_the_mail(
    phase: Phase, entry: Participation
) -> None:
    Phase.objects.update(policy=Phase.Policy.BEST)
    phase.refresh_from_db()
    scored(phase, entry, both())
    outbox.send("result")
    scored(phase, entry, both({"north": one_wrong()}))
    outbox.send("result")
    assert len(mail.outbox) == 2
    assert "Not better than your best so far" in mail.outbox[1].body
    assert "93." not in mail.outbox[1].body


def test_who_switched_it_off_gets_none_but_may_have_it_again(
    phase: Phase, entry: Participation, ben: User, as_user: Login
) -> None:
    browser, address = Client(), results_off_address(ben)
    assert browser.get(address).status_code == 200
    browser.post(address)
    scored(phase, entry, both())
    assert outbox.send("result") == 0
    as_user(ben).post("/accounts/messages/", {"wants_results": "on"})
    scored(phase, entry, both())
    assert outbox.send("result") == 1
    ben.refresh_from_db()
    assert not ben.wants_messages


def test_a_forged_link_switches_nothing_off(ben: User) -> None:
    address = results_off_address(ben)
    letters = address.replace("results", "letters")
    assert Client().post(letters).status_code == 404, "signed for something else"
    assert Client().post(f"{address[:-4]}xyz/").status_code == 404


def test_who_left_the_team_is_not_told(sent: Submission, ben: User) -> None:
    Participant.objects.all().delete()
    Membership.objects.all().delete()
    assert outbox.send("result") == 0
    assert "not in the team" in Mail.objects.get().error


def test_a_crash_after_sending_repeats_with_the_same_id(
    sent: Submission, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "mark", _dies)
        with pytest.raises(KeyboardInterrupt):
            outbox.send("result")
    Mail.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert outbox.send("result") == 1
    ids = {message.extra_headers["Message-ID"] for message in mail.outbox}
    assert (len(mail.outbox), len(ids)) == (2, 1)


def _dies(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_baselines_and_what_is_scored_anew_are_told_to_nobody(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both(), baseline=True)
    again = accept.submit(upload(phase, entry, both())).evaluations.get()
    Evaluation.objects.update(background=True)
    evaluation.run(again.pk)
    assert not Mail.objects.exists()


def test_a_round_takes_the_same_queries_for_many_events(
    sent: Submission, django_assert_max_num_queries: Callable[..., object]
) -> None:
    outbox.send("result")
    with django_assert_max_num_queries(3):
        outbox.send("result")


def test_results_of_one_person_that_are_due_together_are_one_mail(
    sent: Submission, phase: Phase, entry: Participation, ben: User
) -> None:
    other = scored(phase, entry, both(), system="otter-2")
    assert outbox.send("result") == 2
    (message,) = mail.outbox
    assert message.to == ["ben@example.org"]
    assert message.subject == "[Otter Parsing] 2 results"
    for one, score in ((sent, "93.75 ["), (other, "100.00 [")):
        assert f"/submissions/{one.pk}/" in message.body and score in message.body
    assert message.body.count("\n-- \n") == 1
    assert message.extra_headers["List-Unsubscribe"].strip("<>") in message.body
    assert outbox.send("result") == 0


def test_of_a_rush_each_person_gets_one_mail(
    phase: Phase, entry: Participation, cy: User
) -> None:
    """Their results came in turn, and are more than are asked for at once."""
    Phase.objects.update(daily_limit=None)
    phase.refresh_from_db()
    other = join(phase.task, Team.found("Cy's", cy))
    for _ in range(outbox.TOGETHER // 2 + 1):
        for sender in (entry, other):
            scored(phase, sender, both())
    assert outbox.send("result") == outbox.TOGETHER + 2
    people = [message.to for message in mail.outbox]
    assert people == [["ben@example.org"], ["cy@example.org"]]


def test_what_is_not_wanted_is_left_out_of_a_mail_about_several(
    sent: Submission, phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    Evaluation.objects.filter(submission=sent).update(state=EvaluationState.QUEUED)
    assert outbox.send("result") == 1
    (message,) = mail.outbox
    assert "Scored" in message.subject and f"/{sent.pk}/" not in message.body
    assert Mail.objects.filter(sent_at=None).get().error


def test_a_joined_mail_that_cannot_be_sent_is_sent_whole_later(
    sent: Submission,
    phase: Phase,
    entry: Participation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scored(phase, entry, both())
    with monkeypatch.context() as patched:
        patched.setattr(outbox, "get_connection", Away)
        assert outbox.send("result") == 0
    Mail.objects.update(not_before=timezone.now() - timedelta(seconds=1))
    assert outbox.send("result") == 2
    assert len(mail.outbox) == 1


class Away:
    """A mail server that is not there."""

    def send_messages(self, _messages: object) -> None:
        raise ConnectionRefusedError

    def close(self) -> None:
        """Nothing is open."""


def test_what_twenty_mails_tell_of_is_asked_for_once(
    sent: Submission, phase: Phase, entry: Participation
) -> None:
    """Three statements are left for each: claimed, still in the team, marked."""
    phase.daily_limit = 30
    phase.save()
    outbox.send("result")
    counts = []
    for number in (4, 20):
        for _ in range(number):
            scored(phase, entry, both())
        with CaptureQueriesContext(connection) as asked:
            outbox.send("result")
        counts.append(len(asked))
    assert counts[1] - counts[0] <= 3 * 16
