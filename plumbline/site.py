"""The site over HTTP: requests with a token, answers or what went wrong."""

import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import httpx

from plumbline import credentials
from plumbline.exits import SITE_FAILED, USAGE, Ended, SiteRefusal

API = "/api/v1/"
SECONDS = 60.0
LOCAL = ("localhost", "127.0.0.1", "::1")
# A busy or restarting site is asked again: so often, after so many seconds at most.
TRIES, PATIENCE = 4, 30.0
AGAIN = (429, 502, 503, 504)


class Site:
    """One site, as the holder of a token sees it. Never follows it elsewhere."""

    def __init__(self, address: str, token: str = "") -> None:
        self.address = check_address(address)
        token = token or credentials.token_of(self.address)
        headers = {"Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        self._client = httpx.Client(
            base_url=self.address, headers=headers, timeout=SECONDS
        )

    def get(self, path: str, **more: Any) -> Any:
        """The JSON at `path`, below /api/v1/ unless it begins with a slash."""
        return self.fetch(path, **more).json()

    def fetch(self, path: str, **more: Any) -> httpx.Response:
        more.setdefault("headers", {})
        return self._patiently("GET", path, more)

    def post(self, path: str, **more: Any) -> Any:
        """Send a request once, as whoever sends may not know whether it arrived. See
        `submit`."""
        return _good(self._send("POST", path, more)).json()

    def path_of(self, address: str) -> str:
        """The path of an address that the site named; never another host's."""
        parts = urlsplit(address)
        return f"{parts.path}?{parts.query}" if parts.query else parts.path

    def _patiently(
        self, method: str, path: str, more: Mapping[str, Any]
    ) -> httpx.Response:
        for attempt in range(TRIES):
            answer = self._send(method, path, more)
            last = attempt == TRIES - 1
            if answer.status_code not in AGAIN or last:
                break
            time.sleep(_rest(answer, attempt))
        return _good(answer)

    def _send(self, method: str, path: str, more: Mapping[str, Any]) -> httpx.Response:
        target = path if path.startswith("/") else API + path
        try:
            return self._client.request(method, target, **more)
        except httpx.HTTPError as error:
            words = f"{self.address} cannot be reached: {error}"
            raise Ended(SITE_FAILED, words) from None


def _rest(answer: httpx.Response, attempt: int) -> float:
    retry_after = answer.headers.get("Retry-After", "")
    return min(
        PATIENCE, float(retry_after) if retry_after.isdecimal() else 2.0**attempt
    )


def _good(answer: httpx.Response) -> httpx.Response:
    """Raises SiteRefusal for everything that is no success, redirects too."""
    if answer.is_success:
        return answer
    try:
        document = answer.json()
    except ValueError:
        document = {}
    raise SiteRefusal(
        answer.status_code, document if isinstance(document, dict) else {}
    )


def check_address(address: str) -> str:
    """The address without a path. Raises Ended for none, and for one that would send
    the token in the clear."""
    if not address:
        words = f"which site? say --site, set {credentials.SITE}, or `login` first"
        raise Ended(USAGE, words)
    parts = urlsplit(address if "://" in address else f"https://{address}")
    if parts.scheme == "http" and parts.hostname not in LOCAL:
        raise Ended(USAGE, f"a token is not sent in the clear: use https ({address})")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise Ended(USAGE, f"this is no address of a site: {address}")
    return f"{parts.scheme}://{parts.netloc}"
