"""Kinds of events that a webhook may be told of, in one table.

A new kind is a row here and what finds it in `events.py`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.teams.models import User


@dataclass(frozen=True)
class EventKind:
    """`may_know`: whether a person may know of an event with that data.

    Asked again when it is sent: who left a team meanwhile hears no more of it.
    """

    name: str
    title: str | Promise
    may_know: Callable[[User, Mapping[str, Any]], bool]


def _sees_submission(user: User, data: Mapping[str, Any]) -> bool:
    submissions = Submission.objects.select_related("participation__task")
    found = submissions.filter(pk=data["submission"]).first()
    return found is not None and policy.sees_entry(user, found.participation)


def _sees_task(user: User, data: Mapping[str, Any]) -> bool:
    return policy.visible_tasks(user).filter(slug=data["task"]).exists()


def _sees_tasks_of_boards(user: User, data: Mapping[str, Any]) -> bool:
    slugs = {board["task"] for board in data["boards"]}
    return policy.visible_tasks(user).filter(slug__in=slugs).count() == len(slugs)


SCORED = EventKind("submission.scored", _("A submission was scored"), _sees_submission)
FAILED = EventKind(
    "submission.failed", _("A submission could not be scored"), _sees_submission
)
BOARD = EventKind("board.changed", _("A board changed"), _sees_tasks_of_boards)
OPENED = EventKind("phase.opened", _("A phase opened"), _sees_task)
CLOSED = EventKind("phase.closed", _("A phase closed"), _sees_task)
# Sent by its owner's button alone; there is nothing in it to know.
TEST = EventKind("webhook.test", "", lambda user, data: True)
KINDS = {kind.name: kind for kind in (SCORED, FAILED, BOARD, OPENED, CLOSED)}


def may_still_know(user: User, event: str, body: str) -> bool:
    """False of a kind that there is no more."""
    kind = TEST if event == TEST.name else KINDS.get(event)
    return kind is not None and kind.may_know(user, json.loads(body)["data"])
