"""The proxies of deploy/ as programs: their own files, with this machine's places."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings as site

from leaderboard.embedded.processes import kill_group, spawn

DEPLOY = Path(site.BASE_DIR) / "deploy"


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
        f"pid {place}/pid; error_log {place}/error.log; daemon off;"
        f"events {{}} http {{ {bodies} {others} {text} }}"
    )
    return whole


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
