"""HTTP answers of exports: entity tags, cache control and names of files.

The tag holds the version of the board and the hash of the bytes. The version alone
would miss what moves a board without an upload: a reveal, a renamed team, another
release. A board has no Last-Modified: two of its versions may be of one second.
"""

from datetime import datetime
from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, http_date

# A board may be this old (seconds), so a copy of it may be too.
FRESH_SECONDS = 5
FROZEN_SECONDS = 3600


def respond(
    request: HttpRequest,
    text: str,
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
    """
    data = text.encode()
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
    answer: HttpResponse = get_conditional_response(request, etag, modified, response)
    return answer
