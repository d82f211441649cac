"""Another place for a site beside that of the tests."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as site
from django.db import connection

from tests.campaigns.site import on_database
from tests.conftest import _url_of_test_database
from tests.operations.buckets import Server, Store, stores_of, variables
from tests.operations.buckets import bucket_server as running_bucket_server
from tests.operations.proxies import NAME, answers
from tests.operations.units import environment, manage, started
from tests.servers import find_postgres, free_ports, postgres_server
from tests.transactions import empty_tables
from tests.waiting import wait_until


@pytest.fixture
def pg_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL's programs of the server's version come first on the path."""
    if programs := find_postgres():
        monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def fresh_database(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """A database without tables, of the kind that the tests run on; its URL."""
    if connection.vendor == "sqlite":
        yield f"sqlite:///{tmp_path / 'fresh.sqlite3'}"
        return
    name = f"fresh_{connection.settings_dict['NAME']}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name}")
    yield f"{_url_of_test_database().rpartition('/')[0]}/{name}"
    with connection.cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def fresh_files(settings: Any, tmp_path: Path) -> Any:
    """Called, it gives the site an empty place for its files."""

    def change() -> Path:
        place = tmp_path / "fresh-blobs"
        blobs = settings.STORAGES["blobs"] | {"OPTIONS": {"location": place}}
        settings.STORAGES = settings.STORAGES | {"blobs": blobs}
        return place

    return change


@pytest.fixture(scope="session")
def bucket_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """An S3-compatible server that lives as long as the session."""
    with running_bucket_server(tmp_path_factory.mktemp("buckets")) as running:
        yield running


@pytest.fixture
def store(
    bucket_server: Server,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Store:
    """An empty bucket that the site was told of by environment variables alone."""
    name = bucket_server.bucket()
    place = {**variables(bucket_server, name), "PLUMBLINE_S3_PREFIX": "/site/"}
    made = stores_of(place, tmp_path, monkeypatch)
    settings.STORAGES = settings.STORAGES | made
    return Store(bucket_server, name)


@pytest.fixture
def production_in_a_bucket(
    production: dict[str, str],
    bucket_server: Server,
    settings: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> dict[str, str]:
    """The same with its files in a bucket, by variables of the environment alone."""
    place = variables(bucket_server, bucket_server.bucket())
    made = stores_of(place, tmp_path, monkeypatch)
    settings.STORAGES = settings.STORAGES | made
    return production | place


@contextmanager
def public_web(
    redis_url: str, secret_key: str, data: Path, **more: str
) -> Iterator[int]:
    """A web server set up for the public, on the test's database; its port.

    At the end it is asked to stop, and answers what is under way before it does.
    """
    (port,) = free_ports(1)
    env = environment(
        PLUMBLINE_HOSTS=f"{NAME},localhost,127.0.0.1",
        PLUMBLINE_SECRET_KEY=secret_key,
        DATABASE_URL=_url_of_test_database(),
        REDIS_URL=redis_url,
        PLUMBLINE_DATA=str(data),
        PLUMBLINE_WEB_PROCESSES="2",
        PLUMBLINE_BIND=f"127.0.0.1:{port}",
        **more,
    )
    with started("web", port, env, grace=60):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/healthz"), 60, "a server")
        yield port


@pytest.fixture(scope="module")
def emptied(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The tables are empty again after what servers of a module wrote."""
    yield
    with django_db_blocker.unblock():
        empty_tables()


@pytest.fixture(scope="module")
def public_server(redis_url: str, emptied: None) -> Iterator[int]:
    """The port of a web server with the settings of a public site."""
    with public_web(redis_url, site.SECRET_KEY, site.TEST_DATA) as port:
        yield port


@contextmanager
def new_database(kind: str, place: Path) -> Iterator[str]:
    """The address of a database that nobody has used; "sqlite" is a file in `place`."""
    if kind == "sqlite":
        yield f"sqlite:///{place / 'site.sqlite3'}"
        return
    programs = find_postgres()
    assert programs is not None
    with postgres_server(programs) as url:
        yield url


@pytest.fixture
def production(
    redis_url: str,
    transactional_db: None,
    settings: Any,
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> Iterator[dict[str, str]]:
    """Variables of /etc/plumbline/env with PostgreSQL behind them.

    This process works on the same site. Its parameter is another kind of database.
    """
    with new_database(getattr(request, "param", "postgresql"), tmp_path) as url:
        env = environment(
            PLUMBLINE_HOSTS="localhost,127.0.0.1",
            PLUMBLINE_SECRET_KEY=settings.SECRET_KEY,
            DATABASE_URL=url,
            REDIS_URL=redis_url,
            PLUMBLINE_DATA=str(tmp_path),
            PLUMBLINE_WEB_PROCESSES="2",
            PLUMBLINE_WORKER_PROCESSES="1",
            PLUMBLINE_LOG="json",
        )
        for command in ("migrate", "collectstatic"):
            manage(command, "--noinput", "--verbosity=0", env=env)
        blobs = settings.STORAGES["blobs"] | {
            "OPTIONS": {"location": tmp_path / "blobs"}
        }
        settings.STORAGES = settings.STORAGES | {"blobs": blobs}
        with on_database(url):
            yield env
