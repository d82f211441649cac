"""Members of the zips that are handed out: of equal files, equal bytes."""

from zipfile import ZipFile, ZipInfo

UNIX, FILE_MODE = 3, 0o644 << 16


def add(archive: ZipFile, name: str, data: str | bytes) -> None:
    """Write a member that says nothing of the time of day or of this machine."""
    # The usual date of a ZipInfo is fixed: the first of January 1980.
    member = ZipInfo(name)
    member.create_system, member.external_attr = UNIX, FILE_MODE
    member.compress_type = archive.compression
    archive.writestr(member, data)
