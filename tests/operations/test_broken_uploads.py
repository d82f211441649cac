"""Connections that break in the middle of a body: whole or not at all, everywhere."""

import json
import random
import socket
import ssl
import struct
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.client import HTTPException, HTTPResponse
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from zipfile import ZipFile

import pytest
from django.conf import settings as site

from leaderboard.api import tokens
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.models import GoldRevision, Task
from leaderboard.teams.models import User
from tests.campaigns.browsers import Request
from tests.campaigns.invariants import violations
from tests.campaigns.site import cookies_of
from tests.leaderboard.small import bundle, one_wrong
from tests.operations.conftest import public_web
from tests.operations.proxies import NAME, Proxy, require, started_proxy

PLACES = 50
SHORTENED = 10  # of each kind: they end too early and are as long as they say
AT_ONCE = 8
ANSWER_SECONDS = 120.0
CHUNK = 5000
# With them a file is longer than what a server or a proxy reads at a time.
REMARKS = b"".join(b"# remark %d of those that make it long\n" % n for n in range(1200))
TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
TLS.check_hostname, TLS.verify_mode = False, ssl.CERT_NONE
SUBMISSIONS = "/api/v1/tasks/otters/test/submissions/"


@dataclass(frozen=True)
class Way:
    """Where a client connects; with TLS unless it is the web server itself."""

    host: str
    port: int
    tls: bool

    def connected(self) -> socket.socket:
        line = socket.create_connection(("127.0.0.1", self.port), ANSWER_SECONDS)
        if not self.tls:
            return line
        return TLS.wrap_socket(line, server_hostname=self.host)


@dataclass(frozen=True)
class Upload:
    """A request with a form; in chunks, or with its length said."""

    name: str
    head: bytes
    body: bytes
    in_chunks: bool = False

    @classmethod
    def of(cls, name: str, request: Request) -> "Upload":
        head, _, body = request.packed().partition(b"\r\n\r\n")
        lines = head.split(b"\r\n")
        unsaid = [one for one in lines if not one.startswith(b"Content-Length:")]
        return cls(name, b"\r\n".join(unsaid), body)

    def bytes(self) -> tuple[bytes, bytes]:
        """Bytes that go over the line: head and body."""
        if not self.in_chunks:
            length = b"\r\nContent-Length: %d\r\n\r\n" % len(self.body)
            return self.head + length, self.body
        pieces = [self.body[at : at + CHUNK] for at in range(0, len(self.body), CHUNK)]
        sized = (b"%x\r\n%s\r\n" % (len(one), one) for one in [*pieces, b""])
        return self.head + b"\r\nTransfer-Encoding: chunked\r\n\r\n", b"".join(sized)


@dataclass(frozen=True)
class Answer:
    """The site's answer; status 0 is none, for the line broke."""

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def told(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found

    @property
    def submission(self) -> str:
        """The id of what was accepted, by form or API."""
        if "Location" in self.headers:
            return self.headers["Location"].split("/")[-2]
        return str(self.told["id"])


def sent(way: Way, upload: Upload) -> Answer:
    return asked(way, b"".join(upload.bytes()))


def asked(way: Way, data: bytes, *, half_closed: bool = False) -> Answer:
    with way.connected() as line:
        with suppress(BrokenPipeError, ConnectionResetError):
            line.sendall(data)
            if half_closed:
                line.shutdown(socket.SHUT_WR)
        answer = HTTPResponse(line, method="POST")
        try:
            answer.begin()
            return Answer(answer.status, answer.headers, answer.read())
        except (HTTPException, ConnectionResetError, ssl.SSLEOFError):
            return Answer()


def broken_off(way: Way, data: bytes, *, hard: bool) -> None:
    """Send `data` and close; `hard` is a reset, which loses what is under way."""
    with way.connected() as line:
        line.sendall(data)
        if hard:
            at_once = struct.pack("ii", 1, 0)
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)


