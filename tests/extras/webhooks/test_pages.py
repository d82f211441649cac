"""Webhooks on their pages and through the API: added, shown, paused, deleted."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.api.models import KeptAnswer
from leaderboard.extras.webhooks import forms, signatures
from leaderboard.extras.webhooks.models import Webhook, WebhookDelivery
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.webhooks.endpoints import hooked
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import bundle

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db,
    pytest.mark.one_stage,
]
Login = Callable[[User], Client]
PAGE, API = "/accounts/webhooks/", "/api/v1/webhooks/"
FIELDS: dict[str, Any] = {
    "url": "https://hooks.example.org/otters",
    "events": ["phase.closed", "submission.scored"],
}


def added(client: Client, fields: dict[str, Any] | None = None, **more: Any) -> Any:
    return client.post(API, fields or FIELDS, content_type="application/json", **more)


def test_the_page_shows_a_new_secret_once(
    ben: User, task: Task, as_user: Login
) -> None:
    client = as_user(ben)
    answer = client.post(PAGE, {**FIELDS, "task": "otters"})
    (secret,) = re.findall(r"whsec_[\w+/=]{40,}", answer.content.decode())
    hook = Webhook.objects.get()
    assert (
        secret == signatures.secret_of(hook) and "no-store" in answer["Cache-Control"]
    )
    assert (hook.user, hook.task) == (ben, task)
    assert hook.events == ["submission.scored", "phase.closed"]
    for address in (PAGE, f"{PAGE}{hook.pk}/"):
        text = client.get(address).content.decode()
        assert hook.url in text and secret not in text


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "0", "localhost", "127.1", "0177.0.0.1"]
)
def test_a_host_inside_is_refused_at_once_however_it_is_written(
    ben: User, task: Task, as_user: Login, host: str
) -> None:
    """The system's own resolver is asked, which takes all of these for this machine."""
    fields = {**FIELDS, "url": f"https://{host}/hook"}
    page = as_user(ben).post(PAGE, fields).content.decode()
    answer = added(bearer(ben, "submit"), fields)
    assert answer.status_code == 422
    (wrong,) = answer.json()["errors"]["url"]
    inside = "The host is in a network that the site does not send to."
    no_address = "This is no address."  # what has leading zeros
    assert wrong["message"] in (inside, no_address) and wrong["message"] in page
    assert not Webhook.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"url": "http://hooks.example.org/"},
        {"url": "https://127.0.0.1/"},
        {"url": "https://x/" + "y" * 500},
        {"url": "\0"},
        {"url": 7},
        {"events": []},
        {"events": "phase.closed"},
        {"events": ["everything"]},
        {"task": "voles"},
        {"task": "\0"},
        {"task": ["otters"]},
        {"task": {"slug": "otters"}},
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_kept(
    ben: User, task: Task, wrong: dict[str, Any]
) -> None:
    answer = added(bearer(ben, "submit"), {**FIELDS, **wrong})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert set(answer.json()["errors"]) == set(wrong)
    assert not Webhook.objects.exists()


def test_a_program_adds_lists_and_deletes_one(ben: User, cy: User, task: Task) -> None:
    client = bearer(ben, "submit")
    made = added(client, {**FIELDS, "task": "otters"}).json()
    assert made["task"] == "otters" and made["secret"].startswith("whsec_")
    assert made["events"] == ["submission.scored", "phase.closed"]
    (listed,) = client.get(API).json()
    assert listed == {key: made[key] for key in made if key != "secret"}
    one = f"{API}{made['id']}/"
    assert client.get(one).json() == listed
    for address in (one, f"{one}deliveries/"):
        assert bearer(cy, "submit").get(address).status_code == 404
    assert bearer(cy, "submit").delete(one).status_code == 404
    assert client.delete(one).status_code == 204
    assert client.get(API).json() == [] and client.get(one).status_code == 404


