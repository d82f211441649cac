"""Processes that try what organizers upload: one per kind of work, for all tests."""

from collections.abc import Iterator

import pytest

from leaderboard.organize import trials
from leaderboard.sandbox.client import SandboxServer
from leaderboard.submissions import correcting
from leaderboard.tasks import bundle_check


class KeptServer(SandboxServer):
    """Survives the job: a new process for every test takes long."""

    def stop(self) -> None:
        pass


class Kept(dict[str, KeptServer]):
    """By their work."""

    def __missing__(self, work: str) -> KeptServer:
        self[work] = KeptServer(work)
        return self[work]


@pytest.fixture(scope="session")
def kept_runners() -> Iterator[Kept]:
    servers = Kept()
    yield servers
    for server in servers.values():
        SandboxServer.stop(server)


@pytest.fixture
def trial_runners(kept_runners: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Uploads and bundles are tried by one process, whichever test asks."""
    for asking in (trials, bundle_check):
        monkeypatch.setattr(asking, "SandboxServer", kept_runners.__getitem__)


@pytest.fixture
def gold_runner(kept_runners: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    """Corrected gold is checked by one process, whichever test asks."""
    monkeypatch.setattr(correcting, "SandboxServer", kept_runners.__getitem__)
