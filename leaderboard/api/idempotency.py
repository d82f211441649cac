"""POSTs that may be repeated: the same Idempotency-Key gets the same answer."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from hashlib import sha256
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from leaderboard.api.models import KeptAnswer
from leaderboard.api.problems import ApiError

LONGEST_KEY = 64
KEPT = timedelta(days=2)
# Who has not answered by then has died: the next one may try again.
UNDER_WAY = timedelta(minutes=5)
CHUNK = 1 << 20
Method = Callable[..., Response]


def once(method: Method) -> Method:
    """For a method of an Endpoint that creates something.

    Without the header it is as if this were not here. Refusals are not kept: what was
    mended may be sent under the same key. The answer to a repetition has the header
    Idempotent-Replayed.
    """

    @wraps(method)
    def answer(view: Any, request: Request, *args: Any, **kwargs: Any) -> Response:
        key = request.headers.get("Idempotency-Key", "")
        if not key:
            return method(view, request, *args, **kwargs)
        if len(key) > LONGEST_KEY or "\0" in key:
            message = f"an Idempotency-Key has at most {LONGEST_KEY} characters"
            raise ApiError(422, "invalid", message)
        digest = _digest(request)
        kept, created = _claim(request, key, digest)
        if not created:
            return _repeated(kept, digest)
        row = KeptAnswer.objects.filter(pk=kept.pk)
        try:
            response = method(view, request, *args, **kwargs)
        except BaseException:
            row.delete()
            raise
        body = json.loads(json.dumps(response.data, cls=JSONEncoder))
        row.update(status=response.status_code, body=body)
        return response

    return answer


def _claim(request: Request, key: str, digest: str) -> tuple[KeptAnswer, bool]:
    """The row of the key, and whether this request is the one that answers."""
    now = timezone.now()
    rows = KeptAnswer.objects.filter(user=request.user)
    rows.filter(at__lt=now - KEPT).delete()
    rows.filter(status=0, at__lt=now - UNDER_WAY).delete()
    named = {"user": request.user, "address": request.path[:300], "key": key}
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(**named, request_sha256=digest), True
    except IntegrityError:
        kept = KeptAnswer.objects.filter(**named).first()
    # Refused in between, the first freed the key: the next try will have it.
    return kept or KeptAnswer(**named, request_sha256=digest), False


def _repeated(kept: KeptAnswer, digest: str) -> Response:
    if kept.request_sha256 != digest:
        message = "this Idempotency-Key was sent with another request"
        raise ApiError(422, "key_reused", message)
    if not kept.status:
        message = "the first request with this Idempotency-Key is still under way"
        raise ApiError(409, "key_in_use", message, wait=2)
    return Response(kept.body, kept.status, headers={"Idempotent-Replayed": "true"})


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
