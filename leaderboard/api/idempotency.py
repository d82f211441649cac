"""POSTs that may be repeated: the same Idempotency-Key gets the same answer.

The claim of the key, the work and the answer that is kept are one transaction. Killed
anywhere, a request has done all of it or nothing, and its claim is gone with it: a
repetition right after is answered, and the work done once. What takes long, as a job of
the sandbox, comes before: on SQLite a transaction holds up all others that write. Of
two that come at once both may do that, and the second then waits for the first, and has
its answer.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from leaderboard.api.models import KeptAnswer
from leaderboard.api.problems import ApiError
from leaderboard.teams.requests import SignedInCall

LONGEST_KEY = 64
KEPT = timedelta(days=2)
CHUNK = 1 << 20


@dataclass(frozen=True)
class Deferred:
    """The rest of a request once all that takes long is done: `act` writes to the
    database, and returns the answer."""

    act: Callable[[], Any]


Method = Callable[..., Deferred]


def once(method: Method) -> Callable[..., Response]:
    """A decorator of methods of an Endpoint that create something by the `Deferred` it
    returns.

    Without the header it is as if this were not here. Refusals are not kept: what was
    mended may be sent under the same key. The answer to a repetition has the header
    Idempotent-Replayed.
    """

    @wraps(method)
    def answer(view: Any, request: SignedInCall, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            return method(view, request, *args, **kwargs).act()
        if len(key) > LONGEST_KEY or "\0" in key:
            message = f"an Idempotency-Key has at most {LONGEST_KEY} characters"
            raise ApiError(422, "invalid", message)
        digest = _digest(request)
        named = {"user": request.user, "address": request.path[:300], "key": key}
        rows = KeptAnswer.objects.filter(user=request.user)
        rows.filter(at__lt=timezone.now() - KEPT).delete()
        if stored := _stored_answer(named):
            return _repeat(stored, digest)
        try:
            deferred = method(view, request, *args, **kwargs)
            with transaction.atomic():
                return _done(deferred, named, digest)
        except Exception:
            # Refused may be what the first of two has done meanwhile.
            if stored := _stored_answer(named):
                return _repeat(stored, digest)
            raise

    return answer


def _stored_answer(named: dict[str, Any]) -> KeptAnswer | None:
    return KeptAnswer.objects.filter(**named).exclude(status=0).first()


def _done(deferred: Deferred, named: dict[str, Any], digest: str) -> Response:
    """The answer, with what it tells of, and kept. Raises IntegrityError where another
    request with the key was first, for which it waits."""
    # Of versions that kept claims apart, by processes that have died.
    KeptAnswer.objects.filter(**named, status=0).delete()
    row = KeptAnswer.objects.create(**named, request_sha256=digest)
    response: Response = deferred.act()
    _keep(row, response)
    return response


def _keep(row: KeptAnswer, response: Response) -> None:
    row.body = json.loads(json.dumps(response.data, cls=JSONEncoder))
    row.status = response.status_code
    row.save(update_fields=["body", "status"])


def _repeat(stored: KeptAnswer, digest: str) -> Response:
    if stored.request_sha256 != digest:
        message = "this Idempotency-Key was sent with another request"
        raise ApiError(422, "key_reused", message)
    return Response(stored.body, stored.status, headers={"Idempotent-Replayed": "true"})


def _digest(request: Request) -> str:
    """Digest of the fields and files, whatever the boundary between them."""
    digest = sha256()
    data = request.data if isinstance(request.data, dict) else {"": request.data}
    for name, value in sorted(data.items()):
        digest.update(name.encode() + b"\0")
        if not hasattr(value, "chunks"):
            digest.update(json.dumps(value, cls=JSONEncoder).encode() + b"\0")
            continue
        value.seek(0)
        for chunk in value.chunks(CHUNK):
            digest.update(chunk)
        value.seek(0)
    return digest.hexdigest()
