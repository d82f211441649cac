"""Uploads as they arrive: whole bodies, size limits, a full disk, time of arrival."""

import shutil
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime, timedelta
from io import BytesIO, IOBase
from tempfile import TemporaryFile
from threading import BoundedSemaphore
from typing import IO, Any, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.utils import timezone

from leaderboard.tasks.blobs import NoRoom, is_full
from leaderboard.web.forms import CutFile
from leaderboard.web.requests import READING
from scoring.source import Source

FORM = "multipart/form-data"
# Spaces and ends of lines may follow the boundary that closes a form.
PADDING = 64
PIECE = 1 << 16
LONGEST_NAME = 200
MOST_FILES = 20  # of an upload, unless a phase has more test sets
# At work at a time in one web process: each holds a connection to the database.
UPLOADS, OTHERS = BoundedSemaphore(8), BoundedSemaphore(24)
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}


class UnusableBody(Exception):
    """A body of which nothing was made; `status` and `code` are those of the answer."""

    status, code = 400, "parse_error"


class BodyIncomplete(UnusableBody):
    """A body that ended before it was whole. Nothing is wrong with sending it again."""

    code = "body_incomplete"


class BodyTooLarge(UnusableBody):
    status, code = 413, "too_large"


class WholeBody(IOBase):
    """A body as a stream that does not end early, whatever the server's own does.

    Reading raises BodyIncomplete where less came than `length` bytes and where the
    server's stream broke: a chunk without its end, a connection that was reset. Without
    a length the server's stream knows its end.
    """

    def __init__(self, source: Any, length: int | None, boundary: str = "") -> None:
        self._source = source
        self._left = sys.maxsize if length is None else length
        self._to_the_end = length is None
        self._mark = f"--{boundary}".encode("ascii", "replace") if boundary else b""
        self._tail = b"\r\n"  # the first boundary may begin the body
        self._boundaries = 0

    def read(self, size: int | None = -1, /) -> bytes:
        wanted = self._left if size is None or size < 0 else min(size, self._left)
        if not wanted:
            return b""
        try:
            data: bytes = self._source.read(wanted)
        except Exception as error:  # each server has its own, few of them OSError
            raise BodyIncomplete("the body broke off before its end") from error
        self._left -= len(data)
        if len(data) < wanted and not self._to_the_end:
            message = f"the body ended {self._left} bytes before its Content-Length"
            raise BodyIncomplete(message)
        if self._mark:
            before = self._tail[len(self._tail) - len(self._mark) + 1 :]
            self._boundaries += (before + data).count(self._mark)
            self._tail = (self._tail + data)[-len(self._mark) - PADDING :]
        return data

    def require_whole(self) -> None:
        """Raise BodyIncomplete unless all of it was read and a form is closed."""
        if self._left:
            raise BodyIncomplete(f"{self._left} bytes of the body were not read")
        closing = b"\r\n" + self._mark + b"--"
        if self._mark and not self._tail.rstrip().endswith(closing):
            raise BodyIncomplete("the form ends without its closing boundary")

    def require_parts(self, request: HttpRequest) -> None:
        """Raise Refused unless every part of a form that was read is in the request.

        Django passes over parts without a name and files whose name is none.
        """
        if not self._mark:
            return
        texts, files = dict(request.POST.lists()), dict(request.FILES.lists())
        names = [name for name, given in files.items() for _file in given]
        read = sum(map(len, texts.values())) + len(names)
        # One boundary more than there are parts: it closes the form.
        if read != self._boundaries - 1:
            message = "a part of the form has no name, or its file has none"
            raise UnusableBody(
                f"{message}: {self._boundaries - 1} parts, {read} understood"
            )
        for name in names:
            if names.count(name) > 1 or name in texts:
                raise UnusableBody(
                    f"the form has several parts of the name {name[:80]!r}"
                )


def arrived_at(request: HttpRequest) -> datetime:
    """The beginning of a request, on the clock that all machines of the site share.

    A machine whose own clock is wrong must move no deadline. The database is asked once
    for a request; raises its errors.
    """
    noted: Any = request
    if not hasattr(noted, "arrived_at"):
        noted.arrived_at = shared_moment(noted.began)
    return cast(datetime, noted.arrived_at)


def shared_moment(reading: float) -> datetime:
    """A reading of time.monotonic() as a moment on the clock of the database.

    SQLite has none: its site is one machine. Elsewhere our own clock is believed as
    far as the answer can tell, for the way of a question makes the other one late.
    """
    connection.ensure_connection()
    asked, now = time.monotonic(), timezone.now()
    if connection.vendor != "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("SELECT statement_timestamp()")
            theirs = cursor.fetchone()[0]
        if not now <= theirs <= timezone.now():
            now = theirs
    return now - timedelta(seconds=asked - reading)


