"""What was lately read from a bucket, on the disk of this machine."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.files.base import ContentFile

from leaderboard.tasks.blobs import BlobStorage


class BlobCache(BlobStorage):
    """Up to `most_bytes` of files; what was not asked for longest goes first.

    It may be emptied at any moment, and whoever reads checks the hash.
    """

    def __init__(self, most_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self.most_bytes = most_bytes

    def found(self, name: str) -> bytes | None:
        path = Path(self.path(name))
        try:
            os.utime(path)
            return path.read_bytes()
        except FileNotFoundError:
            return None

    def add(self, name: str, data: bytes) -> None:
        """A disk that refuses costs nothing but another request to the bucket."""
        with suppress(OSError):
            self._make_room(len(data))
            self.save(name, ContentFile(data))

    def _make_room(self, size: int) -> None:
        files = []
        for path in Path(self.location).glob("??/*"):
            with suppress(FileNotFoundError):  # another process makes room too
                known = path.stat()
                files.append((known.st_mtime, known.st_size, path))
        room = self.most_bytes - size - sum(used for _, used, _ in files)
        for _, used, path in sorted(files):
            if room >= 0:
                return
            path.unlink(missing_ok=True)
            room += used
