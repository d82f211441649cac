"""Answers that a browser saves and never shows, whatever is in them."""

from django.http import HttpResponse
from django.utils.http import content_disposition_header


def attachment(
    name: str, data: bytes | str, media_type: str = "application/octet-stream"
) -> HttpResponse:
    """The bytes under that name, and no guess at what they are."""
    return HttpResponse(
        data,
        content_type=media_type,
        headers={
            "Content-Disposition": content_disposition_header(True, name) or "",
            "X-Content-Type-Options": "nosniff",
        },
    )
