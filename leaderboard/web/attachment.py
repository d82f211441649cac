"""Answers that a browser saves and never shows, whatever is in them, and members of
zips that are handed out: of equal files, equal bytes."""

from zipfile import ZipFile, ZipInfo

from django.http import HttpResponse
from django.utils.http import content_disposition_header

UNIX, FILE_MODE = 3, 0o644 << 16


def attachment(
    name: str,
    data: bytes | str,
    media_type: str = "application/octet-stream",
    secret: bool = False,
) -> HttpResponse:
    """The bytes under that name, and no guess at what they are; a `secret` file is in
    no cache."""
    headers = {
        "Content-Disposition": content_disposition_header(True, name) or "",
        "X-Content-Type-Options": "nosniff",
    }
    if secret:
        headers["Cache-Control"] = "private, no-store"
    return HttpResponse(data, content_type=media_type, headers=headers)


def add_to_zip(archive: ZipFile, name: str, data: str | bytes) -> None:
    """Write a member that says nothing of the time of day or of this machine."""
    # The usual date of a ZipInfo is fixed: the first of January 1980.
    member = ZipInfo(name)
    member.create_system, member.external_attr = UNIX, FILE_MODE
    member.compress_type = archive.compression
    archive.writestr(member, data)
