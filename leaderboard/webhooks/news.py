"""What a webhook is told: thin, as a link leads to the rest and asks for a token.

A body names what happened, ids and links, and no score, no name and no file: whatever
the policy says about those is asked when the link is followed.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils import timezone

from leaderboard.api.models import Webhook, WebhookDelivery
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from leaderboard.tasks.outbox import site

TEST = "webhook.test"


@dataclass(frozen=True)
class News:
    """One event; `about` tells it from every other one of the same webhook."""

    event: str
    about: str
    data: Mapping[str, Any]

    def body(self, moment: datetime) -> str:
        told = {
            "type": self.event,
            "timestamp": moment.isoformat(),
            "data": self.data,
        }
        return json.dumps(told, separators=(",", ":"))


def order(told: Iterable[tuple[Webhook, News]]) -> None:
    """Make a delivery of each, but of what the webhook was told already."""
    now = timezone.now()
    rows = [
        WebhookDelivery(
            webhook=hook, event=news.event, about=news.about, body=news.body(now)
        )
        for hook, news in told
    ]
    if rows:
        WebhookDelivery.objects.bulk_create(rows, ignore_conflicts=True)


def of_submission(submission: Submission, state: str) -> dict[str, Any]:
    return {
        "submission": str(submission.pk),
        "task": submission.phase.task.slug,
        "phase": submission.phase.name,
        "state": state,
        "links": {
            "page": site(submission.get_absolute_url()),
            "api": site(reverse("api-submission", args=[submission.pk])),
        },
    }


def of_phase(phase: Phase) -> dict[str, Any]:
    place = [phase.task.slug, phase.name]
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "opens": phase.opens.isoformat(),
        "closes": phase.closes and phase.closes.isoformat(),
        "links": {
            "page": site(phase.task.get_absolute_url()),
            "api": site(reverse("api-phase", args=place)),
        },
    }


def of_boards(phases: Iterable[Phase]) -> dict[str, Any]:
    """All that changed together, so that a rush of submissions is one delivery."""
    return {"boards": [_board(phase) for phase in phases]}


def _board(phase: Phase) -> dict[str, Any]:
    place = [phase.task.slug, phase.name]
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "links": {
            "page": site(reverse("board", args=place)),
            "api": site(reverse("api-board", args=place)),
        },
    }


def of_test(hook: Webhook) -> dict[str, Any]:
    return {"links": {"page": site(reverse("webhook", args=[hook.pk]))}}
