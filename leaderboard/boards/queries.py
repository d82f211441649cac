"""The big reads of boards, as querysets."""

from datetime import datetime
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from leaderboard.submissions.models import (
    Evaluation,
    State,
    Submission,
    SystemDescription,
)
from leaderboard.tasks.models import Phase


def scored(phase: Phase) -> QuerySet[Evaluation]:
    """Scored evaluations of what counts in a phase, under the one revision it shows."""
    return (
        Evaluation.objects.filter(
            submission__in=Submission.objects.filter(phase=phase).counted(),
            gold_revision=phase.gold_revision_id,
            state=State.SCORED,
        )
        .select_related("submission__participation__team")
        .defer("results", "problems")
        .order_by("submission__received_at", "pk")
    )


def counted(phase: Phase) -> set[UUID]:
    """Submissions of a phase that may stand on its board."""
    found = Submission.objects.filter(phase=phase).counted()
    return set(found.values_list("pk", flat=True))


def entries_per_team(phase: Phase, as_of: datetime | None = None) -> dict[int, int]:
    """How many submissions each participation has in a phase, withdrawn ones too."""
    sent = Q(submissions__phase=phase, submissions__late=False)
    if as_of is not None:
        sent &= Q(submissions__received_at__lte=as_of)
    teams = phase.task.participations.annotate(n=Count("submissions", filter=sent))
    return dict(teams.values_list("pk", "n"))


def descriptions(phase: Phase) -> dict[UUID, SystemDescription]:
    """The newest description of each system of a phase; none before its end."""
    if phase.state() != "over":
        return {}
    sent = Submission.objects.filter(phase=phase).counted()
    found = SystemDescription.objects.filter(submission__in=sent).defer("text")
    return {one.submission_id: one for one in found.order_by("at", "pk")}
