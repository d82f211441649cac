"""Atom feeds of a task, or of the site: results, gold, dates, rankings.

Everything here is what anybody may see at that moment.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.contrib.syndication.views import Feed
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.feedgenerator import Atom1Feed
from django.utils.html import escape
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.extension import policy
from leaderboard.extension.access import ANYBODY, TASK, access
from leaderboard.extension.boards import Board, BoardQuery, Row, board_for, rankings
from leaderboard.extension.caches import PageKey, cached_page
from leaderboard.extension.exports import one_line, respond
from leaderboard.extension.models import (
    Evaluation,
    EvaluationState,
    Notice,
    Phase,
    Snapshot,
    Submission,
    Task,
)
from leaderboard.extension.policy import Disclosure
from leaderboard.extension.snapshots import address_of

MOST_ITEMS = 50
# The site's own feed looks at the boards that moved last, and no more of them.
MOST_PHASES = 3
NEWEST_SENT = 500
FRESH_SECONDS = 60  # readers may keep it as long, and ask for it all the time


@dataclass(frozen=True)
class FeedItem:
    """An item as readers list it. `key`, an address, is what they know it by again,
    where that is not its link."""

    title: str
    text: str
    link: str
    at: datetime
    key: str = ""


def items_of_task(task: Task) -> list[FeedItem]:
    notices = Notice.objects.filter(task=task)
    snapshots = Snapshot.objects.filter(phase__task=task)
    phases = _with_test_sets(task.phases.all())
    return _newest_items(notices, snapshots, phases, task.phases.all())


def items_of_site() -> list[FeedItem]:
    tasks = policy.listed_tasks(None)
    notices = Notice.objects.filter(task__in=tasks)
    snapshots = Snapshot.objects.filter(phase__task__in=tasks)
    # In two steps, each by an index.
    submissions = Submission.objects.filter(phase__task__in=tasks)
    newest = submissions.order_by("-received_at", "pk").values_list("pk", flat=True)
    scored = Evaluation.objects.filter(
        submission__in=list(newest[:NEWEST_SENT]),
        state=EvaluationState.SCORED,
        gold_revision=F("submission__phase__gold_revision"),
    ).order_by("-submission__received_at", "-pk")
    keys = scored.values_list("submission__phase", flat=True)
    some = list(dict.fromkeys(keys))[:MOST_PHASES]
    moved = _with_test_sets(Phase.objects.filter(pk__in=some))
    return _newest_items(
        notices, snapshots, moved, Phase.objects.filter(task__in=tasks)
    )


def _with_test_sets(phases: QuerySet[Phase]) -> QuerySet[Phase]:
    related = phases.select_related("task", "gold_revision")
    return related.prefetch_related("test_sets")


def _newest_items(
    notices: QuerySet[Notice],
    snapshots: QuerySet[Snapshot],
    scored_phases: Iterable[Phase],
    phases: QuerySet[Phase],
) -> list[FeedItem]:
    frozen = snapshots.defer("data").select_related("phase__task", "gold_revision")
    items = [
        *map(_notice, notices.select_related("task", "phase")[:MOST_ITEMS]),
        *map(_snapshot, frozen[:MOST_ITEMS]),
        *(item for phase in scored_phases for item in _results(phase)),
        *_opened_and_closed(phases.select_related("task")),
    ]
    return sorted(items, key=lambda item: item.at, reverse=True)[:MOST_ITEMS]


def _opened_and_closed(phases: QuerySet[Phase]) -> Iterator[FeedItem]:
    """Phases that opened or closed; those that will do so are no news yet."""
    now = timezone.now()
    for phase in phases.filter(opens__lte=now).order_by("-opens")[:MOST_ITEMS]:
        yield _date(phase, _("opened"), phase.opens)
    for phase in phases.filter(closes__lte=now).order_by("-closes")[:MOST_ITEMS]:
        yield _date(phase, _("closed"), cast(datetime, phase.closes))


def _date(phase: Phase, event: str, moment: datetime) -> FeedItem:
    link = f"{phase.task.get_absolute_url()}#{phase.name}-{event}"
    title = _title(phase.task.title, phase.title, event)
    return FeedItem(title, phase.local_text(moment), link, moment)


def _notice(notice: Notice) -> FeedItem:
    phase = notice.phase.title if notice.phase else ""
    link = f"{reverse('task-log', args=[notice.task.slug])}#notice-{notice.pk}"
    title = _title(notice.task.title, phase, notice.get_kind_display())
    return FeedItem(title, notice.text, link, notice.at)


def _snapshot(snapshot: Snapshot) -> FeedItem:
    phase = snapshot.phase
    kind = _("Final ranking") if snapshot.final else _("Snapshot")
    text = _("Version %(number)s of the answer key, SHA-256 %(hash)s.") % {
        "number": snapshot.gold_revision.number,
        "hash": snapshot.sha256,
    }
    title = _title(phase.task.title, phase.title, snapshot.title or kind)
    return FeedItem(title, text, address_of(snapshot), snapshot.at)


def _results(phase: Phase) -> list[FeedItem]:
    """The newest entries that the public sees, kept for all who ask within a minute
    while the board is the same."""
    disclosure = policy.disclosure(AnonymousUser(), phase)
    parts = (*BoardQuery(phase).cache_parts(disclosure), get_language())

    def items_of_phase() -> list[dict[str, Any]]:
        items = [
            item
            for query in rankings(phase)
            for item in _newest_results(query, disclosure)
        ]
        items.sort(key=lambda item: item.at, reverse=True)
        return [_plain(item) for item in items[:MOST_ITEMS]]

    key = PageKey("feed", parts, phase.board_version)
    values = cached_page(key, items_of_phase, FRESH_SECONDS)
    return [
        FeedItem(**item | {"at": datetime.fromisoformat(item["at"])}) for item in values
    ]


def _plain(item: FeedItem) -> dict[str, Any]:
    """An item as the cache gives it back, in which text is not marked as safe."""
    names = ("title", "text", "link", "key")
    texts = {name: str(getattr(item, name)) for name in names}
    return {**texts, "at": item.at.isoformat()}


def _newest_results(query: BoardQuery, disclosure: Disclosure) -> Iterator[FeedItem]:
    """The newest results of a ranking, with the rank of those on the board itself."""
    board = board_for(AnonymousUser(), query)
    every = replace(query, everything=disclosure.everything)
    newest = board_for(AnonymousUser(), every).rows.newest(MOST_ITEMS)
    ranks = board.rows.ranks([row.submission for row in newest])
    for row in newest:
        yield _result(board, row, ranks.get(row.submission))


def _result(ranking: Board, row: Row, rank: int | None) -> FeedItem:
    phase, own = ranking.phase, ranking.test_set
    of_test_set = f"?test_set={own.name}" if own is not None else ""
    board = reverse("board", args=[phase.task.slug, phase.name])
    link = reverse("system", args=[row.submission])
    score = row.sorted_by
    text = f"{score.measure.title} {score.printed} {score.interval}".strip()
    if rank is not None:
        place = _("rank %(rank)s") % {"rank": rank}
        text = f"{text}, {place}"
    text = _("%(told)s (version %(number)s of the answer key)") % {
        "told": text,
        "number": phase.gold_revision.number,
    }
    of = own.title if own is not None else ""
    title = _title(phase.task.title, phase.title, of, f"{row.team}, {row.system}")
    return FeedItem(
        title,
        text,
        f"{link}{of_test_set}",
        row.received_at,
        f"{board}{of_test_set}#{row.submission}",
    )


def _title(*parts: str) -> str:
    return ": ".join(one_line(part) for part in parts if part)


class _Atom(Feed):
    feed_type = Atom1Feed
    author_name = "Plumbline"  # a feed without an author is no valid one

    def item_title(self, item: FeedItem) -> str:
        return item.title

    def item_description(self, item: FeedItem) -> str:
        # Readers take it for HTML.
        return escape(one_line(item.text))

    def item_link(self, item: FeedItem) -> str:
        return item.link

    def item_guid(self, item: FeedItem) -> str:
        return settings.SITE_URL + (item.key or item.link)

    def item_updateddate(self, item: FeedItem) -> datetime:
        return item.at

    item_pubdate = item_updateddate


class TaskFeed(_Atom):
    def get_object(self, request: HttpRequest, task: Task) -> Task:
        return task

    def title(self, task: Task) -> str:
        return one_line(task.title)

    def subtitle(self, task: Task) -> str:
        return one_line(task.summary)

    def link(self, task: Task) -> str:
        return task.get_absolute_url()

    def items(self, task: Task) -> list[FeedItem]:
        return items_of_task(task)


class SiteFeed(_Atom):
    title = "Plumbline"
    link = "/"

    def items(self) -> list[FeedItem]:
        return items_of_site()


def _answer(request: HttpRequest, feed: _Atom, **kwargs: Any) -> HttpResponse:
    atom = feed(request, **kwargs)
    text, kind = atom.content.decode(), atom.headers["Content-Type"]
    answer = respond(request, text, kind, fresh_seconds=FRESH_SECONDS)
    answer.for_anybody = True  # type: ignore[attr-defined]  # see AnonymousCache
    return answer


@require_safe
@access(TASK)
def task_feed(request: HttpRequest, task: Task) -> HttpResponse:
    return _answer(request, TaskFeed(), task=task)


@require_safe
@access(ANYBODY)
def site_feed(request: HttpRequest) -> HttpResponse:
    return _answer(request, SiteFeed())
