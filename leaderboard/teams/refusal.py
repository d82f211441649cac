"""Refusals: why something is not done, in words."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext

from leaderboard.web.templatetags.formats import written


class Refusal(Exception):
    """A refusal in words for the person who sent it; nothing was stored and nothing
    charged.

    `code` and `status` (of HTTP) are for programs, `retry_seconds` until they may try
    the same again; `next_at` is when it is worth to, where that is known.
    """

    code = "refused"
    status = 409
    next_at: datetime | None = None
    zone: ZoneInfo = ZoneInfo("UTC")

    def __init__(
        self,
        message: str = "",
        *,
        code: str = "",
        status: int = 0,
        retry_seconds: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code or self.code
        self.status = status or self.status
        self.retry_seconds = retry_seconds

    @property
    def sentence(self) -> str:
        """A whole sentence; a time is on the clock of `zone`."""
        text = str(self)
        text = text[0].upper() + text[1:].rstrip(".") + "."
        if self.next_at is None:
            return text
        again = gettext("The next day begins at %(when)s.") % {
            "when": written(self.next_at, self.zone)
        }
        return f"{text} {again}"
