"""How often one may ask: by token, else by person, else by address."""

import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.api.models import Token
from leaderboard.api.permissions import SAFE

WINDOW = 60  # seconds


class Rates(BaseThrottle):
    """So many requests in a minute of the clock, reading and writing apart.

    The headers are those of the IETF's draft "RateLimit header fields for HTTP". Counts
    live in the cache, those of each web process by itself unless it is a shared one.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        kind = "read" if request.method in SAFE else "write"
        limit = settings.API_RATES[kind if _known(request) else f"anonymous_{kind}"]
        now = time.time()
        minute, self.rest = int(now // WINDOW), WINDOW - int(now % WINDOW)
        key = f"api-rate:{kind}:{_who(self, request)}:{minute}"
        cache.add(key, 0, timeout=2 * WINDOW)
        used = _counted(key)
        left = max(0, limit - used)
        request.rate_headers = {
            "RateLimit-Policy": f'"{kind}";q={limit};w={WINDOW}',
            "RateLimit": f'"{kind}";r={left};t={self.rest}',
        }
        return used <= limit

    def wait(self) -> float:
        return float(self.rest)


def _counted(key: str) -> int:
    try:
        return int(cache.incr(key))
    except ValueError:  # thrown out of the cache in between
        return 1


def _known(request: Request) -> bool:
    return bool(request.user and request.user.is_authenticated)


def _who(throttle: BaseThrottle, request: Request) -> str:
    if isinstance(request.auth, Token):
        return f"token{request.auth.pk}"
    if _known(request):
        return f"person{request.user.pk}"
    return f"address{throttle.get_ident(request)}"
