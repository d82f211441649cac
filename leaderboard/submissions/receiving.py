"""Receiving bytes: when a request arrived, uploads cut at a byte cap, a full disk."""

import shutil
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import (
    StopUpload,
    TemporaryFileUploadHandler,
)
from django.db import connection
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.utils import timezone

from leaderboard.tasks.blobs import NoRoom, is_full

# A body past the cap is still read this far, so that the browser can be told why.
PATIENCE = 20
LONGEST_NAME = 200
# At work at a time in one web process: each holds a connection to the database.
UPLOADS, OTHERS = BoundedSemaphore(8), BoundedSemaphore(24)
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}


class StampArrival:
    """Notes when a request began: what decides at a deadline, see `arrived_at`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.began = time.monotonic()  # type: ignore[attr-defined]
        request.too_large = []  # type: ignore[attr-defined]  # see CappedUpload
        return self.get_response(request)


def arrived_at(request: HttpRequest) -> datetime:
    """When a request began, on the clock that all machines of the site share.

    A machine whose own clock is wrong must move no deadline. The database is asked once
    for a request; raises its errors.
    """
    if not hasattr(request, "arrived_at"):
        request.arrived_at = shared_moment(request.began)  # type: ignore[attr-defined]
    found: datetime = request.arrived_at
    return found


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
    """Takes a form in whole before the request gets anything else of the site.

    A client on a slow line then holds a thread, of which there are many, and neither a
    connection to the database nor a place among those that work. Uploads wait for each
    other, and nobody who only looks waits for them.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with suppress(UnreadablePostError):  # the client is gone; the form is empty
            request.POST  # noqa: B018
        with UPLOADS if request.FILES else OTHERS:
            return self.get_response(request)


class CappedUpload(TemporaryFileUploadHandler):
    """Streams to disk; a file over the cap is dropped and named in the request.

    The names of dropped files stand in `request.too_large`. A full disk ends the whole
    request with NoRoom: accepting the files before it would be a half upload.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        if (self.content_length or 0) > settings.UPLOAD_BYTES * PATIENCE:
            raise StopUpload(connection_reset=True)
        self.dropped = False
        if room_left() < settings.LEAST_FREE_BYTES:
            self._refuse()
        super().new_file(*args, **kwargs)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.dropped:
            return
        if start + len(raw_data) > settings.UPLOAD_BYTES:
            self.dropped = True
            self.file.close()
            self.request.too_large.append(self.field_name)  # type: ignore[union-attr]
            return
        with self._refused_when_full():
            super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> UploadedFile | None:
        if self.dropped:
            return None
        # Small files reach the disk only here, when their buffer is emptied.
        with self._refused_when_full():
            return super().file_complete(file_size)

    @contextmanager
    def _refused_when_full(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if not is_full(error):
                raise
            # At once: until then the part that was written fills the disk. Closing
            # tries to write the rest, fails again, and removes the file all the same.
            with suppress(OSError):
                self.file.close()
            self._refuse()

    def _refuse(self) -> None:
        self.request.no_room = True  # type: ignore[union-attr]
        raise NoRoom("no room for the upload")


def room_left() -> int:
    return shutil.disk_usage(settings.FILE_UPLOAD_TEMP_DIR).free


def file_name(name: str) -> str:
    """A participant's file name as it is stored and shown.

    Without characters that cannot be seen or turn the line around, and short; the
    ending stays, for readers choose by it.
    """
    shown = unicodedata.normalize("NFC", name.encode("utf-8", "replace").decode())
    shown = "".join(c for c in shown if unicodedata.category(c) not in UNSEEN)
    shown = shown.replace("\\", "/").rpartition("/")[2].strip() or "file"
    stem, dot, ending = shown.rpartition(".")
    if len(shown) <= LONGEST_NAME or not dot or len(ending) > 20:
        return shown[:LONGEST_NAME]
    return stem[: LONGEST_NAME - len(ending) - 1] + dot + ending
