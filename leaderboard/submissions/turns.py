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

    What was just sent goes before background work, of which only so much may be under
    way: that delays a new submission by what is running already, and by no more.
    """
    ordered = _fresh(waiting, count_hints)[: max(0, most)]
    room = min(most - len(ordered), _background_room(count_hints))
    if room > 0:
        later = waiting.filter(background=True).order_by("pk")
        ordered += later.values_list("pk", flat=True)[:room]
    return ordered


def instead_of(evaluation_id: int) -> int:
    """The evaluation to run when the queue says to run this one.

    A hint for background work gives way to what was sent after it was told.
    """
    ready = Evaluation.objects.ready()
    if not ready.filter(pk=evaluation_id, background=True).exists():
        return evaluation_id
    first = _fresh(ready, count_hints=False)[:1]
    if not first:
        return evaluation_id
    Evaluation.objects.filter(pk=evaluation_id).update(published_at=None)
    return first[0]


def ahead_of(evaluation: Evaluation) -> int | None:
    """How many of those waiting begin before this one, as turns stand now.

    None for what is not in line: background work, and what pauses after a failure.
    """
    line = _in_line(Evaluation.objects.ready(), count_hints=False, most=None)
    return line.index(evaluation.pk) if evaluation.pk in line else None


def _background_room(count_hints: bool) -> int:
    busy = Q(state=State.RUNNING)
    busy = busy | fresh_hint() if count_hints else busy
    under_way = Evaluation.objects.filter(busy, background=True).count()
    return settings.MOST_BACKGROUND - under_way


def _fresh(waiting: EvaluationQuerySet, count_hints: bool) -> list[int]:
    return _in_line(waiting, count_hints, settings.MOST_PER_TEAM)


def _in_line(
    waiting: EvaluationQuerySet, count_hints: bool, most: int | None
) -> list[int]:
    """What was just sent, in fair turns.

    Turns go round: who has least under way comes first, among those who was served
    longest ago. A team with `most` under way has no turn, so that two hundred
    submissions of one team delay another team's single one by no more than two. Hints
    in the queue count as under way, but not for a worker without a queue, to which
    they mean nothing.
    """
    placed = waiting.filter(background=False).annotate(
        place=Window(
            RowNumber(),
            partition_by=F("submission__participation"),
            order_by=[F("created_at").asc(), F("pk").asc()],
        )
    )
    if most is not None:
        placed = placed.filter(place__lte=most)
    entry = "submission__participation"
    rows = list(placed.values_list("pk", entry, "place", "created_at"))
    loads = _loads({team for _, team, _, _ in rows}, count_hints)
    ordered = []
    for pk, team, place, created in rows:
        load = loads.get(team, Load())
        turn = load.busy + place
        if most is None or turn <= most:
            ordered.append((turn, load.served, created, pk))
    return [pk for *_, pk in sorted(ordered)]


def _loads(teams: Iterable[int], count_hints: bool) -> dict[int, Load]:
    begun = ~Q(state=State.QUEUED)
    busy = Q(state=State.RUNNING)
    busy = busy | fresh_hint() if count_hints else busy
    rows = (
        Evaluation.objects.filter(submission__participation__in=teams, background=False)
        .values("submission__participation")
        .annotate(
            busy=Count("pk", filter=busy),
            served=Max("state_since", filter=begun),
        )
        .values_list("submission__participation", "busy", "served")
    )
    return {team: Load(busy, served or LONG_AGO) for team, busy, served in rows}
