"""Exports over HTTP: tags of what was sent, and how long it may be kept.

The tag holds the version of the board and the hash of the bytes. The version alone
would miss what moves a board without an upload: a reveal, a renamed team, another
release. A board has no Last-Modified: two of its versions may be of one second.
"""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.utils.http import content_disposition_header, http_date

# A board may be this old (seconds), so a copy of it may be too.
FRESH = 5
LASTING = 3600


@dataclass(frozen=True)
class Sent:
    """What is answered. `version` of a board; `at` of what was frozen then.

    `name` is that of the file it is saved as, empty where it is shown; `fresh` are the
    seconds that what is not frozen may be kept.
    """

    text: str
    content_type: str
    version: int = 0
    at: datetime | None = None
    name: str = ""
    open_to_all: bool = True
    fresh: int = FRESH


def answer(request: HttpRequest, sent: Sent) -> HttpResponse:
    """The text, or 304 for who has it already."""
    data = sent.text.encode()
    etag = f'"{sent.version}-{sha256(data).hexdigest()[:24]}"'
    response = HttpResponse(data, content_type=sent.content_type)
    response["ETag"] = etag
    response["Cache-Control"] = kept(request, sent)
    if sent.name:
        response["Content-Disposition"] = content_disposition_header(True, sent.name)
    since = None
    if sent.at is not None:
        since = int(sent.at.timestamp())
        response["Last-Modified"] = http_date(since)
    found: HttpResponse = get_conditional_response(request, etag, since, response)
    return found


def kept(request: HttpRequest, sent: Sent) -> str:
    """Who may keep it: others only what everybody sees alike."""
    if not sent.open_to_all:
        return "private, no-store"
    if request.user.is_authenticated:
        return "private, no-cache"
    return f"public, max-age={LASTING if sent.at else sent.fresh}"
