"""Receiving bytes: the time a request arrived, and uploads cut at a byte cap."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.core.files.uploadhandler import (
    StopUpload,
    TemporaryFileUploadHandler,
)
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

# A body past the cap is still read this far, so that the browser can be told why.
PATIENCE = 20


class StampArrival:
    """Notes when a request began: what decides at a deadline."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.arrived_at = timezone.now()  # type: ignore[attr-defined]
        return self.get_response(request)


class CappedUpload(TemporaryFileUploadHandler):
    """Streams to disk; a file over the cap is dropped and named in the request.

    The names of dropped files stand in `request.too_large`.
    """

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        self.dropped = False
        if (self.content_length or 0) > settings.UPLOAD_BYTES * PATIENCE:
            raise StopUpload(connection_reset=True)

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        if self.dropped:
            return
        if start + len(raw_data) > settings.UPLOAD_BYTES:
            self.dropped = True
            self.file.close()
            names = getattr(self.request, "too_large", [])
            self.request.too_large = [*names, self.field_name]  # type: ignore[union-attr]
            return
        super().receive_data_chunk(raw_data, start)

    def file_complete(self, file_size: int) -> UploadedFile | None:
        return None if self.dropped else super().file_complete(file_size)