def uploads(way: Way, ada: User, ben: User) -> list[Upload]:
    """One of each kind, under a key of its own."""
    about = {"Host": way.host, "Origin": f"https://{way.host}"}
    if not way.tls:
        about["X-Forwarded-Proto"] = "https"
    files = {f"file_{name}": REMARKS + one_wrong(name) for name in ("north", "south")}

    def program(user: User, scope: str, key: str) -> dict[str, str]:
        _token, text = tokens.make(user, key, (scope,))
        bearer = {"Authorization": f"Bearer {text}", "Idempotency-Key": key}
        return {**about, **bearer}

    form = {"system": "by form", "key": "of the form"}
    chunks = Request(
        SUBMISSIONS,
        "",
        {"system": "in chunks"},
        files,
        more=program(ben, "submit", "of the chunks"),
    )
    return [
        Upload.of(
            "form",
            Request(
                "/tasks/otters/test/submit/", cookies_of(ben), form, files, more=about
            ),
        ),
        Upload.of(
            "api",
            Request(
                SUBMISSIONS,
                "",
                {"system": "by program"},
                files,
                more=program(ben, "submit", "of the program"),
            ),
        ),
        replace(Upload.of("chunks", chunks), in_chunks=True),
        Upload.of(
            "gold",
            Request(
                "/api/v1/tasks/otters/gold-revisions/",
                "",
                {"note": "corrected"},
                files,
                more=program(ada, "organize", "of the gold"),
            ),
        ),
        Upload.of(
            "bundle",
            Request(
                "/api/v1/tasks/",
                "",
                {},
                {"bundle": zipped()},
                more=program(ada, "organize", "of the bundle"),
            ),
        ),
    ]


def zipped() -> bytes:
    made = bundle(slug="weasels", title="Weasels")
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name, data in made.files.items():
            archive.writestr(name, data)
        archive.writestr("gold/README", random.Random(3).randbytes(100_000))
    return out.getvalue()


@contextmanager
def reached(proxy: Proxy | None, place: Path, redis_url: str) -> Iterator[Way]:
    """The way through a proxy to a web server that has ended afterwards."""
    # Without it pages need `collectstatic`.
    more = {"DJANGO_SETTINGS_MODULE": "tests.settings"}
    with public_web(redis_url, site.SECRET_KEY, site.TEST_DATA, **more) as port:
        if proxy is None:
            yield Way(NAME, port, tls=False)
            return
        with started_proxy(proxy, port, place) as (sure, _plain):
            host = NAME if proxy is Proxy.NGINX else "localhost"
            yield Way(host, urlsplit(sure).port or 0, tls=True)


