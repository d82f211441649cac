"""Error pages for a full disk, a lost file, and an absent database, file store or mail
server.

And for what breaks before or around a view; a program is told by a problem document."""

import logging
import sys
from collections.abc import Callable, Iterator

from django.conf import settings
from django.core.exceptions import (
    RequestDataTooBig,
    TooManyFieldsSent,
    TooManyFilesSent,
)
from django.db import InterfaceError, OperationalError
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    JsonResponse,
)
from django.shortcuts import render
from django.template.loader import render_to_string
from django.views import defaults

from leaderboard.api import problems
from leaderboard.boards.stored_board import NotComputed
from leaderboard.sandbox.queue import QueueFull
from leaderboard.submissions.models import SubmittedFile
from leaderboard.submissions.uploads import BodyIncomplete, UnusableBody
from leaderboard.tasks.blobs import (
    DIGEST,
    DamagedBlob,
    MissingBlob,
    NoRoom,
    StoreAway,
    is_full,
)
from leaderboard.web.languages import API, API_PAGE, speak_to_reader
from leaderboard.web.requests import READING

log = logging.getLogger(__name__)

RETRY_SECONDS = 10
BOARD_SECONDS = 2  # until a page comes back for a board that is being computed
FULL, AWAY = 507, 503
CODES = {FULL: "no_room", AWAY: "unavailable"}
DETAIL = {
    FULL: "the server's disk is full",
    AWAY: "the site cannot reach its data",
}
BUSY = (
    "too many files wait to be checked, yours or those of others: nothing was stored; "
    "send it again in half a minute"
)
NOTHING_STORED = "nothing was stored and no attempt was used"
UNKNOWN = (
    "whether this request was stored is not known; a submission that is sent again "
    "with the same Idempotency-Key counts once"
)
# SQLite's words, and PostgreSQL's code for the same.
SQLITE_FULL, POSTGRES_FULL = "disk is full", "53100"


