"""Members of the zips that are handed out: of equal files, equal bytes."""

from collections.abc import Iterable, Iterator
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

UNIX, FILE_MODE = 3, 0o644 << 16


def add(archive: ZipFile, name: str, data: str | bytes) -> None:
    """Write a member that says nothing of the time of day or of this machine."""
    # The usual date of a ZipInfo is fixed: the first of January 1980.
    member = ZipInfo(name)
    member.create_system, member.external_attr = UNIX, FILE_MODE
    member.compress_type = archive.compression
    archive.writestr(member, data)


def in_pieces(members: Iterable[tuple[str, str | bytes]]) -> Iterator[bytes]:
    """A zip as it comes to be, a member at a time: whoever sends it holds one of them,
    and others are served between two."""
    pieces = _Pieces()
    with ZipFile(pieces, "w", ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for name, data in members:
            add(archive, name, data)
            yield pieces.taken()
    yield pieces.taken()


class _Pieces(list[bytes]):
    """What is written and not yet taken, as a file that cannot go back."""

    def write(self, data: bytes) -> int:
        self.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        pass

    def taken(self) -> bytes:
        written = b"".join(self)
        self.clear()
        return written
