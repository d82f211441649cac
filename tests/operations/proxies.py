"""The proxies of deploy/ as programs: their own files, with this machine's places."""

import enum
import os
import shutil
import ssl
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings as site

from leaderboard.embedded.processes import kill_group, spawn
from tests.servers import free_ports
from tests.waiting import wait_until

DEPLOY = Path(site.BASE_DIR) / "deploy"
NAME = "plumbline.example.org"
WORDS = (
    "listen 80",
    "listen [::]:80",
    "listen 443",
    "listen [::]:443",
    "127.0.0.1:8000",
)


class Proxy(enum.Enum):
    """By the name of its program, which is that of Debian's package too."""

    NGINX = "nginx"
    CADDY = "caddy"


def require(proxy: Proxy) -> None:
    """Skip the test where the program is missing."""
    if shutil.which(proxy.value) is None:
        pytest.skip(f"no {proxy.value}: install Debian's package of that name")


@contextmanager
def started_proxy(proxy: Proxy, server: int, place: Path) -> Iterator[tuple[str, str]]:
    """The proxy before the web server at that port: addresses with TLS and without.

    Another program may take a port between its being found free and the proxy's start,
    so there are three tries.
    """
    start = _nginx if proxy is Proxy.NGINX else _caddy
    for last in (False, False, True):
        with start(server, place) as addresses:
            try:
                _wait_for(proxy, f"{addresses[0]}/healthz")
            except AssertionError:
                if last:
                    raise
                continue
            yield addresses
            return


def _wait_for(proxy: Proxy, url: str) -> None:
    wait_until(lambda: answers(url), 60, f"{proxy} answers")


def answers(url: str) -> bool:
    try:
        return get(url).status_code < 500
    except (httpx.HTTPError, ssl.SSLError):
        return False


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers={"Host": NAME, **headers}, verify=False, timeout=60)


@contextmanager
def _nginx(server: int, place: Path) -> Iterator[tuple[str, str]]:
    plain, sure = free_ports(2)
    ports = dict(zip(WORDS, (plain, plain, sure, sure, server), strict=True))
    whole = nginx_conf(place, ports)
    with running(["nginx", "-c", str(whole)], place):
        yield f"https://127.0.0.1:{sure}", f"http://127.0.0.1:{plain}"


@contextmanager
def _caddy(server: int, place: Path) -> Iterator[tuple[str, str]]:
    """Its file with ports that others leave alone; it makes its own certificate."""
    plain, sure = free_ports(2)
    said = (DEPLOY / "Caddyfile").read_text("utf-8")
    ours = f"{{\n\tadmin off\n\thttp_port {plain}\n\tservers {{"
    assert "{\n\tservers {" in said
    whole = place / "Caddyfile"
    whole.write_text(said.replace("{\n\tservers {", ours, 1))
    argv = ["caddy", "run", "--config", str(whole)]
    more = {
        "PLUMBLINE_DOMAIN": f"localhost:{sure}",
        "PLUMBLINE_UPSTREAM": f"127.0.0.1:{server}",
        "XDG_DATA_HOME": str(place),
    }
    with running([*argv, "--adapter", "caddyfile"], place, **more):
        yield f"https://localhost:{sure}", ""


def nginx_conf(place: Path, ports: Mapping[str, int]) -> Path:
    """A whole configuration around our file; `ports` by what stands in it."""
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    letters = "/etc/letsencrypt/live/plumbline.example.org"
    for said, here in ((letters, place), ("/var/log/nginx", place)):
        text = text.replace(str(said), str(here))
    for said, port in ports.items():
        text = text.replace(
            said, said.replace(said.split(":")[-1].split()[-1], str(port))
        )
    _certificate(place)
    whole = place / "nginx.conf"
    bodies = f"client_body_temp_path {place}/body; proxy_temp_path {place}/proxy;"
    others = "".join(
        f"{name}_temp_path {place}/{name};" for name in ("fastcgi", "uwsgi", "scgi")
    )
    whole.write_text(
        f"{_as_root()} pid {place}/pid; error_log {place}/error.log; daemon off;"
        # As deploy/README.md says.
        "worker_rlimit_nofile 16384; events { worker_connections 8192; }"
        f"http {{ {bodies} {others} {text} }}"
    )
    return whole


def _as_root() -> str:
    """Else nobody would write to folders that are root's."""
    return "" if os.geteuid() else "user root;"


def _certificate(place: Path) -> None:
    words = ("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost")
    key, whole = place / "privkey.pem", place / "fullchain.pem"
    argv = ["openssl", *words, "-keyout", str(key), "-out", str(whole)]
    subprocess.run(argv, check=True, capture_output=True)


@contextmanager
def running(argv: list[str], place: Path, **more: str) -> Iterator[None]:
    env = {"PATH": os.environ["PATH"], "HOME": str(place), **more}
    process = spawn(argv, place / "proxy.log", env=env, cwd=place)
    try:
        yield
    finally:
        kill_group(process)
        process.wait()
