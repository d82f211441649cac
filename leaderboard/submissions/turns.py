"""Whose evaluation is next: fair between teams, decided in the database alone."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.conf import settings
from django.db.models import Count, F, Max, Q, Window
from django.db.models.functions import Now, RowNumber

from leaderboard.submissions.models import Evaluation, EvaluationQuerySet, State

LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Load:
    """What a team has under way, and when it was last served."""

    busy: int = 0
    served: datetime = LONG_AGO


def fresh_hint() -> Q:
    """Hints the queue may still hold."""
    fresh = Now() - timedelta(seconds=settings.HINT_SECONDS)
    return Q(state=State.QUEUED, published_at__gte=fresh)


def outstanding() -> int:
    return Evaluation.objects.filter(fresh_hint()).count()


def in_turn(
    waiting: EvaluationQuerySet, most: int, count_hints: bool = True
) -> list[int]:
    """Ids of at most `most` of the waiting evaluations, in the order to start them.

    Turns go round: who has least under way comes first, among those who was served
    longest ago. A team with its full number under way has no turn, so that two hundred
    submissions of one team delay another team's single one by no more than two. Hints
    in the queue count as under way, but not for a worker without a queue, to which
    they mean nothing.
    """
    rows = list(
        waiting.annotate(
            place=Window(
                RowNumber(),
                partition_by=F("submission__participation"),
                order_by=[F("created_at").asc(), F("pk").asc()],
            )
        )
        .filter(place__lte=settings.MOST_PER_TEAM)
        .values_list("pk", "submission__participation", "place", "created_at")
    )
    loads = _loads({team for _, team, _, _ in rows}, count_hints)
    ordered = []
    for pk, team, place, created in rows:
        load = loads.get(team, Load())
        turn = load.busy + place
        if turn <= settings.MOST_PER_TEAM:
            ordered.append((turn, load.served, created, pk))
    return [pk for *_, pk in sorted(ordered)[: max(0, most)]]


def _loads(teams: Iterable[int], count_hints: bool) -> dict[int, Load]:
    begun = ~Q(state=State.QUEUED)
    busy = Q(state=State.RUNNING)
    busy = busy | fresh_hint() if count_hints else busy
    rows = (
        Evaluation.objects.filter(submission__participation__in=teams)
        .values("submission__participation")
        .annotate(
            busy=Count("pk", filter=busy),
            served=Max("state_since", filter=begun),
        )
        .values_list("submission__participation", "busy", "served")
    )
    return {team: Load(busy, served or LONG_AGO) for team, busy, served in rows}
