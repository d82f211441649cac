"""The job of the sandbox that reads a zip of receipts, which anybody may have made."""

from collections.abc import Sequence

from leaderboard.sandbox.codec import Request, Values
from scoring.errors import Problem, Refused
from scoring.formats.bundle import unpacked
from scoring.messages import Messages, _

MOST_BYTES, MOST_FILES = 4 << 20, 1000
MESSAGES = Messages(
    {
        "too_much": _(
            "the zip holds %(bytes)s bytes in %(count)s files; receipts have at most"
            " %(most)s in %(most_files)s"
        ),
        "whole_zip": _(
            "Send the zip that “Signed receipts” gives on the other site, as it is."
        ),
    }
)


def read(request: Request) -> tuple[Values, Sequence[bytes]]:
    """The names of the files of the `zip`, and the files. Raises Refused."""
    ((name, source),) = request.sources("zip").items()
    files = unpacked(source)
    size = sum(map(len, files.values()))
    if size > MOST_BYTES or len(files) > MOST_FILES:
        limits = {"most": MOST_BYTES, "most_files": MOST_FILES}
        message = MESSAGES("too_much", bytes=size, count=len(files), **limits)
        hint = MESSAGES("whole_zip")
        raise Refused([Problem("too_much", message, name, hint=hint)])
    return {"names": list(files)}, list(files.values())
