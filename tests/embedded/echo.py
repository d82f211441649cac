"""A site of a few lines for gunicorn: it says what it was sent, or sends much."""

import io
import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

LARGE = 30_000_000
PATTERN = bytes(range(251)) * 400


def large() -> bytes:
    return (PATTERN * (LARGE // len(PATTERN) + 1))[:LARGE]


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    path = environ["PATH_INFO"]
    if path.startswith("/large"):
        start_response("200 OK", [("Content-Length", str(LARGE))])
        if path == "/large/file":
            file: Iterable[bytes] = environ["wsgi.file_wrapper"](io.BytesIO(large()))
            return file
        return [large()]
    # As the site does where it refuses an upload for its length alone.
    body = b"" if path == "/unread" else environ["wsgi.input"].read()
    told = {"path": path, "size": len(body), "sha256": sha256(body).hexdigest()}
    answer = json.dumps(told).encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]
