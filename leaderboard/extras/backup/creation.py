"""A backup is made while the site runs: the database as of one moment, then files."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import IO, Any

from django.core.files.storage import storages
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from leaderboard.extension import blobs
from leaderboard.extension.upkeep import referenced_digests
from leaderboard.extras.backup import archive, postgres, sqlite
from leaderboard.extras.backup.references import References

VERSION = 1
DATED = "plumbline-{:%Y%m%dT%H%M%SZ}.tar"
DATED_GLOB = "plumbline-*T*Z.tar"


def database() -> ModuleType:
    """The module that copies the database of this site."""
    return postgres if connection.vendor == "postgresql" else sqlite


def dated_path(folder: Path, now: datetime) -> Path:
    return folder / DATED.format(now)


def prune(folder: Path, keep: int) -> list[Path]:
    """Remove all but the `keep` youngest dated backups of a folder; what went."""
    old = sorted(folder.glob(DATED_GLOB))[: -keep or None]
    for path in old:
        path.unlink()
    return old


def make(path: Path) -> dict[str, Any]:
    """Write a backup to `path`, for its owner only; the manifest it got.

    `missing` in it lists files that rows name and that are gone or damaged: the rest
    is kept nevertheless. Raises FileExistsError, NoProgram, OSError; then nothing is
    left under that name.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already")
    # A row may be deleted while we copy, and the collector takes what is a day old.
    # What no row names is left alone, else a daily backup would keep it for ever.
    blobs.hold(referenced_digests())
    # On the disk of the backup, where room for it is needed anyway.
    try:
        beside = tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    with beside as folder:
        copy, part = Path(folder, "database"), Path(folder, "backup")
        copying: AbstractContextManager[References] = database().copy_of_database(copy)
        with copying as named, open(part, "xb", opener=_private) as file:
            manifest = _write(file, copy, named)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)  # refuses, where a rename would replace
    return manifest


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _write(file: IO[bytes], copy: Path, named: References) -> dict[str, Any]:
    out = archive.Writer(file)
    with copy.open("rb") as source:
        out.add(database().MEMBER, source, copy.stat().st_size)
    there = named.mentioned & set(blobs.stored_digests())
    damaged = {digest for digest in sorted(there) if not _add_blob(out, digest)}
    manifest = {
        "plumbline_backup": VERSION,
        "made_at": timezone.now().isoformat(timespec="seconds"),
        "database": connection.vendor,
        "migrations": sorted(_migrations()),
        "files": len(there),
        "missing": sorted((named.needed - there) | (named.needed & damaged)),
    }
    out.close(manifest)
    return manifest


def _migrations() -> Iterator[str]:
    for app, name in MigrationRecorder(connection).applied_migrations():
        yield f"{app}.{name}"


def _add_blob(out: archive.Writer, digest: str) -> bool:
    """Add a stored file; False when it no longer is what was stored."""
    name = f"blobs/{blobs.place(digest)}"
    with storages["blobs"].open(blobs.place(digest)) as source:
        return out.add(name, source, source.size) == digest
