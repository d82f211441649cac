"""Files stored under the hash of their content: written once, checked when read."""

import os
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import IO, cast

from django.core.files.base import ContentFile, File
from django.core.files.storage import FileSystemStorage, storages


class DamagedBlob(Exception):
    """A stored file no longer has the content it was stored under."""


class BlobStorage(FileSystemStorage):
    """Local storage whose files appear whole or not at all."""

    def _save(self, name: str, content: File) -> str:  # type: ignore[type-arg]
        path = Path(self.path(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as part:
            try:
                for chunk in content.chunks():
                    part.write(chunk)
                part.flush()
                os.fsync(part.fileno())
                os.replace(part.name, path)
            except BaseException:
                Path(part.name).unlink(missing_ok=True)
                raise
        return name


def place(digest: str) -> str:
    return f"{digest[:2]}/{digest}"


def keep(content: bytes | IO[bytes]) -> str:
    """Store content and return its sha256; storing the same again changes nothing.

    Raises OSError when the disk refuses.
    """
    storage = storages["blobs"]
    digest = digest_of(content)
    if not storage.exists(place(digest)):
        file = ContentFile(content) if isinstance(content, bytes) else File(content)
        storage.save(place(digest), file)
    return digest


def digest_of(content: bytes | IO[bytes]) -> str:
    if isinstance(content, bytes):
        return sha256(content).hexdigest()
    whole = sha256()
    content.seek(0)
    while chunk := content.read(1 << 16):
        whole.update(chunk)
    content.seek(0)
    return whole.hexdigest()


def read(digest: str) -> bytes:
    """The bytes stored under that hash.

    Raises DamagedBlob when they are not what was stored.
    """
    with storages["blobs"].open(place(digest)) as file:
        data = cast(bytes, file.read())
    if sha256(data).hexdigest() != digest:
        raise DamagedBlob(digest)
    return data
