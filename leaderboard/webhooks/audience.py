"""Whom an event concerns: what the person of a webhook may know of, and no more."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from leaderboard.api.models import Webhook
from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import Membership, User


@dataclass(frozen=True)
class Reach:
    """Of some tasks those that a person sees, organizes, and has to do with."""

    seen: frozenset[int]
    organized: frozenset[int]
    own: frozenset[int]

    def covers(self, hook: Webhook, task: int) -> bool:
        """A webhook of one task hears of it, others of all the person's own."""
        if hook.task_id is not None:
            return task == hook.task_id and task in self.seen
        return task in self.own & self.seen


def reach_of(user: User, tasks: Iterable[Task]) -> Reach:
    """Two queries, and one for each of the tasks."""
    asked = {task.pk: task for task in tasks}
    seen = policy.visible_tasks(user).filter(pk__in=asked)
    entered = Participation.objects.of(user).filter(task__in=asked)
    organized = {k for k, task in asked.items() if policy.can(user, task, Power.SEE)}
    return Reach(
        frozenset(seen.values_list("pk", flat=True)),
        frozenset(organized),
        frozenset(entered.values_list("task", flat=True)) | organized,
    )


def reaches(hooks: Iterable[Webhook], tasks: Collection[Task]) -> dict[int, Reach]:
    """By the key of the person."""
    users = {hook.user_id: hook.user for hook in hooks}
    return {key: reach_of(user, tasks) for key, user in users.items()} if tasks else {}


def of_submissions(
    hooks: Iterable[Webhook], sent: Collection[Submission]
) -> dict[int, frozenset[int]]:
    """The entries that each webhook hears of, by its key: the person's own.

    A webhook of one task hears of every entry there if its person organizes it.
    """
    entries = {one.participation_id for one in sent}
    tasks = {one.phase.task_id: one.phase.task for one in sent}
    here = {one.participation_id: one.phase.task_id for one in sent}
    inside = _members(entries)
    concerned = [h for h in hooks if h.user_id in inside or h.task_id in tasks]
    found = {}
    for hook in concerned:
        own = Participation.objects.of(hook.user).filter(pk__in=entries)
        heard = set(own.values_list("pk", flat=True))
        task = tasks.get(hook.task_id) if hook.task_id else None
        if task is not None and policy.can(hook.user, task, Power.SEE):
            heard = set(entries)
        if hook.task_id is not None:
            heard = {entry for entry in heard if here[entry] == hook.task_id}
        found[hook.pk] = frozenset(heard)
    return found


def _members(entries: Collection[int]) -> set[int]:
    """Everybody who may have to do with them; who really has is asked one by one."""
    inside = Participant.objects.filter(participation__in=entries)
    later = Membership.objects.filter(team__participations__in=entries)
    return {
        *inside.values_list("user", flat=True),
        *later.values_list("user", flat=True),
    }


def may_still_know(user: User, body: str) -> bool:
    """Asked again when it is sent: who left a team meanwhile hears no more of it."""
    data = json.loads(body)["data"]
    if "submission" in data:
        sent = Submission.objects.select_related("participation__task")
        found = sent.filter(pk=data["submission"]).first()
        return found is not None and policy.sees_entry(user, found.participation)
    named = {one["task"] for one in data.get("boards", [data]) if "task" in one}
    return policy.visible_tasks(user).filter(slug__in=named).count() == len(named)
