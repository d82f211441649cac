"""How often one may ask: by token, else by person, else by address."""

import time
from typing import Any

from django.conf import settings
from django.core.cache import cache
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from leaderboard.api.models import Token

WINDOW = 60  # seconds


class Rates(BaseThrottle):
    """So many requests in a minute of the clock, reading and writing apart.

    The headers are those of the IETF's draft "RateLimit header fields for HTTP". Counts
    live in the cache, those of each web process by itself unless it is a shared one.
    """

    def allow_request(self, request: Request, view: Any) -> bool:
        kind = "read" if request.method in SAFE_METHODS else "write"
        limit = settings.API_RATES[kind]
        if isinstance(request.auth, Token):
            asker = f"token{request.auth.pk}"
        elif request.user and request.user.is_authenticated:
            asker = f"person{request.user.pk}"
        else:
            asker = f"address{self.get_ident(request)}"
            limit = settings.API_RATES[f"anonymous_{kind}"]
        now = time.time()
        minute, self.rest = int(now // WINDOW), WINDOW - int(now % WINDOW)
        key = f"api-rate:{kind}:{asker}:{minute}"
        cache.add(key, 0, timeout=2 * WINDOW)
        try:
            used = int(cache.incr(key))
        except ValueError:  # thrown out of the cache in between
            used = 1
        request.rate_headers = {
            "RateLimit-Policy": f'"{kind}";q={limit};w={WINDOW}',
            "RateLimit": f'"{kind}";r={max(0, limit - used)};t={self.rest}',
        }
        return used <= limit

    def wait(self) -> float:
        return float(self.rest)
