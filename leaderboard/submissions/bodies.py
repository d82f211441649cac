"""Bodies of requests that are whole: read to their end, with every part of a form.

A server that loses its client in the middle of a body hands over what came until then,
and Django's reader of forms takes the parts that were closed by then. Both would make
something of half a request, so every body is read through a `WholeBody`.
"""

import sys
from io import IOBase
from typing import Any

from django.http import HttpRequest

FORM = "multipart/form-data"
# Spaces and ends of lines may follow the boundary that closes a form.
PADDING = 64


class Refused(Exception):
    """A body of which nothing was made; `status` and `code` are those of the answer."""

    status, code = 400, "parse_error"


class BodyIncomplete(Refused):
    """A body that ended before it was whole. Nothing is wrong with sending it again."""

    code = "body_incomplete"


class BodyTooLarge(Refused):
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
            said = f"the body ended {self._left} bytes before its Content-Length"
            raise BodyIncomplete(said)
        if self._mark:
            self._watch(data)
        return data

    def _watch(self, data: bytes) -> None:
        """Count the boundaries, and remember how the body ends."""
        before = self._tail[len(self._tail) - len(self._mark) + 1 :]
        self._boundaries += (before + data).count(self._mark)
        self._tail = (self._tail + data)[-len(self._mark) - PADDING :]

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
        files = dict(request.FILES.lists())
        dropped: list[str] = request.too_large  # type: ignore[attr-defined]
        texts = sum(len(values) for _name, values in request.POST.lists())
        read = texts + sum(map(len, files.values())) + len(dropped)
        # One boundary more than there are parts: it closes the form.
        if read != self._boundaries - 1:
            said = "a part of the form has no name, or its file has none"
            raise Refused(f"{said}: {self._boundaries - 1} parts, {read} understood")
        names = [*dropped, *(name for name, found in files.items() for _ in found)]
        for name in names:
            if names.count(name) > 1 or name in request.POST:
                raise Refused(f"the form has several parts of the name {name[:80]!r}")
