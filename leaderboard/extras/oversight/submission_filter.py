"""Filters of the list of submissions by its address, and the rows that fit."""

import re
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.forms import CharField, SearchInput
from django.utils.translation import gettext_lazy

from leaderboard.extension.models import Evaluation, Submission, Task
from leaderboard.extension.submissions import SubmissionFilters

CODE = re.compile(r"[\w.-]{1,60}")


class SentFilters(SubmissionFilters):
    """The filters of the list of all that was sent to a task."""

    text = CharField(
        label=gettext_lazy("System or team"), max_length=100, widget=SearchInput
    )
    cause = CharField(label=gettext_lazy("Problem code"), max_length=60)
    field_order = ("text", "phase", "state", "cause")


def submissions_of(task: Task, filters: SentFilters) -> QuerySet[Submission]:
    """The submissions that fit, newest first, each with its `state`."""
    submissions = filters.rows(Submission.objects.filter(phase__task=task))
    chosen = filters.chosen
    if words := chosen["text"]:
        submissions = submissions.filter(
            Q(system__icontains=words) | Q(participation__team__name__icontains=words)
        )
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
