"""A PostgreSQL of its own for a test that ends it hard, again and again."""

import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psutil
import psycopg
from django.contrib.contenttypes.models import ContentType
from django.test import override_settings

from leaderboard.embedded.site import make_tables
from tests import servers
from tests.campaigns.site import on_database


class Restartable:
    """A running server that can be restarted as after a crash."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.home = Path(unquote(urlsplit(url).netloc.rpartition("@")[2]))
        written = (self.home / "data" / "postmaster.pid").read_text()
        self.programs = Path(psutil.Process(int(written.split()[0])).exe()).parent
        self.account = servers._unprivileged_account()

    def restart(self) -> None:
        """Without a word to anybody; returns when it takes connections again."""
        ended = self._control("restart", "-l", str(self.home / "restarted.log"))
        assert ended.returncode == 0, ended.stdout

    def stop(self) -> None:
        self._control("stop")

    def _control(self, verb: str, *words: str) -> "subprocess.CompletedProcess[str]":
        place = ["-D", str(self.home / "data"), "-m", "immediate", "-w"]
        argv = [str(self.programs / "pg_ctl"), verb, *place, *words]
        # A file: a server that was started would hold a pipe open.
        with tempfile.TemporaryFile("w+") as said:
            both = {"stdout": said, "stderr": subprocess.STDOUT}
            ended = subprocess.run(argv, cwd=self.home, **both, **self.account)
            said.seek(0)
            return subprocess.CompletedProcess(argv, ended.returncode, said.read())


@contextmanager
def postgres_site() -> Iterator[Restartable]:
    """A server with the tables of a site, on which this process works.

    All migrations one by one would arrive at the same tables.
    """
    with postgres() as server, on_database(server.url):
        with override_settings(MIGRATION_MODULES={"auditlog": None}):
            make_tables()
        ContentType.objects.clear_cache()
        yield server


@contextmanager
def postgres() -> Iterator[Restartable]:
    programs = servers.find_postgres()
    assert programs is not None, servers
    with servers.postgres_server(programs) as url:
        # The tests' servers are set to forget the last commits, which a site's is not.
        with psycopg.connect(url, autocommit=True) as link:
            link.execute("ALTER ROLE postgres SET synchronous_commit = on")
        server = Restartable(url)
        try:
            yield server
        finally:
            server.stop()
