"""nginx and Caddy, with the files of deploy/, in front of a web server that runs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

from leaderboard.operations.deployment_checks import NOBODY, _faults
from tests.operations.proxies import NAME, Proxy, get, require, started_proxy


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("proxy", Proxy)
def test_the_site_is_reached_through_it_safely_and_numbers_are_not(
    proxy: Proxy, public_server: int, tmp_path: Path
) -> None:
    require(proxy)
    host = NAME if proxy is Proxy.NGINX else "localhost"
    with started_proxy(proxy, public_server, tmp_path) as (sure, plain):
        page = get(f"{sure}/api/v1/tasks/", Host=host, **{"X-Forwarded-Proto": "http"})
        assert page.status_code == 200, "what a client says of itself does not count"
        assert page.headers["Strict-Transport-Security"]
        assert get(f"{sure}/metrics", Host=host).status_code == 403
        spoofed = {"X-Forwarded-For": NOBODY, "X-Forwarded-Proto": "http"}
        ready = get(f"{sure}/readyz", Host=host, **spoofed)
        seen = ready.json()["request"]
        assert [*_faults(f"{sure}/readyz", ready.status_code, seen)] == []
        assert seen["client"] in ("127.0.0.1", "::1")
        big = httpx.post(
            f"{sure}/api/v1/tasks/",
            content=iter([b"x" * 1_000_000] * 60),
            headers={"Host": host},
            verify=False,
            timeout=60,
        )
        assert big.status_code != 413, "the site itself says what is too large"
        if plain:
            assert get(f"{plain}/").status_code == 301
    assert get(f"http://127.0.0.1:{public_server}/").status_code == 301, (
        "past the proxy"
    )


@contextmanager
def saying_headers() -> Iterator[int]:
    """A web server that answers with the headers that reached it; its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = "\n".join(f"{k.lower()}: {v}" for k, v in self.headers.items())
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Page) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.parametrize("proxy", Proxy)
def test_a_client_cannot_say_which_address_it_has(proxy: Proxy, tmp_path: Path) -> None:
    require(proxy)
    host = NAME if proxy is Proxy.NGINX else "localhost"
    ways = (
        [("X-Forwarded-For", "203.0.113.9")],
        [("X-Forwarded-For", "203.0.113.9, 127.0.0.7"), ("x-forwarded-for", "::1")],
        [("X-Forwarded-For", ""), ("X_Forwarded_For", "203.0.113.9")],
    )
    with (
        saying_headers() as port,
        started_proxy(proxy, port, tmp_path) as (sure, _plain),
    ):
        for said in ways:
            headers = [("Host", host), *said]
            page = httpx.get(f"{sure}/", headers=headers, verify=False, timeout=60)
            lines = page.text.split("\n")
            told = [one for one in lines if one.startswith("x-forwarded-for:")]
            (only,) = told
            assert only in ("x-forwarded-for: 127.0.0.1", "x-forwarded-for: ::1")
            assert "203.0.113.9" not in only
