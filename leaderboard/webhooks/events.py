"""Events since the last look, found in rows and made into deliveries.

Nothing that scores or changes a task knows of webhooks: the rows tell. A final event of
an evaluation is found by its number, a phase that opened or closed and a board that
changed by how they were when last looked at, as the clock alone may move them. Whoever
looks at the same time makes the same deliveries, and the database keeps one of each.

Bodies are thin: they name what happened, ids and links, and no score, no name and no
file. Whatever the policy says about those is asked when a link is followed.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.submissions.models import EvaluationState, Event
from leaderboard.submissions.result_mail import RECENT, TOLD
from leaderboard.submissions.status import evaluation_of
from leaderboard.tasks.models import Phase
from leaderboard.tasks.outbox import site
from leaderboard.tasks.policy import Disclosure, disclosure
from leaderboard.webhooks.audience import entries_heard, reaches
from leaderboard.webhooks.kinds import (
    BOARD,
    CLOSED,
    FAILED,
    OPENED,
    SCORED,
    TEST,
    EventKind,
)
from leaderboard.webhooks.models import Watch, WatchedPhase, Webhook, WebhookDelivery

# Numbers are given out before rows are committed: for so long, and among so many, one
# may appear behind the newest.
LATE, MARGIN = timedelta(minutes=5), 1000
AT_ONCE = 2000
KEPT = timedelta(days=14)
BOARDS_EVERY = timedelta(minutes=1)  # so a webhook is told once a minute at most
PHASE_KINDS = {"open": OPENED, "over": CLOSED}


def collect() -> None:
    """Everything that happened since; costs one query where nobody has a webhook."""
    hooks = list(Webhook.objects.alive().select_related("user"))
    if not hooks:
        # What happens now is not told to who comes later.
        if Watch.objects.filter(pk=1).delete()[0]:
            WatchedPhase.objects.all().delete()
        return
    watch = Watch.objects.filter(pk=1).first() or _first_watch()
    now = timezone.now()
    _collect_submissions(hooks, watch)
    # With what their boards' disclosure asks for.
    related = Phase.objects.select_related("task", "gold_revision")
    phases = list(related.prefetch_related("task__phases").order_by("pk"))
    _collect_phases(hooks, phases, now)
    late = Watch.objects.filter(pk=1, boards_at__lte=now - BOARDS_EVERY)
    if late.update(boards_at=now):  # it is time, and nobody else is at it
        _collect_boards(hooks, phases, now)
        WebhookDelivery.objects.filter(at__lt=now - KEPT).delete()


def _first_watch() -> Watch:
    newest = Event.objects.aggregate(newest=Max("pk"))["newest"] or 0
    first = Watch(pk=1, event=newest, boards_at=timezone.now() - BOARDS_EVERY)
    Watch.objects.bulk_create([first], ignore_conflicts=True)
    return first


def delivery_of(
    hook: Webhook, kind: EventKind, about: str, data: Mapping[str, Any]
) -> WebhookDelivery:
    """Not saved; `about` tells the event from every other one of the same webhook."""
    body = {"type": kind.name, "timestamp": timezone.now().isoformat(), "data": data}
    text = json.dumps(body, separators=(",", ":"))
    return WebhookDelivery(webhook=hook, event=kind.name, about=about, body=text)


def _order(deliveries: Iterable[WebhookDelivery]) -> None:
    """All but those of what a webhook was told already."""
    if rows := list(deliveries):
        WebhookDelivery.objects.bulk_create(rows, ignore_conflicts=True)


def order_test(hook: Webhook) -> WebhookDelivery:
    """The delivery of a test, at once even where the webhook rests."""
    now = timezone.now()
    data = {"links": {"page": site(reverse("webhook", args=[hook.pk]))}}
    row = delivery_of(hook, TEST, f"test {now:%Y%m%dT%H%M%S%f}", data)
    row.save()
    Webhook.objects.filter(pk=hook.pk).update(rests_until=now)
    return row


def _links(page: str, api: str, *place: object) -> dict[str, str]:
    return {"page": site(page), "api": site(reverse(api, args=place))}


# Submissions


def _collect_submissions(hooks: Sequence[Webhook], watch: Watch) -> None:
    wanted = {SCORED.name, FAILED.name}
    hooks = [hook for hook in hooks if wanted.intersection(hook.events)]
    found = _events(watch)
    if not found:
        return
    events = [event for event in found if _holds(event)]
    heard = entries_heard(hooks, [event.evaluation.submission for event in events])
    lately = WebhookDelivery.objects.filter(at__gt=timezone.now() - 2 * LATE)
    known = set(lately.values_list("webhook", "about"))
    _order(
        delivery_of(hook, kind, about, _submission_data(event))
        for event in events
        for kind, about in [(_kind_of(event), f"event {event.pk}")]
        for hook in hooks
        if kind.name in hook.events
        and hook.created_at <= event.at
        and event.evaluation.submission.participation_id in heard.get(hook.pk, ())
        and (hook.pk, about) not in known
    )
    newest = max(event.pk for event in found)
    Watch.objects.filter(pk=1, event__lt=newest).update(event=newest)


def _events(watch: Watch) -> list[Event]:
    """Final events since, and those that may have come late.

    Neither of baselines nor of what is scored anew under corrected gold.
    """
    submission = "evaluation__submission"
    rows = Event.objects.filter(
        new__in=TOLD,
        at__gte=Now() - RECENT,
        evaluation__background=False,
        evaluation__submission__baseline=False,
    )
    rows = rows.select_related(
        f"{submission}__phase__task", f"{submission}__participation"
    ).prefetch_related(f"{submission}__evaluations")
    behind = (watch.event - MARGIN + 1, watch.event)
    late = rows.filter(pk__range=behind, at__gte=Now() - LATE)
    return [*late, *rows.filter(pk__gt=watch.event).order_by("pk")[:AT_ONCE]]


def _holds(event: Event) -> bool:
    """Whether it still is how it ended."""
    evaluation = event.evaluation
    newest = evaluation_of(evaluation.submission)
    return evaluation.state == event.new and newest == evaluation


def _kind_of(event: Event) -> EventKind:
    return SCORED if event.new == EvaluationState.SCORED else FAILED


def _submission_data(event: Event) -> dict[str, Any]:
    submission = event.evaluation.submission
    page = submission.get_absolute_url()
    return {
        "submission": str(submission.pk),
        "task": submission.phase.task.slug,
        "phase": submission.phase.name,
        "state": event.new,
        "links": _links(page, "api-submission", submission.pk),
    }


# Phases


def _collect_phases(
    hooks: Sequence[Webhook], phases: Sequence[Phase], now: datetime
) -> None:
    """The first look at a phase is no news."""
    known = {row.phase_id: row for row in WatchedPhase.objects.all()}
    rows = [
        WatchedPhase(phase=phase, state=phase.state(now))
        for phase in phases
        if phase.pk not in known
    ]
    WatchedPhase.objects.bulk_create(rows, ignore_conflicts=True)
    changed = [
        phase
        for phase in phases
        if phase.pk in known and known[phase.pk].state != phase.state(now)
    ]
    wanted = {OPENED.name, CLOSED.name}
    hooks = [hook for hook in hooks if wanted.intersection(hook.events)]
    reach = reaches(hooks, {phase.task for phase in changed})
    for phase in changed:
        state, row = phase.state(now), known[phase.pk]
        kind = PHASE_KINDS.get(state)
        about = f"phase {phase.pk} {state} {now:%Y%m%dT%H%M%S%f}"
        with transaction.atomic():
            same = WatchedPhase.objects.filter(pk=row.pk, state=row.state)
            # Unless somebody else was first.
            if same.update(state=state) and kind:
                _order(
                    delivery_of(hook, kind, about, _phase_data(phase))
                    for hook in hooks
                    if kind.name in hook.events
                    and reach[hook.user_id].covers(hook, phase.task_id)
                )


def _phase_data(phase: Phase) -> dict[str, Any]:
    place = (phase.task.slug, phase.name)
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "opens": phase.opens.isoformat(),
        "closes": phase.closes and phase.closes.isoformat(),
        "links": _links(phase.task.get_absolute_url(), "api-phase", *place),
    }


# Boards. That somebody submitted is no news where the board does not show it: what
# anybody sees is compared, and not only how often something happened to the phase.


def _collect_boards(
    hooks: Sequence[Webhook], phases: Collection[Phase], now: datetime
) -> None:
    hooks = [hook for hook in hooks if BOARD.name in hook.events]
    if not hooks:
        WatchedPhase.objects.exclude(asked="").update(asked="", public="")
        return
    known = {row.phase_id: row for row in WatchedPhase.objects.all()}
    seen: dict[int, tuple[str, str]] = {}
    # With whether anybody sees the change; otherwise organizers alone.
    changes: list[tuple[Phase, bool]] = []
    for phase in phases:
        row = known.get(phase.pk)
        shown = disclosure(AnonymousUser(), phase, now)
        # Without the sentences, which depend on nothing else.
        plain = astuple(replace(shown, lines=()))
        asked = _digest((phase.board_version, phase.gold_revision_id, plain))
        if row is None or row.asked == asked:
            continue
        public = _public_digest(phase, shown, asked, now)
        seen[row.pk] = (asked, public)
        if row.asked:  # the first look is no news
            changes.append((phase, public != row.public))
    deliveries = list(_board_deliveries(hooks, changes, now))
    with transaction.atomic():
        for pk, (asked, public) in seen.items():
            WatchedPhase.objects.filter(pk=pk).update(asked=asked, public=public)
        _order(deliveries)


def _board_deliveries(
    hooks: Sequence[Webhook], changes: Sequence[tuple[Phase, bool]], now: datetime
) -> Iterable[WebhookDelivery]:
    """All that changed together, so that a rush of submissions is one delivery."""
    reach = reaches(hooks, {phase.task for phase, _public in changes})
    for hook in hooks if changes else ():
        mine = reach[hook.user_id]
        boards = [
            _board_data(phase)
            for phase, public in changes
            if mine.covers(hook, phase.task_id)
            and (public or phase.task_id in mine.organized)
        ]
        if boards:
            about = f"boards {now:%Y%m%dT%H%M%S%f}"
            yield delivery_of(hook, BOARD, about, {"boards": boards})


def _board_data(phase: Phase) -> dict[str, Any]:
    place = (phase.task.slug, phase.name)
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "links": _links(reverse("board", args=place), "api-board", *place),
    }


def _public_digest(phase: Phase, shown: Disclosure, asked: str, now: datetime) -> str:
    """A hash of what anybody sees; where all of it is shown the version tells."""
    if not shown.board:
        return "closed"
    if shown.everything and shown.exact and shown.as_of is None:
        return asked
    return snapshots.digest(snapshots.as_values(snapshots.public_boards(phase, now)))


def _digest(parts: tuple[object, ...]) -> str:
    return sha256(repr(parts).encode()).hexdigest()
