"""Events that webhooks are told of, made into deliveries.

The end of an evaluation, a line of the public log and a team's own end of a phase are
announced in the transaction that writes them (see `models.Announcement`); the
announcement goes in the one that makes the deliveries. A
phase that opened or closed and a board that changed are known by how they were when
last looked at, as the clock alone may move them. Whoever looks at the same time makes
the same deliveries, and the database keeps one of each.

Bodies are thin: they name what happened, ids and links, and no score, no name and no
file. Whatever the policy says about those is asked when a link is followed.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from leaderboard.boards import snapshots
from leaderboard.extras.webhooks.audience import hooks_about, reaches
from leaderboard.extras.webhooks.models import (
    TEST,
    Announcement,
    EventKind,
    Watch,
    WatchedPhase,
    Webhook,
    WebhookDelivery,
)
from leaderboard.mail.outbox import site
from leaderboard.results.status import evaluation_of
from leaderboard.submissions.models import EvaluationState, Event
from leaderboard.tasks.models import Notice, Phase
from leaderboard.tasks.policy import Disclosure, disclosure

AT_ONCE = 2000
KEPT = timedelta(days=14)
# What ended longer ago, while nothing was sent at all, is news to nobody.
RECENT = timedelta(days=3)
BOARDS_EVERY = timedelta(minutes=1)  # so a webhook is told once a minute at most
Watched = tuple[Phase, WatchedPhase]
PHASE_KINDS = {"open": EventKind.OPENED, "over": EventKind.CLOSED}


def collect() -> None:
    """Everything that happened since; costs one query where nobody has a webhook."""
    hooks = list(Webhook.objects.alive().select_related("user"))
    if not hooks:
        # What happens now is not told to who comes later.
        if Watch.objects.filter(pk=1).delete()[0]:
            WatchedPhase.objects.all().delete()
            Announcement.objects.all().delete()
        return
    now = timezone.now()
    first = Watch(pk=1, boards_at=now - BOARDS_EVERY)
    Watch.objects.bulk_create([first], ignore_conflicts=True)
    _collect_submissions(now)
    _collect_notices(hooks)
    _collect_extensions()
    # With what their boards' disclosure asks for.
    related = Phase.objects.select_related("task", "gold_revision")
    phases = list(related.prefetch_related("task__phases").order_by("pk"))
    watched = _watched(phases, now)
    _collect_phases(hooks, watched, now)
    late = Watch.objects.filter(pk=1, boards_at__lte=now - BOARDS_EVERY)
    if late.update(boards_at=now):  # it is time, and nobody else is at it
        _collect_boards(hooks, watched, now)
        WebhookDelivery.objects.filter(at__lt=now - KEPT).delete()


def delivery_of(
    hook: Webhook, kind: str, about: str, data: Mapping[str, Any]
) -> WebhookDelivery:
    """Not saved; `about` tells the event from every other one of the same webhook."""
    body = {"type": kind, "timestamp": timezone.now().isoformat(), "data": data}
    text = json.dumps(body, separators=(",", ":"))
    return WebhookDelivery(webhook=hook, event=kind, about=about, body=text)


def _order(deliveries: Iterable[WebhookDelivery]) -> None:
    """All but those of what a webhook was told already."""
    WebhookDelivery.objects.bulk_create(list(deliveries), ignore_conflicts=True)


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


def _collect_submissions(now: datetime) -> None:
    submission = "event__evaluation__submission"
    related = Announcement.objects.select_related(
        f"{submission}__phase__task", f"{submission}__participation"
    ).prefetch_related(f"{submission}__evaluations")
    rows = list(related.exclude(event=None).order_by("pk")[:AT_ONCE])
    if not rows:
        return
    events = [row.event for row in rows if _is_news(row.event, now)]
    submissions = [event.evaluation.submission for event in events]
    entries = [one.participation for one in submissions]
    hooks = list(hooks_about(entries).alive().select_related("user"))
    reach = reaches(hooks, {one.phase.task for one in submissions})
    deliveries = [
        delivery_of(hook, kind, f"event {event.pk}", _submission_data(event))
        for event in events
        for kind in [_kind_of(event)]
        for hook in hooks
        if kind in hook.events
        and hook.created_at <= event.at
        and reach[hook.user_id].covers_entry(
            hook, event.evaluation.submission.participation
        )
    ]
    _told(rows, deliveries)


def _is_news(event: Event, now: datetime) -> bool:
    """Whether it still is how it ended, lately, and somebody waited for it.

    Nobody does for baselines, what was brought along from another site, and what is
    scored anew under corrected gold.
    """
    evaluation = event.evaluation
    submission = evaluation.submission
    unasked = submission.baseline or submission.brought_at is not None
    if evaluation.background or unasked or event.at < now - RECENT:
        return False
    return evaluation.state == event.new and evaluation_of(submission) == evaluation


def _kind_of(event: Event) -> EventKind:
    scored = event.new == EvaluationState.SCORED
    return EventKind.SCORED if scored else EventKind.FAILED


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


# The public log, and a team's own end of a phase


def _collect_notices(hooks: Sequence[Webhook]) -> None:
    related = Announcement.objects.select_related("notice__task", "notice__phase")
    rows = list(related.exclude(notice=None).order_by("pk")[:AT_ONCE])
    reach = reaches(hooks, {row.notice.task for row in rows})
    deliveries = [
        delivery_of(
            hook,
            EventKind.ANNOUNCED,
            f"notice {row.notice_id}",
            _notice_data(row.notice),
        )
        for row in rows
        for hook in hooks
        if EventKind.ANNOUNCED in hook.events
        and hook.created_at <= row.at
        and reach[hook.user_id].covers(hook, row.notice.task_id)
    ]
    _told(rows, deliveries)


def _notice_data(notice: Notice) -> dict[str, Any]:
    slug = notice.task.slug
    return {
        "task": slug,
        "phase": notice.phase and notice.phase.name,
        "kind": notice.kind,
        "links": _links(reverse("task-log", args=[slug]), "api-log", slug),
    }


def _collect_extensions() -> None:
    related = Announcement.objects.select_related("phase__task", "entry")
    rows = list(related.exclude(entry=None).order_by("pk")[:AT_ONCE])
    entries = {row.entry for row in rows}
    hooks = list(hooks_about(entries).alive().select_related("user")) if rows else []
    reach = reaches(hooks, {row.phase.task for row in rows})
    deliveries = [
        delivery_of(
            hook,
            EventKind.EXTENDED,
            f"extension {row.pk}",
            {
                "task": row.phase.task.slug,
                "phase": row.phase.name,
                "entry": row.entry_id,
                "links": _phase_links(row.phase),
            },
        )
        for row in rows
        for hook in hooks
        if EventKind.EXTENDED in hook.events
        and hook.created_at <= row.at
        and reach[hook.user_id].covers_entry(hook, row.entry)
    ]
    _told(rows, deliveries)


def _told(rows: Sequence[Announcement], deliveries: Sequence[WebhookDelivery]) -> None:
    if rows:
        with transaction.atomic():
            _order(deliveries)
            Announcement.objects.filter(pk__in=[row.pk for row in rows]).delete()


# Phases


def _watched(phases: Sequence[Phase], now: datetime) -> list[Watched]:
    """Phases with how they were; of a new one that is as it is, which is no news."""
    rows = WatchedPhase.objects.all()
    known = set(rows.values_list("phase", flat=True))
    WatchedPhase.objects.bulk_create(
        [
            WatchedPhase(phase=phase, state=phase.state(now))
            for phase in phases
            if phase.pk not in known
        ],
        ignore_conflicts=True,
    )
    row_of = {row.phase_id: row for row in rows.all()}
    return [(phase, row_of[phase.pk]) for phase in phases if phase.pk in row_of]


def _collect_phases(
    hooks: Sequence[Webhook], watched: Sequence[Watched], now: datetime
) -> None:
    changed = [(phase, row) for phase, row in watched if row.state != phase.state(now)]
    reach = reaches(hooks, {phase.task for phase, _row in changed})
    for phase, row in changed:
        state = phase.state(now)
        kind = PHASE_KINDS.get(state)
        about = f"phase {phase.pk} {state} {now:%Y%m%dT%H%M%S%f}"
        with transaction.atomic():
            same = WatchedPhase.objects.filter(pk=row.pk, state=row.state)
            # Unless somebody else was first.
            if same.update(state=state) and kind:
                _order(
                    delivery_of(hook, kind, about, _phase_data(phase))
                    for hook in hooks
                    if kind in hook.events
                    and reach[hook.user_id].covers(hook, phase.task_id)
                )


def _phase_data(phase: Phase) -> dict[str, Any]:
    return {
        "task": phase.task.slug,
        "phase": phase.name,
        "opens": phase.opens.isoformat(),
        "closes": phase.closes and phase.closes.isoformat(),
        "links": _phase_links(phase),
    }


def _phase_links(phase: Phase) -> dict[str, str]:
    task = phase.task
    return _links(task.get_absolute_url(), "api-phase", task.slug, phase.name)


# Boards. That somebody submitted is no news where the board does not show it: what
# anybody sees is compared, and not only how often something happened to the phase.


def _collect_boards(
    hooks: Sequence[Webhook], watched: Sequence[Watched], now: datetime
) -> None:
    """All that changed together, so that a rush of submissions is one delivery."""
    hooks = [hook for hook in hooks if EventKind.BOARD in hook.events]
    if not hooks:
        WatchedPhase.objects.exclude(asked="").update(asked="", public="")
        return
    rows: list[WatchedPhase] = []
    # With whether anybody sees the change; otherwise organizers alone.
    changes: list[tuple[Phase, bool]] = []
    for phase, row in watched:
        shown = disclosure(AnonymousUser(), phase, now)
        # Without the sentences, which depend on nothing else.
        plain = astuple(replace(shown, lines=()))
        asked = _digest((phase.board_version, phase.gold_revision_id, plain))
        if row.asked == asked:
            continue
        public = _public_digest(phase, shown, asked, now)
        if row.asked:  # the first look is no news
            changes.append((phase, public != row.public))
        row.asked, row.public = asked, public
        rows.append(row)
    deliveries = []
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
            deliveries.append(
                delivery_of(hook, EventKind.BOARD, about, {"boards": boards})
            )
    with transaction.atomic():
        WatchedPhase.objects.bulk_update(rows, ["asked", "public"])
        _order(deliveries)


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
