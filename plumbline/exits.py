"""How a command ends: exit codes, and the exceptions that carry them.

The codes are a promise to scripts; docs/api.md lists them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

FINE = 0
REFUSED_BY_SITE = 1  # deadline, quota, rights, not found
UNFIT = 2  # the file cannot be scored, here or there; as `python -m scoring`
NOT_SCORED = 3  # scoring ended without a score
UNDER_WAY = 4  # --timeout was over before there was a result
SITE_FAILED = 5  # unreachable, or its fault
UNKNOWN_SIGNER = 6  # unchanged since it was signed, by a key that was not named
USAGE = 64


class Ended(Exception):
    """The command ends here, with words for the person and a code for the script."""

    def __init__(self, code: int, words: str) -> None:
        super().__init__(words)
        self.code = code


def unreadable(error: OSError) -> Ended:
    """The message about a file that cannot be read or written, without numbers."""
    name = error.filename or "the file"
    if isinstance(error, FileNotFoundError):
        folder = Path(name).parent
        if error.filename and not folder.exists():
            return Ended(USAGE, f"there is no folder {folder}")
        return Ended(USAGE, f"there is no file {name}")
    if isinstance(error, IsADirectoryError):
        return Ended(USAGE, f"{name} is a folder; say which file in it")
    if isinstance(error, PermissionError):
        return Ended(USAGE, f"{name} may not be read or written by you")
    return Ended(USAGE, f"{name}: {error.strerror or error}")


class SiteRefusal(Ended):
    """Problem document that the site answered instead of what was asked for."""

    def __init__(self, status: int, document: Mapping[str, Any]) -> None:
        self.status, self.document = status, document
        words = str(document.get("detail") or f"the site answered {status}")
        super().__init__(_code(status, document), words)

    @property
    def diagnoses(self) -> list[Mapping[str, Any]]:
        """Diagnoses of whole files; the first is the sentence of the refusal."""
        return list(self.document.get("diagnoses") or ())

    @property
    def problems(self) -> list[Mapping[str, Any]]:
        return list(self.document.get("problems") or ())


def _code(status: int, document: Mapping[str, Any]) -> int:
    if document.get("problems"):
        return UNFIT
    # A body that was cut off on its way is a matter of the connection.
    broken = status >= 500 or document.get("code") == "body_incomplete"
    return SITE_FAILED if broken else REFUSED_BY_SITE
