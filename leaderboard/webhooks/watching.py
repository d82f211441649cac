"""Looking for what webhooks are to be told, and making their deliveries.

Nothing that scores or changes a task knows of webhooks: the rows tell. A final event of
an evaluation is found by its number, a phase that opened or closed and a board that
changed by how they were when last looked at. Whoever looks at the same time makes the
same deliveries, and the database keeps one of each.
"""

from datetime import datetime, timedelta

from django.db.models import Max
from django.db.models.functions import Now
from django.utils import timezone

from leaderboard.api.models import (
    HookEvent,
    Watch,
    WatchedPhase,
    Webhook,
    WebhookDelivery,
)
from leaderboard.submissions.models import Event, State
from leaderboard.submissions.result_mail import RECENT, TOLD
from leaderboard.submissions.status import evaluation_of
from leaderboard.webhooks import audience, board_news, news, phase_news

# Numbers are given out before rows are committed: for so long, and among so many, one
# may appear behind the newest.
LATE, MARGIN = timedelta(minutes=5), 1000
AT_ONCE = 2000
KEPT = timedelta(days=14)
RELATED = "evaluation__submission"


def look() -> None:
    """Everything that happened since; costs one query where nobody has a webhook."""
    hooks = list(Webhook.objects.alive().select_related("user"))
    if not hooks:
        forget()
        return
    watch = Watch.objects.filter(pk=1).first() or _begin()
    now = timezone.now()
    _look_at_submissions(hooks, watch)
    phases = phase_news.phases()
    phase_news.look(hooks, phases, now)
    if board_news.claim(now):
        board_news.look(hooks, phases, now)
        clear(now)


def forget() -> None:
    """Nobody listens: what happens now is not told to who comes later."""
    if Watch.objects.filter(pk=1).delete()[0]:
        WatchedPhase.objects.all().delete()


def clear(now: datetime) -> None:
    WebhookDelivery.objects.filter(at__lt=now - KEPT).delete()


def _begin() -> Watch:
    newest = Event.objects.aggregate(newest=Max("pk"))["newest"] or 0
    first = Watch(pk=1, event=newest, boards_at=timezone.now() - board_news.EVERY)
    Watch.objects.bulk_create([first], ignore_conflicts=True)
    return first


def _look_at_submissions(hooks: list[Webhook], watch: Watch) -> None:
    kinds = (HookEvent.SCORED, HookEvent.FAILED)
    hooks = [hook for hook in hooks if any(kind in hook.events for kind in kinds)]
    found = _events(watch)
    if not found:
        return
    events = [event for event in found if _holds(event)]
    sent = {e.evaluation.submission_id: e.evaluation.submission for e in events}
    heard = audience.of_submissions(hooks, sent.values())
    known = _told_lately()
    news.order(
        (hook, _of_event(event))
        for event in events
        for hook in hooks
        if kind_of(event) in hook.events
        and hook.created_at <= event.at
        and event.evaluation.submission.participation_id in heard.get(hook.pk, ())
        and (hook.pk, _name(event)) not in known
    )
    newest = max(event.pk for event in found)
    Watch.objects.filter(pk=1, event__lt=newest).update(event=newest)


def _events(watch: Watch) -> list[Event]:
    """Final events since, and those that may have come late.

    Neither of baselines nor of what is scored anew under corrected gold.
    """
    rows = Event.objects.filter(
        new__in=TOLD,
        at__gte=Now() - RECENT,
        evaluation__background=False,
        evaluation__submission__baseline=False,
    )
    related = (f"{RELATED}__phase__task", f"{RELATED}__participation")
    rows = rows.select_related(*related).prefetch_related(f"{RELATED}__evaluations")
    behind = (watch.event - MARGIN + 1, watch.event)
    late = rows.filter(pk__range=behind, at__gte=Now() - LATE)
    return [*late, *rows.filter(pk__gt=watch.event).order_by("pk")[:AT_ONCE]]


def _told_lately() -> set[tuple[int, str]]:
    rows = WebhookDelivery.objects.filter(at__gt=timezone.now() - 2 * LATE)
    return set(rows.values_list("webhook", "about"))


def _holds(event: Event) -> bool:
    """Whether it still is how it ended."""
    evaluation = event.evaluation
    newest = evaluation_of(evaluation.submission)
    return evaluation.state == event.new and newest == evaluation


def kind_of(event: Event) -> str:
    scored = event.new == State.SCORED
    return HookEvent.SCORED if scored else HookEvent.FAILED


def _of_event(event: Event) -> news.News:
    data = news.of_submission(event.evaluation.submission, event.new)
    return news.News(kind_of(event), _name(event), data)


def _name(event: Event) -> str:
    return f"event {event.pk}"
