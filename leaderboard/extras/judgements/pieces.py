"""Zips that are sent while they are made."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from leaderboard.extension.exports import add_to_zip


def in_pieces(members: Iterable[tuple[str, str | bytes]]) -> Iterator[bytes]:
    """A zip as it comes to be, a member at a time: whoever sends it holds one of them,
    and others are served between two."""
    pieces = _Pieces()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as archive:
        for name, data in members:
            add_to_zip(archive, name, data)
            yield pieces.take()
    yield pieces.take()


class _Pieces(BytesIO):
    """A file that cannot go back, of what is written and not yet taken."""

    def tell(self) -> int:
        raise OSError("what came before is gone")

    def take(self) -> bytes:
        written = self.getvalue()
        self.seek(0)
        self.truncate()
        return written
