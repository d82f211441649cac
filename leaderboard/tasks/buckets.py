"""Files in an S3-compatible store, with the same promises as on a local disk.

What is put there appears whole or not at all. One client serves all threads of a
process; keys and addresses of files never leave it: pages send what they have read.
"""

import base64
import logging
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from hashlib import md5
from tempfile import SpooledTemporaryFile
from typing import Any

from boto3.session import Session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import Storage

from leaderboard.tasks.blobs import Named, NoRoom, StoreAway
from leaderboard.web.cache import CircuitBreaker

log = logging.getLogger(__name__)
CONNECT_SECONDS, READ_SECONDS, KNOCK_SECONDS = 2, 10, 1
LOOK_SECONDS = 5.0  # a look at the store counts this long
IN_MEMORY = 8 << 20  # bytes of a file; beyond them it is read through the disk
NO_FILE = {"404", "NoSuchKey", "NotFound"}
FULL = {"507", "XMinioStorageFull", "QuotaExceeded"}


class BucketStorage(Storage):
    """The files below `folder` of a bucket.

    Every method raises StoreAway when the store does not answer or refuses us; after
    that nobody waits for it again for a few seconds.
    """

    def __init__(
        self, bucket: str, folder: str, endpoint: str = "", region: str = ""
    ) -> None:
        self._seen_until = 0.0
        self.bucket, self.folder = bucket, folder
        self.endpoint, self.region = endpoint or None, region or None
        self.forget()

    def get_available_name(self, name: str, max_length: int | None = None) -> str:
        return name  # equal names have equal content, or the newer is wanted

    def _save(self, name: str, content: File) -> str:
        whole, size = md5(usedforsecurity=False), 0
        for chunk in content.chunks():
            whole.update(chunk)
            size += len(chunk)
        content.seek(0)
        self._ask(
            "put_object",
            name,
            Body=content.file,
            ContentLength=size,
            # By which the store refuses what was changed on its way.
            ContentMD5=base64.b64encode(whole.digest()).decode(),
        )
        return name

    def _open(self, name: str, mode: str = "rb") -> File:
        try:
            return self._fetch(name)
        except FileNotFoundError:
            if not self._brought_back(name):
                raise
        return self._fetch(name)

    def _fetch(self, name: str) -> File:
        file = SpooledTemporaryFile(IN_MEMORY, dir=str(settings.FILE_UPLOAD_TEMP_DIR))  # noqa: SIM115
        answer = self._ask("get_object", name)
        with self._translate_errors():
            shutil.copyfileobj(answer["Body"], file)
        file.seek(0)
        return File(file, name)

    def exists(self, name: str) -> bool:
        try:
            self._ask("head_object", name)
        except FileNotFoundError:
            return False
        return True

    def size(self, name: str) -> int:
        size: int = self._ask("head_object", name)["ContentLength"]
        return size

    def get_modified_time(self, name: str) -> datetime:
        moment: datetime = self._ask("head_object", name)["LastModified"]
        return moment

    def delete(self, name: str) -> None:
        self._ask("delete_object", name)

    def names(self, beginning: str = "") -> Iterator[str]:
        """Last names of the files that begin so, of those set aside too."""
        for folder in (self.folder, self._aside):
            for entry in self._entries(folder, beginning):
                yield entry["Key"].rpartition("/")[2]

    def discard(self, name: str, before: float) -> bool:
        """Set aside a file that was last stored before that time; whether it went.

        A store has no locks: somebody may store the file again between our look and
        our deletion. So it stays within reach for a day: whoever reads it gets it back.
        """
        try:
            if self.get_modified_time(name).timestamp() >= before:
                return False
            self._copy(self._key(name), f"{self._aside}/{name}")
        except FileNotFoundError:
            return False
        self.delete(name)
        return True

    def discard_parts(self, before: float, named: Named) -> int:
        """Remove what was set aside before that time; what is named after all returns.

        How many went.
        """
        old = {
            entry["Key"].removeprefix(f"{self._aside}/")
            for entry in self._entries(self._aside)
            if entry["LastModified"].timestamp() < before
        }
        wanted = named({name.rpartition("/")[2] for name in old})
        removed = 0
        for name in old:
            if name.rpartition("/")[2] in wanted and not self.exists(name):
                self._brought_back(name)
            else:
                removed += 1
            with self._translate_errors():
                key = f"{self._aside}/{name}"
                self._client.delete_object(Bucket=self.bucket, Key=key)
        return removed

    def answers(self) -> bool:
        """Whether the store can be used; a look counts for seconds."""
        if not self._breaker.open and time.monotonic() >= self._seen_until:
            try:
                self._knocker.head_bucket(Bucket=self.bucket)
                self._seen_until = time.monotonic() + LOOK_SECONDS
            except (BotoCoreError, ClientError) as error:
                log.warning("bucket not reached: %s", error)
                self._breaker.trip()
        return not self._breaker.open

    def forget(self) -> None:
        """Look anew, as if nothing had ever failed."""
        self._breaker, self._seen_until = CircuitBreaker(), 0.0

    @property
    def _aside(self) -> str:
        return f"{self.folder}-aside"

    def _key(self, name: str) -> str:
        return f"{self.folder}/{name}"

    def _brought_back(self, name: str) -> bool:
        try:
            self._copy(f"{self._aside}/{name}", self._key(name))
        except FileNotFoundError:
            return False
        return True

    def _copy(self, source: str, to: str) -> None:
        with self._translate_errors():
            place = {"Bucket": self.bucket, "Key": source}
            self._client.copy_object(Bucket=self.bucket, Key=to, CopySource=place)

    def _entries(self, folder: str, beginning: str = "") -> Iterator[dict[str, Any]]:
        pages = self._client.get_paginator("list_objects_v2")
        with self._translate_errors():
            for page in pages.paginate(
                Bucket=self.bucket, Prefix=f"{folder}/{beginning}"
            ):
                yield from page.get("Contents", ())

    def _ask(self, what: str, name: str, **more: Any) -> dict[str, Any]:
        operation: Callable[..., dict[str, Any]] = getattr(self._client, what)
        with self._translate_errors():
            return operation(Bucket=self.bucket, Key=self._key(name), **more)

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        if self._breaker.open:
            raise StoreAway("it did not answer a moment ago")
        try:
            yield
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in NO_FILE:
                raise FileNotFoundError(code) from error
            if code in FULL:
                raise NoRoom("no room in the bucket") from error
            self._breaker.trip()
            raise StoreAway(code) from error
        except BotoCoreError as error:
            self._breaker.trip()
            raise StoreAway(type(error).__name__) from error

    @cached_property
    def _client(self) -> Any:
        return self._make_client(CONNECT_SECONDS, READ_SECONDS, 2)

    @cached_property
    def _knocker(self) -> Any:
        return self._make_client(KNOCK_SECONDS, KNOCK_SECONDS, 1)

    def _make_client(self, connect: int, read: int, attempts: int) -> Any:
        config = Config(
            connect_timeout=connect,
            read_timeout=read,
            retries={"mode": "standard", "total_max_attempts": attempts},
            s3={"addressing_style": "path" if self.endpoint else "auto"},
            max_pool_connections=32,
            # Newer kinds of checksums are not known to every store.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        )
        place = {"endpoint_url": self.endpoint, "region_name": self.region}
        return Session().client("s3", config=config, **place)
