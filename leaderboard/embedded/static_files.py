"""Whether the collected static files are those of the code."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders


class Collected:
    """A stamp in the data directory that says what was collected last."""

    def __init__(self, data: Path) -> None:
        self._stamp = data / "static.stamp"
        self._found = _fingerprint()

    def is_fresh(self) -> bool:
        """True if every source file is the one that was collected."""
        if not Path(settings.STATIC_ROOT).is_dir() or not self._stamp.exists():
            return False
        return self._stamp.read_text(encoding="ascii") == self._found

    def remember(self) -> None:
        """Call after `collectstatic`."""
        self._stamp.write_text(self._found, encoding="ascii")


def _fingerprint() -> str:
    lines = [repr(settings.STORAGES), str(settings.STATIC_ROOT), *sorted(_sources())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _sources() -> Iterator[str]:
    """Names, sizes and times: reading Plotly's megabytes would cost more."""
    for finder in get_finders():
        for name, storage in finder.list([]):
            found = Path(storage.path(name)).stat()
            yield f"{name} {found.st_size} {found.st_mtime_ns}"
