"""Audience of events: the webhooks whose person may know of them, and no more."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from leaderboard.extras.webhooks.models import TEST, EventKind, Webhook
from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import Membership, User


@dataclass(frozen=True)
class Reach:
    """Tasks, out of some, that a person sees, organizes, and has an entry in."""

    seen: frozenset[int]
    organized: frozenset[int]
    entered: frozenset[int]
    entries: frozenset[int]

    def covers(self, hook: Webhook, task: int) -> bool:
        """A webhook of one task hears of it, others of all the person's own."""
        if hook.task_id is not None:
            return task == hook.task_id and task in self.seen
        return task in (self.entered | self.organized) & self.seen

    def covers_entry(self, hook: Webhook, entry: Participation) -> bool:
        """The person's own; organizers hear of every entry by a webhook of the task."""
        if hook.task_id is None:
            return entry.pk in self.entries
        organizes = entry.task_id in self.organized
        own = organizes or entry.pk in self.entries
        return own and entry.task_id == hook.task_id


def reaches(hooks: Iterable[Webhook], tasks: Collection[Task]) -> dict[int, Reach]:
    """The reach of each webhook's person, by the person's key."""
    users = {hook.user_id: hook.user for hook in hooks}
    return {key: _reach_of(user, tasks) for key, user in users.items()} if tasks else {}


def _reach_of(user: User, tasks: Iterable[Task]) -> Reach:
    """Two queries, and one for each of the tasks."""
    asked = {task.pk: task for task in tasks}
    seen = policy.visible_tasks(user).filter(pk__in=asked)
    own = Participation.objects.of(user).filter(task__in=asked)
    entries = dict(own.values_list("pk", "task"))
    return Reach(
        seen=frozenset(seen.values_list("pk", flat=True)),
        organized=frozenset(
            key for key, task in asked.items() if policy.can(user, task, Power.SEE)
        ),
        entered=frozenset(entries.values()),
        entries=frozenset(entries),
    )


def hooks_about(entries: Iterable[Participation]) -> QuerySet[Webhook]:
    """Webhooks of all who may have to do with these entries; `Reach` says who has."""
    keys = {entry.pk for entry in entries}
    inside = Participant.objects.filter(participation__in=keys)
    later = Membership.objects.filter(team__participations__in=keys)
    return Webhook.objects.filter(
        Q(task__in={entry.task_id for entry in entries})
        | Q(user__in=inside.values("user"))
        | Q(user__in=later.values("user"))
    )


def may_still_know(user: User, kind: str, body: str) -> bool:
    """Whether a person may know of the event when it is sent.

    Who left a team meanwhile hears no more of it, and nobody of a kind that there is
    no more.
    """
    if kind == TEST:
        # It is sent by its owner's button; there is nothing in it to know.
        return True
    if kind not in EventKind.values:
        return False
    match json.loads(body)["data"]:
        case {"submission": key}:
            submissions = Submission.objects.select_related("participation__task")
            submission = submissions.filter(pk=key).first()
            return submission is not None and policy.sees_entry(
                user, submission.participation
            )
        case {"entry": key}:
            entry = Participation.objects.select_related("task").filter(pk=key).first()
            return entry is not None and policy.sees_entry(user, entry)
        case {"boards": boards}:
            slugs = {board["task"] for board in boards}
        case {"task": task}:
            slugs = {task}
        case _:
            return False
    return policy.visible_tasks(user).filter(slug__in=slugs).count() == len(slugs)
