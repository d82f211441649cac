"""An S3-compatible server as a process of its own, and the site on a bucket of it."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError

from leaderboard.embedded.processes import Process, spawn, stop
from leaderboard.settings import file_stores
from leaderboard.tasks import blobs
from tests.servers import free_ports
from tests.waiting import wait_until

KEYS = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "no-secret"}


class Server:
    """Can be stopped, paused and started again; what it held is lost then."""

    def __init__(self, port: int, log: Path) -> None:
        self.port, self.log = port, log
        self.process: Process | None = None
        quick = Config(connect_timeout=1, read_timeout=5, retries={"max_attempts": 0})
        self.client = boto3.session.Session().client(
            "s3",
            endpoint_url=self.url,
            region_name="eu-central-1",
            config=quick,
            aws_access_key_id="tests",
            aws_secret_access_key="no-secret",
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        argv = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1"]
        self.process = spawn([*argv, "-p", str(self.port)], self.log, env=os.environ)
        wait_until(self._answers, 60, f"a bucket server, {self.log}")

    def stop(self) -> None:
        if self.process is not None:
            stop(self.process, 5.0)

    def bucket(self) -> str:
        """A new and empty one; its name."""
        name = f"site-{uuid4().hex[:12]}"
        place = {"LocationConstraint": "eu-central-1"}
        self.client.create_bucket(Bucket=name, CreateBucketConfiguration=place)
        return name

    def keys(self, bucket: str) -> set[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return {one["Key"] for page in pages for one in page.get("Contents", ())}

    def _answers(self) -> bool:
        try:
            self.client.list_buckets()
        except BotoCoreError:
            return False
        return True


@contextmanager
def bucket_server(folder: Path) -> Iterator[Server]:
    (port,) = free_ports(1)
    server = Server(port, folder / "buckets.log")
    server.start()
    try:
        yield server
    finally:
        server.stop()


def variables(server: Server, bucket: str) -> dict[str, str]:
    """Variables that an operator sets."""
    return {
        **KEYS,
        "PLUMBLINE_S3_BUCKET": bucket,
        "PLUMBLINE_S3_ENDPOINT": server.url,
        "PLUMBLINE_S3_REGION": "eu-central-1",
    }


def stores_of(place: dict[str, str], data: Path, patched: Any) -> dict[str, Any]:
    """The settings that these variables give."""
    for name, value in place.items():
        patched.setenv(name, value)
    return file_stores(data)


@dataclass
class Store:
    """A bucket on that server, in which the site keeps its files."""

    server: Server
    name: str

    def key_of(self, digest: str) -> str:
        return f"site/blobs/{blobs.place(digest)}"

    def keys(self) -> set[str]:
        return self.server.keys(self.name)

    def has(self, key: str) -> bool:
        return key in self.keys()

    def put(self, key: str, data: bytes) -> None:
        self.server.client.put_object(Bucket=self.name, Key=key, Body=data)

    def remove(self, key: str) -> None:
        self.server.client.delete_object(Bucket=self.name, Key=key)
