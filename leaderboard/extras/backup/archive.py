"""The file of a backup: one tar, its members listed with their hashes, and sealed.

Order: what is kept, `manifest.json`, `SHA256SUMS` (as `sha256sum -c` reads it), and
`SEAL`, the hash of every byte before it. A file that was cut off has no seal."""

import json
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest, sha256
from io import BytesIO
from pathlib import Path
from typing import IO, Any, cast

MANIFEST, SUMS, SEAL = "manifest.json", "SHA256SUMS", "SEAL"
PIECE = 1 << 20


class Damaged(Exception):
    """The file is no backup, or no longer the one that was written."""


def in_words(error: Exception) -> str:
    """The words of an error, without the number that the system gives it."""
    if not isinstance(error, OSError) or not error.strerror:
        return str(error)
    return ": ".join(str(part) for part in (error.filename, error.strerror) if part)


class _Hashed:
    """A file that is hashed while it is written."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, sha256()

    def write(self, data: bytes) -> int:
        self.hash.update(data)
        return self.file.write(data)

    def tell(self) -> int:
        return self.file.tell()


class Writer:
    """Adds members to a backup; see `writing`."""

    def __init__(self, file: IO[bytes]) -> None:
        self._out = _Hashed(file)
        self._tar = tarfile.TarFile(
            fileobj=self._out,  # type: ignore[arg-type]
            mode="w",
            format=tarfile.PAX_FORMAT,
        )
        self._sums: list[str] = []

    def add(self, name: str, content: IO[bytes], size: int) -> str:
        """Add `size` bytes of `content` under `name`; their hash.

        Raises OSError if the content ends before.
        """
        member = tarfile.TarInfo(name)
        member.size, member.mode = size, 0o600
        source = _Read(content)
        self._tar.addfile(member, source)
        digest = source.hash.hexdigest()
        self._sums.append(f"{digest}  {name}\n")
        return digest

    def close(self, manifest: dict[str, Any]) -> None:
        """Write what is known of the backup, the list of hashes, and the seal."""
        self._add_bytes(MANIFEST, json.dumps(manifest, indent=2).encode())
        self._add_bytes(SUMS, "".join(self._sums).encode())
        self._add_bytes(SEAL, self._out.hash.hexdigest().encode())
        self._tar.close()

    def _add_bytes(self, name: str, data: bytes) -> None:
        self.add(name, BytesIO(data), len(data))


class _Read:
    """A source that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, sha256()

    def read(self, size: int = -1) -> bytes:
        data = self.file.read(size)
        self.hash.update(data)
        return data


def verify_backup(path: Path) -> dict[str, Any]:
    """The manifest of an unharmed backup, every byte of which was read.

    Raises Damaged; OSError when the file cannot be read.
    """
    with open_backup(path) as tar:
        members = {member.name: (member, _hash(tar, member)) for member in tar}
        if list(members)[-3:] != [MANIFEST, SUMS, SEAL]:
            raise Damaged("it is cut off, or no backup: there is no seal at its end")
        _check_seal(path, tar, members[SEAL][0])
        listed = _text(tar, SUMS)
        if listed != "".join(
            f"{digest}  {name}\n"
            for name, (_, digest) in members.items()
            if name not in (SUMS, SEAL)
        ):
            raise Damaged("its members are not those of its list of hashes")
        manifest: dict[str, Any] = json.loads(_text(tar, MANIFEST))
        return manifest


@contextmanager
def open_backup(path: Path) -> Iterator[tarfile.TarFile]:
    """The members of a backup. Raises Damaged for what is no tar file."""
    try:
        with tarfile.open(path, "r:") as tar:
            yield tar
    except (tarfile.TarError, UnicodeDecodeError) as error:
        raise Damaged(str(error)) from error


def content(tar: tarfile.TarFile, member: tarfile.TarInfo | str) -> IO[bytes]:
    """Raises Damaged for what is no plain file."""
    try:
        file = tar.extractfile(member)
    except KeyError as error:
        raise Damaged(str(error)) from error
    if file is None:
        raise Damaged(f"{member} is no file")
    return file


def _text(tar: tarfile.TarFile, name: str) -> str:
    return content(tar, name).read().decode()


def _hash(tar: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    return file_digest(cast(BytesIO, content(tar, member)), "sha256").hexdigest()


def _check_seal(path: Path, tar: tarfile.TarFile, seal: tarfile.TarInfo) -> None:
    whole, left = sha256(), seal.offset
    with path.open("rb") as file:
        while left and (data := file.read(min(PIECE, left))):
            whole.update(data)
            left -= len(data)
        file.seek(seal.offset_data + seal.size)
        tail = file.read()
    if _text(tar, SEAL) != whole.hexdigest() or any(tail):
        raise Damaged("its seal is broken: a byte of it was changed")