@pytest.mark.parametrize("proxy", [None, *Proxy])
@pytest.mark.usefixtures("transactional_db", "entry")
@pytest.mark.sampled(5)
def test_an_upload_that_breaks_off_anywhere_leaves_nothing_and_may_be_repeated(
    proxy: Proxy | None,
    redis_url: str,
    ada: User,
    ben: User,
    tmp_path: Path,
    share: int,
) -> None:
    if proxy:
        require(proxy)
    kept = set(site.FILE_UPLOAD_TEMP_DIR.iterdir())
    with reached(proxy, tmp_path, redis_url) as way:
        kinds = uploads(way, ada, ben)
        breaks = [one for kind in kinds for one in broken(way, kind, PLACES // share)]
        with ThreadPoolExecutor(AT_ONCE) as clients:
            told = list(clients.map(lambda one: one(), breaks))
            cut = shortened(kinds, SHORTENED // share)
            short = list(clients.map(partial(sent, way), cut))
        whole = {kind.name: sent(way, kind) for kind in kinds}
    # The server has ended: whatever was under way is in the database, or never will be.
    assert {answer.status for answer in short} == {400}
    # Of a broken line a proxy may say itself what it thinks.
    alone, any_error = {0, 400}, {0, *range(400, 600)}
    statuses = {answer.status for answer in told if answer}
    assert statuses <= (any_error if proxy else alone)
    assert [one.status for one in whole.values()] == [302, 201, 201, 201, 201], whole
    assert not any("Idempotent-Replayed" in one.headers for one in whole.values())
    accepted = [whole[name].submission for name in ("form", "api", "chunks")]
    assert {str(one.pk) for one in Submission.objects.all()} == set(accepted)
    assert {one.files.count() for one in Submission.objects.all()} == {2}
    assert set(QuotaCounter.objects.values_list("used", flat=True)) == {3}
    assert violations(accepted) == []
    (draft,) = GoldRevision.objects.filter(task__slug="otters", number__gt=1)
    assert whole["gold"].told["number"] == draft.number
    assert whole["gold"].told["corrected"] == ["North", "South"]
    assert set(Task.objects.values_list("slug", flat=True)) == {"otters", "weasels"}
    assert set(site.FILE_UPLOAD_TEMP_DIR.iterdir()) <= kept


def broken(
    way: Way, upload: Upload, places: int
) -> Iterator[Callable[[], Answer | None]]:
    """Calls that break it off at random places of its body, in every manner."""
    draw = random.Random(f"{upload.name} {way.host}")
    head, body = upload.bytes()
    for number, at in enumerate(draw.sample(range(len(body) - 1), places)):
        cut = head + body[:at]
        if number % 3:
            yield lambda cut=cut, hard=number % 3 == 2: broken_off(way, cut, hard=hard)
        else:
            yield lambda cut=cut: asked(way, cut, half_closed=True)


def shortened(uploads: list[Upload], places: int) -> Iterator[Upload]:
    """Cut at random places, and as long as they say."""
    for one in uploads:
        draw = random.Random(one.name)
        for at in draw.sample(range(len(one.body) - len(b"--\r\n")), places):
            yield replace(one, body=one.body[:at])


BODY = b'--e\r\nContent-Disposition: form-data; name="system"\r\n\r\nx\r\n--e--\r\n'
FORM = "Content-Type: multipart/form-data; boundary=e"
CHUNKS = "Transfer-Encoding: chunked"
SIZED = b"%x\r\n%s\r\n" % (len(BODY), BODY)
LENGTH = f"Content-Length: {len(BODY)}"
ODD: Mapping[str, tuple[list[str], bytes]] = {
    "length and chunks": ([LENGTH, CHUNKS], SIZED + b"0\r\n\r\n"),
    "a negative length": (["Content-Length: -5"], BODY),
    "two lengths": ([LENGTH, "Content-Length: 5"], BODY),
    "a length that is no number": (["Content-Length: 0x10"], BODY),
    "a length that is too long": ([f"Content-Length: {len(BODY) + 9}"], BODY),
    "a length that is too short": ([f"Content-Length: {len(BODY) - 9}"], BODY),
    "no length": ([], BODY),
    "chunks twice": ([CHUNKS, CHUNKS], SIZED + b"0\r\n\r\n"),
    "compressed without chunks": (["Transfer-Encoding: gzip"], BODY),
    "compressed in chunks": (
        ["Transfer-Encoding: gzip, chunked"],
        b"3\r\n\x1f\x8b\x08\r\n0\r\n\r\n",
    ),
    "a size that is none": ([CHUNKS], b"zz\r\n" + BODY),
    "a negative size": ([CHUNKS], b"-5\r\n" + BODY),
    "a size that is too small": ([CHUNKS], b"5\r\n" + BODY + b"\r\n0\r\n\r\n"),
    "a size beyond all bounds": ([CHUNKS], b"f" * 40 + b"\r\n" + BODY),
    "no last chunk": ([CHUNKS], SIZED),
    "half of the last chunk": ([CHUNKS], SIZED + b"0\r\n"),
    "a trailer that is none": ([CHUNKS], SIZED + b"0\r\nno trailer\r\n\r\n"),
    "no chunk at all": ([CHUNKS], b"0\r\n\r\n"),
}


@pytest.mark.usefixtures("transactional_db", "entry")
def test_a_body_whose_length_is_in_doubt_is_refused(
    redis_url: str, ben: User, tmp_path: Path
) -> None:
    _token, text = tokens.make(ben, "odd", ("submit",))
    with reached(None, tmp_path, redis_url) as way:
        line, bearer = f"POST {SUBMISSIONS} HTTP/1.1", f"Authorization: Bearer {text}"
        always = [line, f"Host: {way.host}", FORM, bearer, "X-Forwarded-Proto: https"]
        found = {}
        for name, (lines, body) in ODD.items():
            head = "\r\n".join([*always, *lines, "", ""]).encode()
            found[name] = asked(way, head + body, half_closed=True).status
    assert set(found.values()) == {400}, found
    assert not Submission.objects.exists()