def test_a_repetition_gets_the_same_answer_and_the_secret_is_not_kept(
    ben: User, task: Task
) -> None:
    client = bearer(ben, "submit")
    again = {"headers": {"Idempotency-Key": "one"}}
    first, second = added(client, **again), added(client, **again)
    assert first.json() == second.json() and second["Idempotent-Replayed"] == "true"
    assert Webhook.objects.count() == 1
    kept = json.dumps(list(KeptAnswer.objects.values_list("body", flat=True)))
    assert "secret" not in kept and "whsec_" not in kept
    Webhook.objects.all().delete()
    assert added(client, **again).status_code == 404, "it is gone"


def test_a_token_of_one_task_knows_of_that_task_alone(ben: User, task: Task) -> None:
    other = create_task(bundle(slug="voles"), None)
    everywhere, of_other = hooked(ben), hooked(ben, task=other)
    client = bearer(ben, "submit", task=task)
    assert client.get(API).json() == []
    for hook in (everywhere, of_other):
        assert client.get(f"{API}{hook.pk}/deliveries/").status_code == 404
    for wanted in ({}, {"task": "voles"}):
        assert set(added(client, {**FIELDS, **wanted}).json()["errors"]) == {"task"}
    assert added(client, {**FIELDS, "task": "otters"}).json()["task"] == "otters"


def test_nobody_names_a_draft_of_others(ben: User, ada: User, task: Task) -> None:
    Task.objects.update(draft=True)
    wanted = {**FIELDS, "task": "otters"}
    assert added(bearer(ben, "submit"), wanted).status_code == 422
    assert added(bearer(ada, "submit"), wanted).status_code == 201


def test_a_person_has_only_so_many(
    ben: User, as_user: Login, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "MOST_PER_PERSON", 1)
    hooked(ben)
    assert as_user(ben).post(PAGE, FIELDS).status_code == 422
    answer = added(bearer(ben, "submit"))
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_webhooks")
    assert Webhook.objects.count() == 1


def test_pause_run_test_and_delete_do_what_they_say(ben: User, as_user: Login) -> None:
    client, hook = as_user(ben), hooked(ben)
    page = f"{PAGE}{hook.pk}/"

    def press(action: str) -> str:
        answer = client.post(f"{page}change/", {"action": action}, follow=True)
        hook.refresh_from_db()
        return str(answer.content.decode())

    assert "on its way" in press("test")
    assert "under way" in press("test"), "one at a time"
    assert WebhookDelivery.objects.count() == 1
    assert "Paused since" in press("pause") and hook.paused_why == "owner"
    assert "paused webhook sends nothing" in press("test")
    assert "runs again" in press("resume") and hook.paused_at is None
    assert press("nonsense") and hook.paused_at is None
    client.post(f"{page}change/", {"action": "delete"})
    assert not Webhook.objects.exists() and client.get(page).status_code == 404


def test_the_log_says_what_was_answered_and_when_the_next_try_is(
    ben: User, as_user: Login
) -> None:
    hook = hooked(ben)
    WebhookDelivery.objects.create(
        webhook=hook,
        event="webhook.test",
        about="x",
        body="{}",
        tried=2,
        status=503,
        milliseconds=812,
        error="answered 503",
        answer="<b>later</b>",
    )
    text = as_user(ben).get(f"{PAGE}{hook.pk}/").content.decode()
    for said in (
        "Will be tried again",
        "2 attempts",
        "status 503",
        "812 ms",
        "&lt;b&gt;later&lt;/b&gt;",
        "Next attempt from",
    ):
        assert said in text
    (row,) = bearer(ben).get(f"{API}{hook.pk}/deliveries/").json()
    assert (row["state"], row["status"], row["answer"]) == (
        "tried",
        503,
        "<b>later</b>",
    )
    assert row["next_at"] and row["id"].startswith("msg_")


def test_a_longer_log_and_list_ask_no_more_questions(
    ben: User, as_user: Login, task: Task
) -> None:
    client, counts = as_user(ben), []
    for _ in range(2):
        for _ in range(3):
            hook = hooked(ben, task=task)
        for number in range(3):
            WebhookDelivery.objects.create(
                webhook=hook, event="webhook.test", about=str(number), body="{}"
            )
        asked = []
        for address in (PAGE, f"{PAGE}{hook.pk}/"):
            with CaptureQueriesContext(connection) as found:
                assert client.get(address).status_code == 200
            asked.append(len(found))
        counts.append(asked)
    assert counts[0] == counts[1]
