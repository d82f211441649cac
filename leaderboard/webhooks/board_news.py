"""Boards that changed since they were last looked at, as far as a reader sees them.

That somebody submitted is no news where the board does not show it: what anybody sees
is compared, and not only how often something happened to the phase.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256

from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from leaderboard.api.models import HookEvent, Watch, WatchedPhase, Webhook
from leaderboard.boards import snapshots
from leaderboard.tasks.models import Phase
from leaderboard.tasks.policy import Disclosure, disclosure
from leaderboard.webhooks import news
from leaderboard.webhooks.audience import reaches

EVERY = timedelta(minutes=1)  # so a webhook is told once a minute at most


@dataclass(frozen=True)
class Change:
    """`public`: anybody sees it; otherwise organizers alone."""

    phase: Phase
    row: WatchedPhase
    asked: str
    seen: str

    @property
    def first(self) -> bool:
        return not self.row.asked

    @property
    def public(self) -> bool:
        return self.seen != self.row.public


def claim(now: datetime) -> bool:
    """Whether it is time, and nobody else is at it."""
    late = Watch.objects.filter(pk=1, boards_at__lte=now - EVERY)
    return bool(late.update(boards_at=now))


def look(hooks: Sequence[Webhook], phases: Sequence[Phase], now: datetime) -> None:
    listening = [hook for hook in hooks if HookEvent.BOARD in hook.events]
    if not listening:
        WatchedPhase.objects.exclude(asked="").update(asked="", public="")
        return
    changes = _changes(phases, now)
    orders = _orders(listening, [one for one in changes if not one.first], now)
    with transaction.atomic():
        for change in changes:
            row = WatchedPhase.objects.filter(pk=change.row.pk)
            row.update(asked=change.asked, public=change.seen)
        news.order(orders)


def _orders(
    hooks: Sequence[Webhook], changes: Sequence[Change], now: datetime
) -> list[tuple[Webhook, news.News]]:
    reach = reaches(hooks, {change.phase.task for change in changes})
    found = []
    for hook in hooks if changes else ():
        mine = reach[hook.user_id]
        shown = [
            change.phase
            for change in changes
            if mine.covers(hook, change.phase.task_id)
            and (change.public or change.phase.task_id in mine.organized)
        ]
        if shown:
            about = f"boards {now:%Y%m%dT%H%M%S%f}"
            data = news.of_boards(shown)
            found.append((hook, news.News(HookEvent.BOARD, about, data)))
    return found


def _changes(phases: Sequence[Phase], now: datetime) -> list[Change]:
    known = {row.phase_id: row for row in WatchedPhase.objects.all()}
    found = []
    for phase in phases:
        row = known.get(phase.pk)
        shown = disclosure(AnonymousUser(), phase, now)
        asked = _digest((phase.board_version, phase.gold_revision_id, _plain(shown)))
        if row is not None and row.asked != asked:
            seen = _seen(phase, shown, asked, now)
            found.append(Change(phase, row, asked, seen))
    return found


def _seen(phase: Phase, shown: Disclosure, asked: str, now: datetime) -> str:
    """A hash of what anybody sees; where all of it is shown the version tells."""
    if not shown.board:
        return "closed"
    if shown.everything and shown.exact and shown.as_of is None:
        return asked
    return snapshots.digest(snapshots.as_values(snapshots.public_boards(phase, now)))


def _plain(shown: Disclosure) -> tuple[object, ...]:
    """Without the sentences, which depend on nothing else."""
    return astuple(replace(shown, lines=()))


def _digest(parts: tuple[object, ...]) -> str:
    return sha256(repr(parts).encode()).hexdigest()
