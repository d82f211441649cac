"""A board or a snapshot in one of the formats; badge and table for other pages."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import NONE, SELF
from csp.decorators import csp
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone, translation
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.boards import snapshots
from leaderboard.boards.caching import Depends, kept
from leaderboard.boards.exports.answering import FRESH, Sent, answer
from leaderboard.boards.exports.badge import badge, drawn
from leaderboard.boards.exports.formats import bibtex
from leaderboard.boards.exports.registry import Format, all_formats
from leaderboard.boards.exports.table import Table, absolute, of_board, of_snapshot
from leaderboard.boards.page import depended_on
from leaderboard.boards.revisions import phase_or_404
from leaderboard.boards.rows import Board
from leaderboard.boards.views import board_or_404
from leaderboard.tasks import access, policy
from leaderboard.tasks.models import Phase

View = Callable[..., HttpResponse]
# Seconds that others may keep what was kept here before.
REST = max(0, FRESH - settings.BOARD_SECONDS)
# Letters of a file's name that say what was chosen.
MOST_CHOSEN = 80
# The one page that other sites may frame: nothing on it can be sent or run.
FRAMED = {
    "default-src": [NONE],
    "style-src": [SELF],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": ["*"],
}


def in_own_language(view: View) -> View:
    """In the language of the site, whoever asks: equal boards are equal bytes."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        with translation.override(settings.LANGUAGE_CODE):
            response = view(request, *args, **kwargs)
        response["Content-Language"] = settings.LANGUAGE_CODE
        return response

    return wrapped


def as_anybody(view: View) -> View:
    """Without the visitor's session: what other sites show is the same to all."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.user = AnonymousUser()
        return view(request, *args, **kwargs)

    return wrapped


def format_or_404(name: str) -> Format:
    found = all_formats().get(name)
    if found is None:
        raise Http404
    return found


def table_of(request: HttpRequest, board: Board) -> Table:
    """All rows, whichever sheet of the page it was asked for on."""
    query = request.GET.copy()
    query.pop("page", None)
    return of_board(board, board.at or timezone.now(), query.urlencode())


@require_safe
@in_own_language
def board_export(
    request: HttpRequest, slug: str, phase: str, format: str
) -> HttpResponse:
    """The board that the page shows under the same parameters; 404 without one."""
    wanted = format_or_404(format)
    found = phase_or_404(request, slug, phase)
    board = board_or_404(request, found)
    if not board.shown.board:
        raise Http404
    table = table_of(request, board)
    sent = Sent(
        text=wanted.write(table),
        content_type=wanted.content_type,
        version=found.board_version,
        name=_file_name(table, wanted),
        open_to_all=not (board.shown.organizer or found.task.draft),
    )
    return answer(request, sent)


@require_safe
@in_own_language
def snapshot_export(
    request: HttpRequest, slug: str, phase: str, start: str, format: str
) -> HttpResponse:
    """The frozen rows; `?board=` names one of the snapshot's boards."""
    wanted = format_or_404(format)
    found = access.phase_or_404(slug, phase, request.user)
    snapshot = snapshots.snapshot_or_404(found, start)
    snapshot.phase = found
    asked = request.GET.get("board", "")
    tables = [t for t in of_snapshot(snapshot) if asked == (t.data["board"] or "")]
    if not tables:
        raise Http404
    sent = Sent(
        text=wanted.write(tables[0]),
        content_type=wanted.content_type,
        at=snapshot.at,
        name=_file_name(tables[0], wanted),
        open_to_all=not found.task.draft,
    )
    return answer(request, sent)


def _file_name(table: Table, wanted: Format) -> str:
    if not wanted.attached:
        return ""
    frozen = f"-{table.about.hash}" if table.about.snapshot else ""
    chosen = "".join(f"-{slugify(one.value)}" for one in table.chosen)
    return f"{table.about.name}{frozen}{chosen[:MOST_CHOSEN]}.{wanted.name}"


@require_safe
@in_own_language
def task_cite(request: HttpRequest, slug: str) -> HttpResponse:
    task = access.task_or_404(slug, request.user)
    text = bibtex.of_task(task, absolute(task.get_absolute_url()))
    kind = all_formats()["bib"].content_type
    return answer(
        request,
        Sent(text, kind, name=f"{task.slug}.bib", open_to_all=not task.draft),
    )


@require_safe
@as_anybody
@in_own_language
def board_badge(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """`?system=` is a submission's key or "best"; the same for all while blind."""
    found = phase_or_404(request, slug, phase)
    text = _kept("badge", request, found, lambda: _badge(request, found))
    sent = Sent(text, "image/svg+xml", version=found.board_version, fresh=REST)
    return answer(request, sent)


def _badge(request: HttpRequest, phase: Phase) -> str:
    board = board_or_404(request, phase)
    if board.shown.board:
        return badge(table_of(request, board), request.GET.get("system", ""))
    return drawn(phase.task.title, _("scores are not shown yet"))


def _kept(
    kind: str, request: HttpRequest, phase: Phase, make: Callable[[], str]
) -> str:
    """What stands on pages of others is made once for all who ask within seconds."""
    shown = policy.disclosure(request.user, phase)
    parts = (
        *depended_on(phase, shown),
        get_language(),
        request.scheme,
        request.get_host(),
        request.get_full_path(),
    )
    return str(kept(Depends(kind, parts, phase.board_version), make))


@require_safe
@as_anybody
@xframe_options_exempt
@csp(FRAMED)
def board_embed(request: HttpRequest, slug: str, phase: str) -> HttpResponse:
    """The table on a page of its own that may stand in a frame anywhere."""
    found = phase_or_404(request, slug, phase)
    html = _kept("embed", request, found, lambda: _framed(request, found))
    response = HttpResponse(html)
    response["Cache-Control"] = f"public, max-age={REST}"
    return response


def _framed(request: HttpRequest, phase: Phase) -> str:
    board = board_or_404(request, phase)
    context = {
        "task": phase.task,
        "phase": phase,
        "board": board,
        "table": table_of(request, board) if board.shown.board else None,
    }
    return render_to_string("exports/embed.html", context, request)
