"""The client, and a line to the site that breaks in the second file of an upload."""

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from leaderboard.api import tokens
from leaderboard.submissions.models import QuotaCounter, Submission
from leaderboard.tasks.models import Participation
from leaderboard.teams.models import User
from plumbline import credentials, exits
from plumbline.__main__ import main
from tests.campaigns.site import web_server
from tests.leaderboard.small import both

PIECE = 1 << 12
REMARKS = b"".join(b"# remark %d of those that make it long\n" % n for n in range(3000))
BREAKS = 3 * len(REMARKS) // 2


class BrokenLine:
    """A port that leads to another, and breaks once, when `left` bytes were sent."""

    def __init__(self, port: int, left: int) -> None:
        self._port, self._left = port, left
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)

    def _start(self, *call: Any) -> None:
        Thread(target=call[0], args=call[1:], daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listener.accept()
            site = socket.create_connection(("127.0.0.1", self._port))
            self._start(self._pass_on, client, site, self._broke)
            self._start(self._pass_on, site, client, lambda _count: False)

    def _broke(self, count: int) -> bool:
        before, self._left = self._left, self._left - count
        return before > 0 >= self._left

    def _pass_on(
        self, one: socket.socket, other: socket.socket, broke: Callable[[int], bool]
    ) -> None:
        with suppress(OSError):
            while piece := one.recv(PIECE):
                other.sendall(piece)
                if broke(len(piece)):
                    break
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@pytest.mark.thorough
@pytest.mark.usefixtures("transactional_db")
def test_the_command_is_given_again_and_the_whole_upload_is_accepted(
    entry: Participation,
    ben: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _token, text = tokens.make(ben, "test", ("submit",))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv(credentials.TOKEN, text)
    command = ["submit", "otters/test", "--system", "x"]
    for name, data in both().items():
        place = tmp_path / f"{name}.conllu"
        place.write_bytes(REMARKS + data)
        command.append(f"{name}={place}")
    with web_server() as port:
        line = BrokenLine(port, BREAKS)
        monkeypatch.setenv(credentials.SITE, f"http://127.0.0.1:{line.port}")
        assert main(command) == exits.SITE_FAILED
        assert main(command) == exits.FINE
    sent = Submission.objects.get()
    assert sent.files.count() == 2
    assert set(QuotaCounter.objects.values_list("used", flat=True)) == {1}
