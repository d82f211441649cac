"""The web server: its port, its command line, and whether it is ready."""

import http.client
import os
import socket
import sys
from contextlib import suppress

HOST = "127.0.0.1"
PORT = "8000"
PORTS_TRIED = 100
BACKLOG = 2048  # of connections that nobody accepted yet: hundreds come at once
PROCESSES = 2
WORKER = "leaderboard.embedded.gunicorn_worker.Worker"
THREADS = 200  # as many again read uploads; few of them work at a time (ReadFirst)
STOP_SECONDS = 3  # for requests under way when the server is told to stop


class NoPort(RuntimeError):
    """No port can be listened on."""


def wanted_port() -> int:
    """PLUMBLINE_PORT, or 8000; NoPort if that is not a number."""
    text = os.environ.get("PLUMBLINE_PORT", PORT)
    if not text.isdecimal():
        raise NoPort(f"PLUMBLINE_PORT must be a number, not {text!r}")
    return int(text)


def listen(wanted: int) -> socket.socket:
    """A listening socket on the first free port from `wanted` on.

    We keep the socket and hand it to the server: no other program can take the
    port between finding and using it, and visitors wait, rather than being
    refused, while a dead server starts again.
    """
    for port in range(wanted, wanted + PORTS_TRIED):
        # Port numbers end at 65535; a number beyond is no OSError.
        with suppress(OSError, OverflowError):
            return socket.create_server((HOST, port), backlog=BACKLOG)
    raise NoPort(f"no free port between {wanted} and {wanted + PORTS_TRIED - 1}")


def command(listener: socket.socket) -> list[str]:
    """gunicorn on `listener`, which must be passed on to the child."""
    options = {
        "config": "python:leaderboard.web_server",
        "bind": f"fd://{listener.fileno()}",
        "worker-class": WORKER,
        "workers": str(PROCESSES),
        "threads": str(THREADS),
        "graceful-timeout": str(STOP_SECONDS),
    }
    words = (word for name, value in options.items() for word in (f"--{name}", value))
    server = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi:application"]
    return [*server, *words, "--no-control-socket"]


def is_ready(port: int) -> bool:
    """Whether it answers, and uploads can be accepted.

    The front page would not say so: on a large site that has computed no board yet it
    takes longer than one waits here.
    """
    link = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        link.request("GET", "/readyz")
        return link.getresponse().status == 200
    except OSError:
        return False
    finally:
        link.close()
