"""Webhooks in tests of the whole site."""

from collections.abc import Iterable, Mapping
from typing import Any

from leaderboard.extras.webhooks import events
from leaderboard.extras.webhooks.views import OWN_WEBHOOK, send_test
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.extras.webhooks.endpoints import hooked, minute_later
from tests.organize.matrix_access import PUBLIC, Rule, holds
from tests.organize.routes import Route, button, form, read

WEBHOOK = Rule(OWN_WEBHOOK, holds)
RULES = (WEBHOOK,)
# What names tasks to everybody.
LISTS = ("/accounts/webhooks/",)
HOOK = {"url": "https://hooks.example.org/", "events": ["board.changed"]}
ROUTES = {
    "webhooks": form(PUBLIC.signed_in, post=HOOK),
    "webhook": read(WEBHOOK, named={"key": "hook"}),
    "webhook-change": button(WEBHOOK, {"action": "pause"}, named={"key": "hook"}),
    "api-webhooks": Route(PUBLIC.signed_in, HOOK),
    "api-webhook": read(WEBHOOK, named={"key": "hook"}),
    "api-webhook-deliveries": read(WEBHOOK, named={"key": "hook"}),
}
# What a scope opens, by route and method.
WRITES = {
    ("api-webhooks", "POST"): "submit",
    ("api-webhook", "DELETE"): "submit",
}


def rows_of(participant: User) -> Mapping[str, Any]:
    """Rows that addresses name, by the word that stands for them in `ROUTES`."""
    return {"hook": hooked(participant).pk}


def watch(people: Iterable[User], task: Task) -> list[int]:
    """These people wait for what happens in a task; keys that addresses name."""
    return [hooked(one, task=task).pk for one in people]


def look() -> None:
    """A look at what happened since."""
    minute_later()
    events.collect()


def place(user: User) -> Mapping[str, Any]:
    """Values of the places in addresses of the API, for a webhook with a delivery."""
    hook = hooked(user, url="https://hooks.example.org/")
    send_test(hook)
    return {"key": hook.pk}
