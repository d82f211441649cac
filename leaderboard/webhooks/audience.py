"""Audience of events: the webhooks whose person may know of them, and no more."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Participant, Participation, Task
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import Membership, User
from leaderboard.webhooks.models import Webhook


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


def entries_heard(
    hooks: Iterable[Webhook], submissions: Iterable[Submission]
) -> dict[int, frozenset[int]]:
    """The entries that each webhook hears of, by its key: the person's own.

    A webhook of one task hears of every entry there if its person organizes it.
    """
    task_of = {one.participation_id: one.phase.task for one in submissions}
    tasks = {task.pk: task for task in task_of.values()}
    # Everybody who may have to do with them; who really has is asked one by one.
    inside = Participant.objects.filter(participation__in=task_of)
    later = Membership.objects.filter(team__participations__in=task_of)
    people = {
        *inside.values_list("user", flat=True),
        *later.values_list("user", flat=True),
    }
    heard = {}
    for hook in hooks:
        if hook.user_id not in people and hook.task_id not in tasks:
            continue
        own = Participation.objects.of(hook.user).filter(pk__in=task_of)
        entries = set(own.values_list("pk", flat=True))
        task = tasks.get(hook.task_id)
        if task is not None and policy.can(hook.user, task, Power.SEE):
            entries = set(task_of)
        if hook.task_id is not None:
            entries = {e for e in entries if task_of[e].pk == hook.task_id}
        heard[hook.pk] = frozenset(entries)
    return heard
