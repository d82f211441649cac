"""Answers of teams in which judges are: given to nobody of the team, and not counted.

A team is somebody's own who is in it, who left it, and where its entry and theirs were
merged. Without an account nobody can tell; a browser that is signed in is asked.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet

from leaderboard.extension.models import Membership, Participant, Submission
from leaderboard.extras.judging.models import (
    Assignment,
    Campaign,
    Judge,
    JudgeAccount,
)


def submissions(judge: Judge, reader: Any = None) -> set[UUID]:
    """Submissions to the judge's task that are of their own teams."""
    people = set(
        JudgeAccount.objects.filter(judge=judge).values_list("user", flat=True)
    )
    if reader is not None and reader.is_authenticated:
        people.add(reader.pk)
    own = (
        _submissions_by_account(judge.campaign.phase.task_id, people) if people else {}
    )
    return set().union(*own.values())


def without(rows: QuerySet[Assignment], own: set[UUID]) -> QuerySet[Assignment]:
    """The assignments that show no answer of these submissions."""
    return rows.exclude(_shows(own)) if own else rows


def shows_own(assignment: Assignment, judge: Judge, reader: Any = None) -> bool:
    """Whether an answer of it is of an own team."""
    own = submissions(judge, reader)
    answers = (assignment.first, assignment.second)
    return any(answer is not None and answer.submission_id in own for answer in answers)


def by_judge(campaign: Campaign) -> Mapping[int, set[UUID]]:
    """Submissions of own teams, by the key of each judge who has some."""
    accounts = JudgeAccount.objects.filter(judge__campaign=campaign)
    judges = dict(accounts.values_list("judge", "user"))
    own = _submissions_by_account(campaign.phase.task_id, set(judges.values()))
    return {judge: own[user] for judge, user in judges.items() if user in own}


def assignments(campaign: Campaign) -> list[int]:
    """Keys of assignments of which an answer is of an own team of the judge, now or
    when their account was deleted."""
    rows = Assignment.objects.filter(judge__campaign=campaign)
    assignments = set(rows.filter(own_team=True).values_list("pk", flat=True))
    for judge, own in by_judge(campaign).items():
        mine = rows.filter(_shows(own), judge=judge)
        assignments.update(mine.values_list("pk", flat=True))
    return sorted(assignments)


def keep(account: JudgeAccount) -> None:
    """Mark a judge's assignments of own teams before nobody can tell any more."""
    task = account.judge.campaign.phase.task_id
    own = _submissions_by_account(task, {account.user_id}).get(account.user_id, set())
    rows = Assignment.objects.filter(judge=account.judge_id)
    keys = list(rows.filter(_shows(own)).values_list("pk", flat=True))
    Assignment.objects.filter(pk__in=keys).update(own_team=True)


def _submissions_by_account(task: Any, people: Iterable[int]) -> dict[int, set[UUID]]:
    """Submissions of teams of a task in which accounts are or were, by account."""
    entries: dict[int, set[int]] = defaultdict(set)
    inside = Participant.objects.filter(task=task, user__in=people)
    for user, entry in inside.values_list("user", "participation"):
        entries[user].add(entry)
    members = Membership.objects.filter(
        user__in=people, team__participations__task=task
    )
    for user, entry in members.values_list("user", "team__participations"):
        entries[user].add(entry)
    if not entries:
        return {}
    own_entries = set().union(*entries.values())
    rows = Submission.objects.filter(
        Q(participation__in=own_entries)
        | Q(participation__merged_into__in=own_entries),
        phase__task=task,
    ).values_list("pk", "participation", "participation__merged_into")
    by_user: dict[int, set[UUID]] = defaultdict(set)
    for key, *both in rows:
        for user, mine in entries.items():
            if mine & set(both):
                by_user[user].add(key)
    return dict(by_user)


def _shows(own: set[UUID]) -> Q:
    return Q(first__submission__in=own) | Q(second__submission__in=own)
