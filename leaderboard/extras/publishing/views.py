"""A task or system to be cited; badge and table of a board for pages of other sites."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.constants import NONE, SELF
from csp.decorators import csp
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from leaderboard.extension import policy
from leaderboard.extension.access import ON_BOARD, PHASE, TASK, access
from leaderboard.extension.boards import (
    board_for,
    overviews_of,
    query_or_404,
    reader_of,
)
from leaderboard.extension.exports import (
    ExportTable,
    absolute,
    attachment,
    respond,
    text_of,
)
from leaderboard.extension.formats import FRESH_SECONDS
from leaderboard.extension.models import Phase, Submission, Task
from leaderboard.extras.publishing.croissant import describe
from leaderboard.extras.publishing.formats import bibtex
from leaderboard.extras.publishing.formats.pictures import badge, text_badge

View = Callable[..., HttpResponse]
# The time that other sites may reuse an answer that was cached here before.
REST_SECONDS = max(0, FRESH_SECONDS - settings.BOARD_SECONDS)
# The one page that other sites may frame: nothing on it can be sent or run.
FRAMED = {
    "default-src": [NONE],
    "style-src": [SELF],
    "base-uri": [NONE],
    "form-action": [NONE],
    "frame-ancestors": ["*"],
}


def as_anybody(view: Any) -> View:
    """The view without the visitor's session: what other sites show is the same to
    all."""

    @wraps(view)
    def anonymous_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        request.user = AnonymousUser()
        return view(request, *args, **kwargs)

    return anonymous_view


@require_safe
@access(TASK)
def task_cite(request: HttpRequest, task: Task) -> HttpResponse:
    return respond(
        request,
        bibtex.task_entry(task, absolute(task.get_absolute_url())),
        bibtex.CONTENT_TYPE,
        file_name=f"{task.slug}.bib",
        open_to_all=not task.draft,
    )


@require_safe
@access(ON_BOARD)
def system_cite(request: HttpRequest, submission: Submission) -> HttpResponse:
    """BibTeX of a system that a board shows its reader."""
    disclosure = policy.disclosure(request.user, submission.phase)
    systems = overviews_of(submission, disclosure)
    if not systems:
        raise Http404
    text = bibtex.overview_entry(systems[0], request.user)
    name = f"{bibtex.key_of(submission)}.bib"
    response = attachment(name, text, bibtex.CONTENT_TYPE)
    response["Cache-Control"] = "private, no-cache"
    return response


@require_safe
@access(TASK)
def task_croissant(request: HttpRequest, task: Task) -> HttpResponse:
    """The description of the data that everybody may have, whoever asks."""
    return respond(
        request,
        text_of(describe(task)),
        "application/ld+json",
        file_name=f"{task.slug}-croissant.json",
        open_to_all=not task.draft,
    )


@require_safe
@as_anybody
@access(PHASE)
def board_badge(request: HttpRequest, phase: Phase) -> HttpResponse:
    """`?system=` is a submission's key or "best"; the same for all while blind."""
    query = query_or_404(request, phase)

    board = board_for(reader_of(request), query)
    if board.disclosure.board:
        table = ExportTable.of_page(request, board)
        drawn = badge(table, request.GET.get("system", ""))
    else:
        drawn = text_badge(query.phase.task.title, _("scores are not shown yet"))
    answer = respond(
        request,
        drawn,
        "image/svg+xml",
        version=board.version,
        fresh_seconds=REST_SECONDS,
    )
    answer.for_anybody = True  # type: ignore[attr-defined]  # see AnonymousCache
    return answer


@require_safe
@as_anybody
@xframe_options_exempt
@csp(FRAMED)
@access(PHASE)
def board_embed(request: HttpRequest, phase: Phase) -> HttpResponse:
    """The table on a page of its own that may stand in a frame anywhere."""
    query = query_or_404(request, phase)
    board = board_for(reader_of(request), query)
    is_shown = board.disclosure.board
    context = {
        "task": query.phase.task,
        "phase": query.phase,
        "board": board,
        "table": ExportTable.of_page(request, board) if is_shown else None,
    }
    response = render(request, "publishing/embed.html", context)
    response["Cache-Control"] = f"public, max-age={REST_SECONDS}"
    response.for_anybody = True  # type: ignore[attr-defined]  # see AnonymousCache
    return response
