"""The big reads of boards, as querysets."""

from django.db.models import Count, Q, QuerySet

from leaderboard.submissions.models import Evaluation, State
from leaderboard.tasks.models import Phase


def scored(phase: Phase) -> QuerySet[Evaluation]:
    """Scored evaluations of a phase under the one revision it shows."""
    return (
        Evaluation.objects.filter(
            submission__phase=phase,
            submission__late=False,
            submission__withdrawn_at__isnull=True,
            gold_revision=phase.gold_revision_id,
            state=State.SCORED,
        )
        .select_related("submission__participation__team")
        .order_by("submission__received_at", "pk")
    )


def entries_per_team(phase: Phase) -> dict[int, int]:
    """How many submissions each participation has in a phase."""
    counted = Q(submissions__phase=phase, submissions__late=False)
    teams = phase.task.participations.annotate(n=Count("submissions", filter=counted))
    return dict(teams.values_list("pk", "n"))