class ReadFirst:
    """Takes a body in whole before the request gets anything else of the site.

    A client on a slow line holds at most a thread that reads uploads, and neither a
    connection to the database nor a place among those that work. Uploads wait for each
    other, and nobody who only looks waits for them. A body that ends early is refused
    here, whatever it is for, and so is one for which the disk has no room: no view ever
    sees half of one. Why, is told by the middleware around this one
    (`request.refused`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method not in READING:  # nobody reads a body of these
            try:
                read_whole(request)
            except (UnusableBody, NoRoom) as refused:
                for handler in request.upload_handlers:
                    handler.upload_interrupted()  # the file that was being written
                request.refused = refused  # type: ignore[attr-defined]
                return HttpResponseBadRequest()
        with UPLOADS if request.FILES else OTHERS:
            return self.get_response(request)


def read_whole(request: HttpRequest) -> None:
    """Read the body, files onto the disk; raises Refused, and NoRoom on a full disk."""
    meta = request.META
    source, length = meta["wsgi.input"], meta.get("CONTENT_LENGTH")
    with ExitStack() as stack:
        if not length and meta.get("wsgi.input_terminated"):
            # Sent in chunks. Django reads no more than Content-Length says.
            place = settings.FILE_UPLOAD_TEMP_DIR
            spool = stack.enter_context(TemporaryFile(dir=place))
            length = meta["CONTENT_LENGTH"] = str(_copy(source, spool))
            source = spool
        boundary = ""
        if request.content_type == FORM and request.method == "POST":
            boundary = (request.content_params or {}).get("boundary", "")
        body = WholeBody(source, int(length or 0), boundary)
        request._stream = body  # type: ignore[assignment]
        if request.content_type == FORM:
            request.POST  # noqa: B018
        if not boundary:
            request.body  # noqa: B018
        body.require_whole()
        body.require_parts(request)


def _copy(source: Any, spool: IO[bytes]) -> int:
    """Write a body of unknown length into `spool`; the length."""
    most = settings.UPLOAD_BYTES * MOST_FILES
    body, length = WholeBody(source, None), 0
    with refused_when_full(spool):
        while piece := body.read(PIECE):
            length += len(piece)
            if length > most:
                raise BodyTooLarge(f"the body is larger than {most} bytes")
            require_room()
            spool.write(piece)
        spool.seek(0)
    return length


class CappedUpload(TemporaryFileUploadHandler):
    """Streams to disk; of a file over the cap a CutFile is left.

    A full disk ends the whole request with NoRoom: accepting the files before it would
    be a half upload.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        self.dropped = False
        require_room()
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.dropped:
            return
        if start + len(raw_data) > settings.UPLOAD_BYTES:
            self.dropped = True
            self.file.close()
            return
        with refused_when_full(self.file):
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> UploadedFile | None:
        if self.dropped:
            return CutFile(BytesIO(), self.file_name, self.content_type, file_size)
        # Small files reach the disk only here, when their buffer is emptied.
        with refused_when_full(self.file):
            return super().file_complete(file_size)


@contextmanager
def refused_when_full(file: IO[bytes]) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if not is_full(error):
            raise
        # At once: until then the part that was written fills the disk. Closing
        # tries to write the rest, fails again, and removes the file all the same.
        with suppress(OSError):
            file.close()
        raise NoRoom("no room for the upload") from None


def require_room() -> None:
    if room_left() < settings.LEAST_FREE_BYTES:
        raise NoRoom("no room for the upload")


def room_left() -> int:
    return shutil.disk_usage(settings.FILE_UPLOAD_TEMP_DIR).free


def file_name(name: str) -> str:
    """A participant's file name as it is stored and shown.

    Without characters that cannot be seen or turn the line around, and short; the
    ending stays, for readers choose by it.
    """
    plain = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    plain = "".join(c for c in plain if unicodedata.category(c) not in UNSEEN)
    plain = plain.replace("\\", "/").rpartition("/")[2].strip() or "file"
    stem, dot, ending = plain.rpartition(".")
    if len(plain) <= LONGEST_NAME or not dot or len(ending) > 20:
        return plain[:LONGEST_NAME]
    return stem[: LONGEST_NAME - len(ending) - 1] + dot + ending


def source_of(file: UploadedFile, name: str) -> Source:
    """The uploaded bytes; `name` stands in for a file without one."""
    file.seek(0)
    data: bytes = file.read()
    file.seek(0)
    return Source.of_bytes(file_name(file.name or name), data)
