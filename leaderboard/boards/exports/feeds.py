"""What happens in a task, or on the site, as Atom: results, gold, dates, rankings.

Everything here is what anybody may see at that moment.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.contrib.syndication.views import Feed
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.boards.exports.answering import Sent, answer
from leaderboard.boards.exports.views import in_own_language
from leaderboard.boards.exports.words import one_line
from leaderboard.boards.rows import BoardQuery, Row, board
from leaderboard.boards.snapshots import address_of
from leaderboard.submissions.models import Evaluation, State
from leaderboard.tasks import access, policy
from leaderboard.tasks.models import Notice, Phase, Snapshot, Task
from leaderboard.tasks.policy_text import said

MOST = 50
# The site's own feed looks at the boards that moved last, and no more of them.
MOST_PHASES = 5
LOOKED_AT = 200


@dataclass(frozen=True)
class Item:
    title: str
    text: str
    link: str
    at: datetime


def items_of(task: Task) -> list[Item]:
    """Newest first."""
    notices = Notice.objects.filter(task=task)
    snapshots = Snapshot.objects.filter(phase__task=task)
    phases = task.phases.select_related("task", "gold_revision")
    return _newest(notices, snapshots, phases, _by_the_clock(task.phases.all()))


def items_of_site() -> list[Item]:
    tasks = policy.visible_tasks(None)
    notices = Notice.objects.filter(task__in=tasks)
    snapshots = Snapshot.objects.filter(phase__task__in=tasks)
    dated = _by_the_clock(Phase.objects.filter(task__in=tasks))
    return _newest(notices, snapshots, _moved(tasks), dated)


def _moved(tasks: QuerySet[Task]) -> QuerySet[Phase]:
    """The phases of the newest scores."""
    scored = Evaluation.objects.filter(
        submission__phase__task__in=tasks,
        state=State.SCORED,
        gold_revision=F("submission__phase__gold_revision"),
    )
    newest = scored.order_by("-submission__received_at", "-pk")
    keys = newest.values_list("submission__phase", flat=True)[:LOOKED_AT]
    chosen = list(dict.fromkeys(keys))[:MOST_PHASES]
    phases = Phase.objects.select_related("task", "gold_revision")
    return phases.filter(pk__in=chosen)


def _newest(
    notices: QuerySet[Notice],
    snapshots: QuerySet[Snapshot],
    phases: Iterable[Phase],
    dated: Iterable[Item],
) -> list[Item]:
    found = [_told(one) for one in notices.select_related("task", "phase")[:MOST]]
    frozen = snapshots.defer("data").select_related("phase__task", "gold_revision")
    found += [_frozen(one) for one in frozen[:MOST]]
    found += [item for phase in phases for item in _results(phase)]
    found += dated
    return sorted(found, key=lambda one: one.at, reverse=True)[:MOST]


def _by_the_clock(phases: QuerySet[Phase]) -> Iterator[Item]:
    """Phases that opened or closed; those that will do so are no news yet."""
    now = timezone.now()
    phases = phases.select_related("task")
    for phase in phases.filter(opens__lte=now).order_by("-opens")[:MOST]:
        yield _dated(phase, _("opened"), phase.opens)
    for phase in phases.filter(closes__lte=now).order_by("-closes")[:MOST]:
        yield _dated(phase, _("closed"), phase.closes)


def _dated(phase: Phase, what: str, moment: datetime) -> Item:
    link = f"{phase.task.get_absolute_url()}#{phase.name}-{what}"
    title = _title([phase.task.title, phase.title, what])
    return Item(title, said(moment, phase), link, moment)


def _told(notice: Notice) -> Item:
    where = notice.phase.title if notice.phase else ""
    parts = [notice.task.title, where, notice.get_kind_display()]
    link = f"{reverse('task-log', args=[notice.task.slug])}#notice-{notice.pk}"
    return Item(_title(parts), notice.text, link, notice.at)


def _frozen(snapshot: Snapshot) -> Item:
    phase = snapshot.phase
    kind = _("Final ranking") if snapshot.final else _("Snapshot")
    told = {"number": snapshot.gold_revision.number, "hash": snapshot.sha256}
    text = _("Gold revision %(number)s, SHA-256 %(hash)s.") % told
    parts = [phase.task.title, phase.title, snapshot.title or kind]
    return Item(_title(parts), text, address_of(snapshot), snapshot.at)


def _results(phase: Phase) -> Iterator[Item]:
    """Every entry that the public sees, with the rank of those on the board itself."""
    shown = policy.disclosure(AnonymousUser(), phase)
    plain = board(phase, BoardQuery(), shown)
    entries = (
        board(phase, BoardQuery(everything=True), shown) if shown.everything else plain
    )
    ranks = {row.submission: row.rank for row in plain.rows}
    rows = sorted(entries.rows, key=lambda row: row.received_at, reverse=True)
    for row in rows[:MOST]:
        yield _result(phase, row, ranks.get(row.submission))


def _result(phase: Phase, row: Row, rank: int | None) -> Item:
    address = reverse("board", args=[phase.task.slug, phase.name])
    score = row.sorted_by
    told = f"{score.measure.title} {score.printed} {score.interval}".strip()
    if rank is not None:
        place = _("rank %(rank)s") % {"rank": rank}
        told = f"{told}, {place}"
    parts = [phase.task.title, phase.title, f"{row.team}, {row.system}"]
    text = _("%(told)s (gold revision %(number)s)") % {
        "told": told,
        "number": phase.gold_revision.number,
    }
    return Item(_title(parts), text, f"{address}#{row.submission}", row.received_at)


def _title(parts: Sequence[str]) -> str:
    return ": ".join(one_line(part) for part in parts if part)


class _Atom(Feed):
    """Item by item from what `items_of` found."""

    feed_type = Atom1Feed

    def item_title(self, item: Item) -> str:  # type: ignore[override]
        return item.title

    def item_description(self, item: Item) -> str:  # type: ignore[override]
        # Readers take it for HTML.
        return escape(one_line(item.text))

    def item_link(self, item: Item) -> str:  # type: ignore[override]
        return item.link

    def item_updateddate(self, item: Item) -> datetime:
        return item.at

    item_pubdate = item_updateddate


class TaskFeed(_Atom):
    def get_object(self, request: HttpRequest, slug: str) -> Task:
        return access.task_or_404(slug, request.user)

    def title(self, task: Task) -> str:
        return one_line(task.title)

    def subtitle(self, task: Task) -> str:
        return one_line(task.summary)

    def link(self, task: Task) -> str:
        return task.get_absolute_url()

    def items(self, task: Task) -> list[Item]:
        return items_of(task)


class SiteFeed(_Atom):
    title = "Plumbline"
    link = "/"

    def items(self) -> list[Item]:
        return items_of_site()


def _sent(request: HttpRequest, feed: _Atom, **kwargs: Any) -> HttpResponse:
    made = feed(request, **kwargs)
    kind = made.headers["Content-Type"]
    return answer(request, Sent(made.content.decode(), kind))


@require_safe
@in_own_language
def task_feed(request: HttpRequest, slug: str) -> HttpResponse:
    return _sent(request, TaskFeed(), slug=slug)


@require_safe
@in_own_language
def site_feed(request: HttpRequest) -> HttpResponse:
    return _sent(request, SiteFeed())
