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
from leaderboard.api.problems import problem

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
            said = f"an Idempotency-Key has at most {LONGEST_KEY} characters"
            return problem(422, "invalid", said)
        kept, mine = _claim(request, key)
        if not mine:
            return _repeated(request, kept)
        return _made(kept, lambda: method(view, request, *args, **kwargs))

    return answer


def _claim(request: Request, key: str) -> tuple[KeptAnswer, bool]:
    """The row of the key, and whether this request is the one that answers."""
    now = timezone.now()
    rows = KeptAnswer.objects.filter(user=request.user)
    rows.filter(at__lt=now - KEPT).delete()
    rows.filter(status=0, at__lt=now - UNDER_WAY).delete()
    named = {"user": request.user, "address": request.path[:300], "key": key}
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(
                **named, request_sha256=_digest(request)
            ), True
    except IntegrityError:
        found = KeptAnswer.objects.filter(**named).first()
    # Refused in between, the first freed the key: the next try will have it.
    return found or KeptAnswer(**named, request_sha256=_digest(request)), False


def _repeated(request: Request, kept: KeptAnswer) -> Response:
    if kept.request_sha256 != _digest(request):
        said = "this Idempotency-Key was sent with another request"
        return problem(422, "key_reused", said)
    if not kept.status:
        said = "the first request with this Idempotency-Key is still under way"
        answer = problem(409, "key_in_use", said)
        answer["Retry-After"] = "2"
        return answer
    return Response(kept.body, kept.status, headers={"Idempotent-Replayed": "true"})


def _made(kept: KeptAnswer, make: Callable[[], Response]) -> Response:
    done = False
    try:
        answer = make()
        done = answer.status_code < 300
    finally:
        if not done:
            KeptAnswer.objects.filter(pk=kept.pk).delete()
    if done:
        body = json.loads(json.dumps(answer.data, cls=JSONEncoder))
        KeptAnswer.objects.filter(pk=kept.pk).update(
            status=answer.status_code, body=body
        )
    return answer


def _digest(request: Request) -> str:
    """Of the fields and the bytes of the files, whatever the boundary between them."""
    found = sha256()
    data = request.data if isinstance(request.data, dict) else {"": request.data}
    for name, value in sorted(data.items()):
        found.update(name.encode() + b"\0")
        if not hasattr(value, "chunks"):
            found.update(json.dumps(value, cls=JSONEncoder).encode() + b"\0")
            continue
        value.seek(0)
        for chunk in value.chunks(CHUNK):
            found.update(chunk)
        value.seek(0)
    return found.hexdigest()
