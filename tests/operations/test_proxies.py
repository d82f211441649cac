"""nginx and Caddy, with the files of deploy/, in front of a web server that runs."""

import shutil
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings as site

from tests.conftest import _url_of_test_database
from tests.operations.proxies import DEPLOY, nginx_conf, running
from tests.operations.units import environment, started
from tests.servers import free_ports
from tests.waiting import wait_until

NAME = "plumbline.example.org"
WORDS = (
    "listen 80",
    "listen [::]:80",
    "listen 443",
    "listen [::]:443",
    "127.0.0.1:8000",
)


@pytest.fixture
def server(redis_url: str, transactional_db: None) -> Iterator[int]:
    """A web server with the settings of a public site; its port."""
    (port,) = free_ports(1)
    env = environment(
        PLUMBLINE_HOSTS=f"{NAME},localhost,127.0.0.1",
        PLUMBLINE_SECRET_KEY=site.SECRET_KEY,
        DATABASE_URL=_url_of_test_database(),
        REDIS_URL=redis_url,
        PLUMBLINE_DATA=str(site.TEST_DATA),
        PLUMBLINE_WEB_PROCESSES="1",
        PLUMBLINE_BIND=f"127.0.0.1:{port}",
    )
    with started("web", 9, env):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 60, "a server")
        yield port


def answers(url: str) -> bool:
    try:
        return get(url).status_code < 500
    except (httpx.HTTPError, ssl.SSLError):
        return False


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers={"Host": NAME, **headers}, verify=False, timeout=10)


@contextmanager
def nginx(server: int, place: Path) -> Iterator[tuple[str, str]]:
    """Addresses with TLS and without."""
    plain, sure = free_ports(2)
    ports = dict(zip(WORDS, (plain, plain, sure, sure, server), strict=True))
    whole = nginx_conf(place, ports)
    with running(["nginx", "-c", str(whole)], place):
        yield f"https://127.0.0.1:{sure}", f"http://127.0.0.1:{plain}"


@contextmanager
def caddy(server: int, place: Path) -> Iterator[tuple[str, str]]:
    """Its file as it is; for "localhost" it makes a certificate of its own."""
    (sure,) = free_ports(1)
    argv = ["caddy", "run", "--config", str(DEPLOY / "Caddyfile")]
    more = {
        "PLUMBLINE_DOMAIN": f"localhost:{sure}",
        "PLUMBLINE_UPSTREAM": f"127.0.0.1:{server}",
        "XDG_DATA_HOME": str(place),
    }
    with running([*argv, "--adapter", "caddyfile"], place, **more):
        yield f"https://localhost:{sure}", ""


@pytest.mark.campaign
@pytest.mark.parametrize("proxy", [nginx, caddy])
def test_the_site_is_reached_through_it_safely_and_numbers_are_not(
    proxy: object, server: int, tmp_path: Path
) -> None:
    name = proxy.__name__  # type: ignore[attr-defined]
    if shutil.which(name) is None:
        pytest.skip(f"no {name}: install Debian's package of that name")
    host = NAME if proxy is nginx else "localhost"
    with proxy(server, tmp_path) as (sure, plain):  # type: ignore[operator]
        wait_until(lambda: answers(f"{sure}/healthz"), 60, f"{name} answers")
        page = get(f"{sure}/api/v1/tasks/", Host=host, **{"X-Forwarded-Proto": "http"})
        assert page.status_code == 200, "what a client says of itself does not count"
        assert page.headers["Strict-Transport-Security"]
        assert get(f"{sure}/metrics", Host=host).status_code == 403
        big = httpx.post(
            f"{sure}/api/v1/tasks/", content=iter([b"x" * 1_000_000] * 60),
            headers={"Host": host}, verify=False, timeout=60,
        )  # fmt: skip
        assert big.status_code != 413, "the site itself says what is too large"
        if plain:
            assert get(f"{plain}/").status_code == 301
    assert get(f"http://127.0.0.1:{server}/").status_code == 301, "past the proxy"
