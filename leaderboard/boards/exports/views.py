"""A board or a snapshot in one of the formats."""

from datetime import datetime
from hashlib import sha256

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import content_disposition_header, http_date
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from leaderboard.boards import snapshots
from leaderboard.boards.exports.formats import ExportFormat, all_formats
from leaderboard.boards.exports.table import (
    ExportTable,
)
from leaderboard.boards.query import UnknownChoice, query_or_404
from leaderboard.boards.views import board_for, reader_of
from leaderboard.tasks import policy
from leaderboard.tasks.access import PHASE
from leaderboard.tasks.models import Phase
from leaderboard.web.access import access, or_404
from leaderboard.web.page_cache import share
from leaderboard.web.requests import HtmxRequest

# A board may be this old (seconds), so a copy of it may be too.
FRESH_SECONDS = 5
FROZEN_SECONDS = 3600
# Letters of a file's name that say what was chosen.
MOST_CHOSEN = 80


def respond(
    request: HttpRequest,
    text: str | bytes,
    content_type: str,
    *,
    version: int = 0,
    frozen_at: datetime | None = None,
    file_name: str = "",
    open_to_all: bool = True,
    fresh_seconds: int = FRESH_SECONDS,
) -> HttpResponse:
    """The text, or 304 where the client has it already.

    `version` is that of a board, `frozen_at` the time of a snapshot. Without a
    `file_name` the text is shown, not saved. A board may be reused for `fresh_seconds`.

    The tag holds the version of the board and the hash of the bytes. The version alone
    would miss what moves a board without an upload: a reveal, a renamed team, another
    release. A board has no Last-Modified: two of its versions may be of one second.
    """
    data = text.encode() if isinstance(text, str) else text
    etag = f'"{version}-{sha256(data).hexdigest()[:24]}"'
    response = HttpResponse(data, content_type=content_type)
    response["ETag"] = etag
    # Shared caches may have only what everybody sees alike.
    if not open_to_all:
        response["Cache-Control"] = "private, no-store"
    elif request.user.is_authenticated:
        response["Cache-Control"] = "private, no-cache"
    else:
        seconds = FROZEN_SECONDS if frozen_at else fresh_seconds
        response["Cache-Control"] = f"public, max-age={seconds}"
    if file_name:
        response["Content-Disposition"] = content_disposition_header(True, file_name)
    modified = None
    if frozen_at is not None:
        modified = int(frozen_at.timestamp())
        response["Last-Modified"] = http_date(modified)
    answer = get_conditional_response(request, etag, modified, response)
    return answer or response


def _format_or_404(name: str) -> ExportFormat:
    formats = all_formats()
    if name not in formats:
        raise UnknownChoice.of(name, formats)
    return formats[name]


@require_safe
@access(PHASE)
def board_exports(request: HtmxRequest, phase: Phase) -> HttpResponse:
    """The ways to take a board away, as its page shows them in a panel that opens;
    a page by itself where there are no scripts."""
    if not policy.disclosure(reader_of(request), phase).board:
        raise Http404
    template = "boards/_export_menu.html" if request.htmx else "boards/exports.html"
    context = {"task": phase.task, "phase": phase}
    answer = share(request, render(request, template, context))
    patch_vary_headers(answer, ["HX-Request"])
    return answer


@require_safe
@access(PHASE)
def board_export(request: HttpRequest, phase: Phase, format: str) -> HttpResponse:
    return export_board(request, phase, format)


def export_board(request: HttpRequest, phase: Phase, format: str) -> HttpResponse:
    """The board that the page shows under the same parameters; 404 without one."""
    form = _format_or_404(format)
    query = query_or_404(request, phase)
    board = board_for(reader_of(request), query)
    if not board.disclosure.board:
        raise Http404
    table = ExportTable.of_page(request, board)
    return respond(
        request,
        form.data(table),
        form.content_type,
        version=board.version,
        file_name=_file_name(table, form),
        open_to_all=not (board.disclosure.organizer or query.phase.task.draft),
    )


@require_safe
@access(PHASE)
def snapshot_export(
    request: HttpRequest, phase: Phase, start: str, format: str
) -> HttpResponse:
    """The frozen rows; `?board=` names one of the snapshot's boards."""
    form = _format_or_404(format)
    snapshot = snapshots.snapshot_or_404(phase, start)
    name = request.GET.get("board", "")
    tables = ExportTable.of_snapshot(snapshot)
    table = or_404([t for t in tables if name == (t.data["board"] or "")])[0]
    return respond(
        request,
        form.data(table),
        form.content_type,
        frozen_at=snapshot.at,
        file_name=_file_name(table, form),
        open_to_all=not phase.task.draft,
    )


def _file_name(table: ExportTable, form: ExportFormat) -> str:
    if not form.attached:
        return ""
    frozen = f"-{table.short_hash}" if table.snapshot else ""
    chosen = "".join(f"-{slugify(choice.value)}" for choice in table.chosen)
    return f"{table.file_stem}{frozen}{chosen[:MOST_CHOSEN]}.{form.name}"
