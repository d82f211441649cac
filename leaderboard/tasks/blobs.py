"""Files stored under the hash of their content: written once, checked when read."""

import errno
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, Any, cast

from django.core.exceptions import BadRequest
from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, storages

PART = "part-"  # begins the names of files that are still being written
DIGEST = re.compile(r"[0-9a-f]{64}")
# Given digests, those of them that rows name.
Named = Callable[[set[str]], set[str]]


class DamagedBlob(Exception):
    """A stored file no longer has the content it was stored under."""

    def __init__(self, digest: str) -> None:
        super().__init__(digest)
        self.digest = digest


class MissingBlob(FileNotFoundError):
    """A stored file is not where it was stored, as after a restore that lost it.

    `digest` is its hash, or says which file it was where no row has that.
    """

    def __init__(self, digest: str) -> None:
        super().__init__(errno.ENOENT, "not in storage", digest)
        self.digest = digest


class NoRoom(BadRequest):
    """The disk is full: nothing was stored."""


class StoreAway(ConnectionError):
    """The place where files lie does not answer; nothing was stored or read."""


def is_full(error: OSError) -> bool:
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


class BlobStorage(FileSystemStorage):
    """Local storage whose files appear whole or not at all."""

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name  # of two writers at a time the second replaces equal by equal

    def _save(self, name: str, content: File) -> str:
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, prefix=PART, delete=False) as part:
            try:
                for chunk in content.chunks():
                    part.write(chunk)
                part.flush()
                os.fsync(part.fileno())
                os.replace(part.name, path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        _sync_directory(path.parent)
        return name

    def discard(self, name: str, before: float) -> bool:
        """Remove a file that was last written before that time (seconds since 1970).

        It is set aside first and looked at again: whoever stored it once more either
        did so before, and then it is young and comes back, or writes a new one.
        """
        path = Path(self.path(name))
        aside = path.with_name(f"{PART}{path.name}")
        try:
            if path.stat().st_mtime >= before:
                return False
            os.rename(path, aside)
            if aside.stat().st_mtime >= before:
                os.rename(aside, path)
                return False
            aside.unlink()
        except FileNotFoundError:
            return False
        return True

    def discard_parts(self, before: float, named: Named) -> int:
        """Remove what writers that died left half-written; how many."""
        removed = 0
        for path in Path(self.location).rglob(f"{PART}*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < before:
                    path.unlink()
                    removed += 1
        return removed

    def names(self, beginning: str = "") -> Iterator[str]:
        """Last names of the files that begin so."""
        with suppress(FileNotFoundError):  # nothing was ever stored
            for folder in self.listdir("")[0]:
                if folder.startswith(beginning):
                    yield from self.listdir(folder)[1]

    def hold(self, name: str) -> None:
        """Make a file as young as one that was just stored."""
        with suppress(FileNotFoundError):
            os.utime(self.path(name))


def _sync_directory(path: Path) -> None:
    """Write a directory to disk: a power cut could take the new name of a file back."""
    place = os.open(path, os.O_RDONLY)
    try:
        os.fsync(place)
    finally:
        os.close(place)


def place(digest: str) -> str:
    """The path of a blob below the folder of blobs."""
    return f"{digest[:2]}/{digest}"


def keep(content: bytes | IO[bytes]) -> str:
    """Store content and return its sha256.

    What is there already is written again: that heals a damaged file, and tells the
    collector that somebody wants it. Raises NoRoom when the disk is full, StoreAway
    when there is none to be reached, OSError when it refuses otherwise.
    """
    digest = digest_of(content)
    file = ContentFile(content) if isinstance(content, bytes) else File(content)
    try:
        storages["blobs"].save(place(digest), file)
    except OSError as error:
        if is_full(error):
            raise NoRoom("no room for the file") from error
        raise
    return digest


def digest_of(content: bytes | IO[bytes]) -> str:
    """The SHA-256 of content, in hexadecimal digits; a file is read from its start."""
    if isinstance(content, bytes):
        return sha256(content).hexdigest()
    content.seek(0)
    whole = file_digest(cast(BytesIO, content), "sha256")
    content.seek(0)
    return whole.hexdigest()


def _store(name: str) -> Any:
    """The store of a name, a `BlobStorage` or `BucketStorage`; None without one."""
    return storages[name] if name in storages.backends else None


def read(digest: str) -> bytes:
    """The bytes stored under that hash.

    Raises DamagedBlob when they are not what was stored, MissingBlob, StoreAway.
    """
    near, name = _store("nearby"), place(digest)
    if near and (cached := near.read_if_there(name)) and digest_of(cached) == digest:
        return cached
    try:
        with storages["blobs"].open(name) as file:
            data = cast(bytes, file.read())
    except FileNotFoundError:
        raise MissingBlob(digest) from None
    if digest_of(data) != digest:
        raise DamagedBlob(digest)
    if near:
        near.add(name, data)
    return data


def size(digest: str) -> int:
    """How many bytes are stored under that hash, 0 where nothing is."""
    try:
        return storages["blobs"].size(place(digest))
    except FileNotFoundError:
        return 0


def stored_digests(beginning: str = "") -> Iterator[str]:
    """Digests of all stored blobs, or of those that begin so (two digits at most)."""
    yield from filter(DIGEST.fullmatch, _store("blobs").names(beginning))


def answers() -> bool:
    """Whether files can be stored and read now."""
    look = getattr(storages["blobs"], "answers", None)
    return look is None or look()


def hold(digests: Iterable[str]) -> None:
    """Keep the collector from these files for the next day.

    In a bucket nothing has to be done: what is collected there is only set aside, and
    goes a day later.
    """
    storage = storages["blobs"]
    if isinstance(storage, BlobStorage):
        for digest in filter(DIGEST.fullmatch, digests):
            storage.hold(place(digest))


def is_older(digest: str, before: float) -> bool:
    """Whether a blob is there that was last stored before that time."""
    try:
        moment = storages["blobs"].get_modified_time(place(digest))
    except FileNotFoundError:
        return False
    return moment.timestamp() < before


def discard(digest: str, before: float) -> bool:
    """Remove a blob that was last stored before that time; whether it went."""
    return cast(bool, _store("blobs").discard(place(digest), before))


def discard_parts(before: float, named: Named) -> int:
    """Remove what is neither whole nor stored, and older; how many.

    `named` tells which of some digests rows name.
    """
    stores = filter(None, map(_store, ("blobs", "archives", "nearby")))
    return sum(store.discard_parts(before, named) for store in stores)


class BlobCache(BlobStorage):
    """A cache of up to `most_bytes` of files; the least recently used goes first.

    It may be emptied at any moment, and whoever reads checks the hash.
    """

    def __init__(self, most_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self.most_bytes = most_bytes

    def read_if_there(self, name: str) -> bytes | None:
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
                status = path.stat()
                files.append((status.st_mtime, status.st_size, path))
        room = self.most_bytes - size - sum(used for _, used, _ in files)
        for _, used, path in sorted(files):
            if room >= 0:
                return
            path.unlink(missing_ok=True)
            room += used
