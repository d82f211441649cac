"""A RabbitMQ of the tests' own, where Debian's package of it is installed."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
import pytest
from amqp import Connection
from amqp.exceptions import AMQPError

from leaderboard.embedded.processes import Process, spawn
from tests.servers import free_ports
from tests.waiting import wait_until

ACCOUNT = "rabbitmq"  # which its program changes to when root starts it


class Rabbit:
    """Can be killed with all it holds, paused, and started again."""

    def __init__(self, home: Path) -> None:
        self.home = home
        # Of clients, of other nodes, and of the daemon that knows the nodes.
        self.port, self.nodes, self.names = free_ports(3)
        self.process: Process | None = None

    @property
    def url(self) -> str:
        return f"amqp://guest:guest@127.0.0.1:{self.port}//"

    def start(self) -> None:
        shutil.rmtree(self.home / "data", ignore_errors=True)
        for name in ("data", "log"):
            (self.home / name).mkdir(exist_ok=True)
        if os.geteuid() == 0:
            subprocess.run(["chown", "-R", ACCOUNT, self.home], check=True)
        log = self.home / "log" / "start"
        self.process = spawn(
            ["rabbitmq-server"], log, env=self._environment(), cwd=self.home
        )
        wait_until(self._answers, 60, f"RabbitMQ answers, {log}")

    def _environment(self) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "RABBITMQ_NODENAME": f"tests-{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self.nodes),
            "ERL_EPMD_PORT": str(self.names),
            "RABBITMQ_MNESIA_BASE": str(self.home / "data"),
            "RABBITMQ_LOG_BASE": str(self.home / "log"),
        }

    def _answers(self) -> bool:
        at = f"127.0.0.1:{self.port}"
        try:
            with Connection(at, connect_timeout=2, read_timeout=2):
                return True
        except (OSError, AMQPError):
            return False

    def kill(self) -> None:
        """At once, with what its start script left for another account to run."""
        assert self.process is not None
        if self.process.poll() is not None:
            return
        whole = self._processes()
        for one in whole:
            with suppress(psutil.NoSuchProcess):  # some end with the others
                one.kill()
        psutil.wait_procs(whole, 10)
        self.process.wait()
        assert not self._answers(), "it is gone"

    @contextmanager
    def hung(self) -> Iterator[None]:
        """It takes connections and answers none."""
        whole = self._processes()
        for one in whole:
            one.suspend()
        try:
            assert not self._answers(), "it hangs"
            yield
        finally:
            for one in whole:
                one.resume()

    def _processes(self) -> list[psutil.Process]:
        assert self.process is not None
        script = psutil.Process(self.process.pid)
        return [*script.children(recursive=True), script]


@contextmanager
def rabbit_server() -> Iterator[Rabbit]:
    if shutil.which("rabbitmq-server") is None:
        pytest.skip("no rabbitmq-server: install Debian's package of that name")
    # Where its account may go, which folders of the tests are not.
    home = Path(tempfile.mkdtemp(prefix="plumbline-rabbit-"))
    server = Rabbit(home)
    server.start()
    try:
        yield server
    finally:
        server.kill()
        subprocess.run(["epmd", "-port", str(server.names), "-kill"], check=False)
        shutil.rmtree(home, ignore_errors=True)
