"""Deliveries: signed, retried, logged, at least once, to a program that listens."""

import base64
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.test.utils import override_settings
from django.utils import timezone

from leaderboard.extras.webhooks import delivery, jobs, signatures, ssrf
from leaderboard.extras.webhooks.models import DeliveryState as State
from leaderboard.extras.webhooks.models import Webhook, WebhookDelivery
from leaderboard.extras.webhooks.views import send_test
from leaderboard.mail import outbox
from leaderboard.mail.sender import Round, sender
from leaderboard.submissions.broker import broker
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from tests.extras.webhooks.endpoints import again, hooked, told
from tests.extras.webhooks.receiving import Program, cut_off, hang, listening, status
from tests.leaderboard.small import both, scored
from tests.waiting import wait_until

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "api.md"


@pytest.fixture
def program(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """On this machine, which only a private installation sends to."""
    settings.WEBHOOK_PRIVATE = True
    monkeypatch.setattr(broker, "answers", lambda: False)
    with listening() as found:
        yield found


@pytest.fixture
def hook(program: Program, ben: User) -> Webhook:
    return hooked(ben, url=program.url)


def one_try(hook: Webhook) -> WebhookDelivery:
    """A test, ordered and as far as one round brings it."""
    row = send_test(hook)
    delivery.send()
    row.refresh_from_db()
    return row


def test_what_happened_arrives_signed_and_is_logged(
    program: Program, phase: Phase, entry: Participation, hook: Webhook
) -> None:
    program.answers = [status(200, b"thanks")]
    sent = scored(phase, entry, both())
    told(hook)
    arrived = delivery.send()
    kinds = [json.loads(one.body)["type"] for one in program.received]
    assert (arrived, kinds) == (2, ["submission.scored", "board.changed"])
    one = program.received[0]
    assert json.loads(one.body)["data"]["submission"] == str(sent.pk)
    assert one.signed_with(signatures.secret_of(hook))
    assert not one.signed_with("whsec_" + base64.b64encode(b"x" * 32).decode())
    assert abs(int(one.headers["webhook-timestamp"]) - timezone.now().timestamp()) < 60
    assert one.headers["content-type"] == "application/json"
    row = WebhookDelivery.objects.get(event="submission.scored")
    assert (row.status, row.answer, row.state) == (200, "thanks", State.ARRIVED)
    assert row.milliseconds is not None and row.sent_at is not None
    assert delivery.send() == 0, "once"


def test_a_refusal_is_tried_again_under_the_same_name(
    program: Program, hook: Webhook
) -> None:
    program.answers = [status(500, b"broken"), status(204)]
    row = one_try(hook)
    hook.refresh_from_db()
    assert (row.status, row.error) == (500, "answered 500")
    assert row.state == State.TRIED and hook.failures == 1
    due = row.next_at
    assert due is not None and timedelta(seconds=20) < due - timezone.now()
    assert delivery.send() == 0, "it rests"
    again()
    assert delivery.send() == 1
    first, second = program.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body
    hook.refresh_from_db()
    assert (hook.failures, hook.failing_since) == (0, None)


def test_a_worker_killed_before_it_could_mark_leads_to_the_same_delivery_again(
    program: Program, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr(delivery, "_note", killed)
    with pytest.raises(SystemExit):
        one_try(hook)
    monkeypatch.undo()
    assert delivery.next_rows() == [], "claimed as long as it may be under way"
    again()
    assert delivery.send() == 1
    names = [one.headers["webhook-id"] for one in program.received]
    assert len(names) == 2 and len(set(names)) == 1
    assert WebhookDelivery.objects.get().tried == 2


def test_two_workers_do_not_send_the_same_row(program: Program, hook: Webhook) -> None:
    send_test(hook)
    (first,), (second,) = delivery.next_rows(), delivery.next_rows()
    assert delivery._claimed(first) and delivery._claimed(second) is None


@pytest.mark.parametrize(("answer", "code"), [(hang, None), (cut_off, None)])
def test_an_answer_that_breaks_off_counts_as_none(
    program: Program,
    hook: Webhook,
    answer: Any,
    code: int | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ssrf, "SECONDS", 0.3)
    program.answers = [answer]
    row = one_try(hook)
    assert (row.status, row.state) == (code, State.TRIED)
    assert row.error.startswith("no answer")


def test_after_a_day_it_is_given_up(program: Program, hook: Webhook) -> None:
    program.answers = [status(503)]
    row = one_try(hook)
    for _ in range(20):
        again()
        delivery.send()
    row.refresh_from_db()
    assert row.tried == delivery.MOST_TRIES == len(program.received)
    assert row.state == State.GIVEN_UP
    day = sum(delivery.PAUSES[:-1], timedelta())
    assert timedelta(hours=20) < day < delivery.TOO_OLD
    assert delivery.PAUSES[0] > timedelta(seconds=ssrf.SECONDS)
    old = send_test(hook)
    WebhookDelivery.objects.update(at=timezone.now() - delivery.TOO_OLD)
    again()
    assert delivery.send() == 0
    old.refresh_from_db()
    assert old.state == State.GIVEN_UP and old.next_at is None


def test_days_without_an_arrival_pause_it_with_one_mail(
    program: Program, hook: Webhook, ben: User
) -> None:
    program.answers = [status(500)]
    one_try(hook)
    Webhook.objects.update(failures=delivery.FAILURES)
    again()
    delivery.send()
    hook.refresh_from_db()
    assert hook.paused_at is None, "not for long enough"
    Webhook.objects.update(failing_since=timezone.now() - delivery.PATIENCE)
    again()
    delivery.send()
    hook.refresh_from_db()
    assert (hook.paused_why, outbox.send("webhook"), outbox.send("webhook")) == (
        "failing",
        1,
        0,
    )
    (letter,) = mail.outbox
    assert letter.to == ["ben@example.org"] and hook.url in letter.body
    assert f"/accounts/webhooks/{hook.pk}/" in letter.body
    assert WebhookDelivery.objects.get().state == State.GIVEN_UP
    hook.resume()
    hook.refresh_from_db()
    assert (hook.paused_at, hook.failures) == (None, 0)


def test_an_address_that_says_it_is_gone_is_paused_at_once(
    program: Program, hook: Webhook
) -> None:
    program.answers = [status(410)]
    one_try(hook)
    hook.refresh_from_db()
    assert hook.paused_why == "gone"
    hook.resume()
    assert outbox.send("webhook") == 0, "it runs again, mail would be wrong"


def test_another_key_of_the_site_pauses_and_an_old_one_still_signs(
    program: Program, hook: Webhook, settings: Any
) -> None:
    secret, old = signatures.secret_of(hook), settings.SECRET_KEY
    with override_settings(SECRET_KEY="new", SECRET_KEY_FALLBACKS=[old]):
        one_try(hook)
    assert program.received[0].signed_with(secret)
    with override_settings(SECRET_KEY="new"):
        one_try(hook)
    hook.refresh_from_db()
    assert (hook.paused_why, len(program.received)) == ("key", 1)


def test_a_signature_is_that_of_another_program() -> None:
    """By standardwebhooks 1.1.0: Webhook(key).sign(name, moment, body)."""
    body = '{"team": "Łódź"}'
    ours = signatures.signature(bytes(range(32)), "a-delivery", 1_800_000_000, body)
    assert ours == "v1,xcHM6AD4TWDS2T8bxgKg9JHaeUjudBKr3WxMS1DWvt4="


def test_nothing_that_is_stored_signs(hook: Webhook) -> None:
    secret = signatures.secret_of(hook)
    kept = repr(Webhook.objects.values().get())
    assert secret.removeprefix("whsec_") not in kept
    assert signatures.key_of(hook).hex() not in kept


def test_one_endpoint_that_hangs_keeps_no_other_from_hearing(
    program: Program, hook: Webhook, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ssrf, "SECONDS", 0.3)
    program.answers = [hang]
    send_test(hook)
    with listening() as other:
        for _ in range(3):
            send_test(hooked_beside(ada, other.url))
        assert delivery.send() == 3
        assert len(other.received) == 3
    assert len(program.received) == 1


def hooked_beside(user: User, url: str) -> Webhook:
    hook = Webhook(user=user, url=url, events=[])
    signatures.seal(hook)
    hook.save()
    return hook


def test_one_webhook_gets_so_many_in_a_minute(
    program: Program, hook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "PER_MINUTE", 3)
    for _ in range(5):
        send_test(hook)
    assert delivery.send() == 3
    past = timezone.now() - timedelta(minutes=2)
    WebhookDelivery.objects.filter(sent_at__isnull=False).update(tried_at=past)
    assert delivery.send() == 2


def test_a_round_ends_when_its_time_is_over(program: Program, hook: Webhook) -> None:
    send_test(hook)
    assert delivery.send(Round(0)) == 0


@pytest.mark.django_db(transaction=True)
def test_the_job_sends_beside_what_scores(program: Program, hook: Webhook) -> None:
    """It returns while the endpoint still hangs."""
    program.answers = [hang]
    send_test(hook)
    jobs.webhooks()
    wait_until(lambda: program.received, what="the request")
    assert sender.busy
    program.over.set()
    wait_until(lambda: not sender.busy, what="the end of the thread")
    row = WebhookDelivery.objects.get()
    assert row.tried == 1 and row.error


def test_the_receiver_of_the_document_takes_ours_and_refuses_others(
    program: Program, hook: Webhook, tmp_path: Path
) -> None:
    """It runs as it stands there, and knows a changed body, name and time."""
    one_try(hook)
    (code,) = re.findall(
        r"```python\n(import base64.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "receiver.py").write_text(code)
    one = program.received[0]
    later = {**one.headers, "webhook-timestamp": "1600000000"}
    other = {**one.headers, "webhook-id": "msg_0"}
    cases = [
        (one.headers, one.body),
        (one.headers, one.body + b" "),
        (later, one.body),
        (other, one.body),
    ]
    asked = [(headers, body.decode()) for headers, body in cases]
    ask = (
        "import json, sys; from receiver import is_ours; given = json.load(sys.stdin)\n"
        "print([is_ours(h, b.encode(), given['secret']) for h, b in given['cases']])"
    )
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=tmp_path,
        text=True,
        capture_output=True,
        input=json.dumps({"secret": signatures.secret_of(hook), "cases": asked}),
        check=False,
    )
    assert done.stdout == "[True, False, False, False]\n", done.stderr
