"""Filters of the list of submissions by its address, and the rows that fit."""

import re
from collections.abc import Mapping
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast

from leaderboard.extension.models import Evaluation, Submission, Task
from leaderboard.extension.submissions import DECIDED, shown_state

ASKED = ("text", "phase", "state", "cause")
CODE = re.compile(r"[\w.-]{1,60}")


def chosen_in(query: Mapping[str, str]) -> dict[str, str]:
    """The filters that an address asks for, without NUL, which PostgreSQL refuses."""
    return {name: query.get(name, "").replace("\0", "").strip() for name in ASKED}


def submissions_of(task: Task, chosen: Mapping[str, str]) -> QuerySet[Submission]:
    """The submissions that fit, newest first, each with its `state`."""
    submissions = Submission.objects.filter(phase__task=task).annotate(
        state=shown_state()
    )
    if words := chosen["text"]:
        submissions = submissions.filter(
            Q(system__icontains=words) | Q(participation__team__name__icontains=words)
        )
    if chosen["phase"]:
        submissions = submissions.filter(phase__name=chosen["phase"])
    if chosen["state"] in DECIDED:
        submissions = submissions.filter(DECIDED[chosen["state"]][1])
    elif chosen["state"]:
        submissions = submissions.filter(state=chosen["state"])
    if chosen["cause"]:
        submissions = submissions.filter(_failed_by(chosen["cause"]))
    related = ("phase__task", "participation__team", "participation__task", "sender")
    return submissions.select_related(*related).order_by("-received_at", "pk")


def _failed_by(cause: str) -> Any:
    """Submissions whose evaluation has a problem of that code, or ended so."""
    current = Evaluation.objects.filter(
        submission=OuterRef("pk"), gold_revision=OuterRef("phase__gold_revision")
    )
    if not CODE.fullmatch(cause):
        return Q(pk=None)
    named = current.annotate(as_text=Cast("problems", TextField())).filter(
        Q(as_text__contains=f'"code": "{cause}"') | Q(state=cause, problems=[])
    )
    return Exists(named)