class ErrorPages:
    """Turns what is nobody's mistake into a page that says so and when to come back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        answer = self.get_response(request)
        # Set while the body was read, when nothing was stored.
        refused: Exception | None = getattr(request, "refused", None)
        if isinstance(refused, NoRoom):
            return page(request, FULL, stored_nothing=True)
        if isinstance(answer, HttpResponseNotAllowed) and not answer.content:
            explain_not_allowed(request, answer)
        return not_understood(request, refused) if refused else answer

    def process_exception(
        self, request: HttpRequest, error: Exception
    ) -> HttpResponse | None:
        return nobodys_mistake(request, error)


def nobodys_mistake(request: HttpRequest, error: Exception) -> HttpResponse | None:
    """The answer to a full queue or disk, absent data, a lost file or a board that is
    being computed; None for other errors."""
    if isinstance(error, QueueFull):
        return busy(request, error)
    if isinstance(error, NotComputed):
        return being_computed(request)
    if isinstance(error, DamagedBlob | MissingBlob):
        return file_missing(request, error.digest)
    status = status_of(error)
    if not status:
        return None
    # Files are written before the rows that name them; anything else may have
    # happened after the rows were stored, on the way to the answer.
    nothing = isinstance(error, NoRoom) or request.method in READING
    return page(request, status, stored_nothing=nothing)


def status_of(error: Exception) -> int | None:
    """507 for a full disk, 503 for absent database or files, else None."""
    if isinstance(error, NoRoom) or (isinstance(error, OSError) and is_full(error)):
        return FULL
    if isinstance(error, StoreAway):
        return AWAY
    if not isinstance(error, (OperationalError, InterfaceError, *_driver_errors())):
        return None
    code = getattr(error.__cause__ or error, "sqlstate", None)
    return FULL if code == POSTGRES_FULL or SQLITE_FULL in str(error) else AWAY


def _driver_errors() -> Iterator[type[Exception]]:
    """The same errors of PostgreSQL's driver, where there is one: what goes wrong as a
    cursor of the server is closed comes unchanged past Django."""
    if driver := sys.modules.get("psycopg"):
        yield from (driver.OperationalError, driver.InterfaceError)


def page(request: HttpRequest, status: int, *, stored_nothing: bool) -> HttpResponse:
    """A page for readers, a problem document for programs; without the database.

    `stored_nothing` is false where it is not known.
    """
    answer: HttpResponse
    if _is_a_program(request):
        stored = NOTHING_STORED if stored_nothing else UNKNOWN
        answer = _problem(status, CODES[status], f"{DETAIL[status]}: {stored}")
    else:
        context = {"stored_nothing": stored_nothing}
        answer = render(None, f"{status}.html", context, status=status)
    answer["Retry-After"] = str(RETRY_SECONDS)
    return answer


def busy(request: HttpRequest, error: QueueFull) -> HttpResponse:
    """503: nobody was to blame, or somebody who sent too much at once."""
    answer: HttpResponse
    if _is_a_program(request):
        answer = _problem(503, "busy", BUSY)
    else:
        answer = render(None, "busy.html", status=503)
    answer["Retry-After"] = str(error.retry_seconds)
    return answer


def being_computed(request: HttpRequest) -> HttpResponse:
    """A page that comes back for the board: 202, or 503 in place of a file, which
    programs fetch too; and for the API a problem."""
    answer: HttpResponse
    if _is_a_program(request):
        answer = _problem(503, "not_computed", problems.CODES["not_computed"])
    elif request.headers.get("HX-Request"):
        address = request.get_full_path()
        return HttpResponse(status=202, headers={"HX-Redirect": address})
    else:
        status = 503 if getattr(request, "only_english", False) else 202
        speak_to_reader(request)
        answer = render(None, "boards/being_computed.html", status=status)
        answer["Refresh"] = str(BOARD_SECONDS)
    answer["Retry-After"] = str(BOARD_SECONDS)
    answer["Cache-Control"] = "no-store"
    vars(answer)["_has_been_logged"] = True  # as an error, which it is not
    return answer


def file_missing(request: HttpRequest, digest: str) -> HttpResponse:
    """503: a stored file is gone or damaged. Which one stands in the log alone, as its
    name or hash may be as secret as the gold; coming back does not help.
    """
    log.error("the stored file %s is gone or damaged", digest)
    if _is_a_program(request):
        detail = (
            "a stored file that this needs is gone or damaged; operators can see in "
            "the log which, and bring it back from a backup"
        )
        return _problem(503, "file_missing", detail)
    speak_to_reader(request)
    submitted_files = SubmittedFile.objects.filter(sha256=digest)
    context = {"submitted": submitted_files.exists() or not DIGEST.fullmatch(digest)}
    return render(None, "file_missing.html", context, status=503)


def explain_not_allowed(request: HttpRequest, answer: HttpResponse) -> None:
    """405 gets a page of text: who reloads the page of a refused form asks for one."""
    speak_to_reader(request)
    match = request.resolver_match
    context = {"slug": match.kwargs.get("slug") if match else None}
    answer.content = render_to_string("405.html", context)
    answer["Content-Length"] = str(len(answer.content))


def not_understood(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400 and, for a body that is too large, 413: nothing was made of it."""
    status, code = 400, "parse_error"
    if isinstance(exception, UnusableBody):
        status, code = exception.status, exception.code
    if _is_a_program(request):
        return _problem(status, code, _why(exception))
    cut_off = isinstance(exception, BodyIncomplete)
    return render(None, "400.html", {"cut_off": cut_off}, status=status)


def broken(request: HttpRequest) -> HttpResponse:
    """500; the log has the rest. Django calls it while the error is handled.

    What goes wrong in a middleware, as when a session is saved, comes by here alone.
    """
    error = sys.exc_info()[1]
    if isinstance(error, Exception) and (answer := nobodys_mistake(request, error)):
        return answer
    if not _is_a_program(request):
        return defaults.server_error(request)
    detail = "something broke on our side; it was written to the log"
    return _problem(500, "our_fault", detail)


def _is_a_program(request: HttpRequest) -> bool:
    return request.path.startswith(API) and request.path != API_PAGE


def _problem(status: int, code: str, detail: str) -> HttpResponse:
    body = problems.document(status, code, detail)
    return JsonResponse(body, status=status, content_type=problems.MEDIA_TYPE)


def _why(error: Exception) -> str:
    """Explain what is wrong with a request, without the words of the settings."""
    if isinstance(error, RequestDataTooBig):
        most = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        return (
            f"the body has more than {most} bytes beside its files; send them as files"
        )
    if isinstance(error, TooManyFieldsSent):
        return f"the form has more than {settings.DATA_UPLOAD_MAX_NUMBER_FIELDS} fields"
    if isinstance(error, TooManyFilesSent):
        return f"the form has more than {settings.DATA_UPLOAD_MAX_NUMBER_FILES} files"
    return f"the request cannot be read: {error}"
