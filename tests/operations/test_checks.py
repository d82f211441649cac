"""A site for the public starts as it should, or says why it does not."""

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings as site
from django.core.checks import ERROR, Error
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from leaderboard import startup
from leaderboard.demo.apps import demo_logins
from leaderboard.demo.story import LOGINS
from leaderboard.embedded.site import LocalSite
from leaderboard.embedded.site import _environment as environment_of
from leaderboard.operations import deployment_checks as checks
from leaderboard.operations.apps import (
    plug_ins,
    sandbox,
    sandbox_inline,
    scoring_programs,
)
from leaderboard.tasks.models import Phase, Task
from leaderboard.teams.models import User
from scoring.sandbox import landlock, seccomp
from tests.scoring import plugs

EXAMPLE = Path(site.BASE_DIR, "deploy", "env.example")
KEY = "k3y-of-an-example-" + "".join(map(chr, range(48, 123)))


def production() -> dict[str, str]:
    """Settings of an operator who did as deploy/env.example says."""
    lines = EXAMPLE.read_text("utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if line and line[0] != "#")
    return {**given, "PLUMBLINE_SECRET_KEY": KEY}


def filled_in(place: Path, mail: int, redis: str) -> dict[str, str]:
    """The same with what must be an operator's own."""
    return {
        "PLUMBLINE_HOSTS": "plumbline.test,127.0.0.1",
        "PLUMBLINE_MAIL_FROM": "plumbline@plumbline.test",
        "PLUMBLINE_SMTP_HOST": "127.0.0.1",
        "PLUMBLINE_SMTP_PORT": str(mail),
        "PLUMBLINE_SMTP_TLS": "false",
        "DATABASE_URL": f"sqlite:///{place / 'site.sqlite3'}",
        "REDIS_URL": redis,
    }


@contextmanager
def mail_server_there() -> Iterator[tuple[int, list[bytes]]]:
    """A mail server that greets; its port, and the commands that it was given."""
    told: list[bytes] = []

    class Session(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            for line in self.rfile:
                told.append(line[:4])
                self.wfile.write(
                    b"221 bye\r\n" if line[:4] == b"quit" else b"250 ok\r\n"
                )

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Session) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server.server_address[1], told
        server.shutdown()


def check(place: Path, **changes: str) -> "subprocess.CompletedProcess[str]":
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    env = {**kept, **production(), "PLUMBLINE_DATA": str(place), **changes}
    argv = [sys.executable, str(site.BASE_DIR / "manage.py"), "check", "--deploy"]
    words = ["--fail-level", "WARNING"]
    return subprocess.run([*argv, *words], env=env, capture_output=True, text=True)


def test_a_site_set_up_by_the_example_and_filled_in_has_nothing_to_mend(
    tmp_path: Path, redis_url: str
) -> None:
    with mail_server_there() as (port, told):
        ended = check(tmp_path, **filled_in(tmp_path, port, redis_url))
    assert ended.returncode == 0, ended.stderr
    assert told == [b"quit"], "no mail is sent"
    assert "migrations of the database are still to be applied" in ended.stderr
    assert "https://plumbline.test/readyz could not be asked" in ended.stderr


def test_a_mail_server_that_is_away_is_warned_of_and_one_must_be_named(
    settings: Any,
) -> None:
    settings.LOCAL, settings.EMAIL_TIMEOUT = False, 5
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST = ""
    (error,) = checks.mail_server(None)
    assert "no mail server" in error.msg and error.id == "plumbline.E006"
    assert error.level == ERROR
    with socketserver.TCPServer(("127.0.0.1", 0), None) as unused:  # type: ignore[arg-type]
        settings.EMAIL_PORT = unused.server_address[1]
    settings.EMAIL_HOST = "127.0.0.1"
    (warning,) = checks.mail_server(None)
    assert "refused" in warning.msg and warning.id == "plumbline.W009"


@pytest.mark.parametrize(
    ("status", "seen", "said"),
    [
        (200, {"secure": True, "client": "203.0.113.9", "forwarded": 1}, []),
        (503, {"secure": False, "client": "203.0.113.9", "forwarded": 1}, ["by https"]),
        (200, {"secure": True, "client": "127.0.0.1", "forwarded": 0}, ["which addr"]),
        (200, {"secure": True, "client": checks.NOBODY, "forwarded": 1}, ["believes"]),
        (400, None, ["answers 400"]),
    ],
)
def test_what_a_proxy_does_not_pass_on_is_warned_of(
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
    seen: Any,
    said: list[str],
) -> None:
    settings.LOCAL, settings.SITE_URL = False, "https://plumbline.test"
    body = json.dumps({"request": seen}).encode()
    monkeypatch.setattr(checks, "_fetch", lambda *_: (status, body))
    found = checks.proxy_headers(None)
    assert [words in one.msg for one, words in zip(found, said, strict=True)] == [
        True
    ] * len(said)


@pytest.mark.django_db
@pytest.mark.databases("sql")
def test_a_missing_scorer_is_an_error_while_a_task_that_uses_it_is_under_way(
    phase: Phase,
) -> None:
    assert checks.missing_scorers(None) == []
    Task.objects.update(scorer_name="harbour-headings")
    (error,) = checks.missing_scorers(None)
    assert "harbour-headings" in error.msg and "otters" in error.msg
    assert error.id == "plumbline.E004"
    Phase.objects.update(closes=timezone.now())
    assert checks.missing_scorers(None) == []


@pytest.mark.parametrize(
    "key", [site.LOCAL_KEY, ""], ids=["known to all", "not filled in"]
)
def test_the_key_of_one_machine_does_not_start_a_public_site(
    key: str, tmp_path: Path
) -> None:
    ended = check(tmp_path, PLUMBLINE_SECRET_KEY=key)
    assert ended.returncode != 0
    assert "set PLUMBLINE_SECRET_KEY" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.parametrize(
    ("port", "tls", "way"),
    [
        ("587", "true", {"EMAIL_USE_TLS"}),
        ("465", "true", {"EMAIL_USE_SSL"}),
        ("465", "false", set()),
    ],
)
def test_mail_is_encrypted_in_the_way_of_its_port(
    port: str, tls: str, way: set[str], monkeypatch: Any
) -> None:
    monkeypatch.setenv("PLUMBLINE_SMTP_PORT", port)
    monkeypatch.setenv("PLUMBLINE_SMTP_TLS", tls)
    read = run_path(str(site.BASE_DIR / "leaderboard" / "settings.py"))
    found = {name for name in read if name.startswith("EMAIL_USE_") and read[name]}
    assert found == way


@pytest.fixture
def read(tmp_path: Path, monkeypatch: Any) -> Callable[..., dict[str, Any]]:
    """The settings of a site with these variables."""

    def run(**variables: str) -> dict[str, Any]:
        for name, value in {"PLUMBLINE_DATA": str(tmp_path), **variables}.items():
            monkeypatch.setenv(name, value)
        return run_path(str(site.BASE_DIR / "leaderboard" / "settings.py"))

    return run


def test_an_example_that_is_not_filled_in_is_refused_by_each_name(
    read: Callable[..., dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "settings", SimpleNamespace(**read(**production())))
    refused = [one.msg.split()[0] for one in checks.placeholders(None)]
    assert refused == [
        "PLUMBLINE_HOSTS",
        "PLUMBLINE_SMTP_HOST",
        "PLUMBLINE_MAIL_FROM",
        "DATABASE_URL",
    ]


def test_a_database_or_broker_that_is_away_is_warned_of(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise OperationalError("connection refused")

    settings.LOCAL = False
    monkeypatch.setattr(checks.connection, "cursor", away)
    monkeypatch.setattr(checks.broker, "answers", lambda: False)
    (one,), (other,) = checks.database(None), checks.queue(None)
    assert "connection refused" in one.msg
    assert (one.id, other.id) == ("plumbline.W006", "plumbline.W008")


def test_a_space_between_hosts_is_not_of_their_names(
    read: Callable[..., dict[str, Any]],
) -> None:
    found = read(PLUMBLINE_HOSTS="localhost, 127.0.0.1")
    assert found["ALLOWED_HOSTS"] == ["localhost", "127.0.0.1"] and found["LOCAL"]


def test_no_worker_is_ended_while_it_may_still_score(
    read: Callable[..., dict[str, Any]],
) -> None:
    found = read(PLUMBLINE_SCORE_CPU_SECONDS="300")
    assert found["CELERY_TASK_TIME_LIMIT"] > found["SCORE_WALL_SECONDS"] == 1200


@pytest.mark.django_db
@pytest.mark.databases("sql")
def test_logins_of_the_demonstration_are_an_error_in_public(settings: Any) -> None:
    _, email, password = LOGINS[0]
    user = User.objects.create_user(email, password)
    assert demo_logins(None) == []  # on one machine they are the point
    settings.LOCAL = False
    (error,) = demo_logins(None)
    assert email in error.msg and error.id == "plumbline.E001"
    user.set_password("another one")
    user.save()
    assert demo_logins(None) == []


def test_a_site_whose_uploads_are_read_without_the_sandbox_is_an_error(
    settings: Any,
) -> None:
    assert sandbox_inline(None) == []
    settings.SANDBOX_INLINE = True
    (error,) = sandbox_inline(None)
    assert "SANDBOX_INLINE" in error.msg and error.id == "plumbline.E002"


STARTS = {
    "gunicorn": ["-m", "gunicorn", "leaderboard.wsgi", "--bind", "127.0.0.1:0"],
    "Celery": ["-m", "celery", "-A", "leaderboard", "worker", "--pool", "solo"],
    "a worker without a broker": ["manage.py", "work", "--until-empty"],
    "everything": ["manage.py", "serve"],
}
MAKE_LOGIN = """
import django; django.setup()
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from leaderboard.demo.story import LOGINS
from leaderboard.teams.models import User
settings.MIGRATION_MODULES = {app.label: None for app in apps.get_app_configs()}
call_command("migrate", run_syncdb=True, verbosity=0)
User.objects.create_user(*LOGINS[0][1:])
"""


@pytest.fixture(scope="module")
def with_login(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a public site that has a login of the demonstration."""
    place = tmp_path_factory.mktemp("public")
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    env = {
        **kept,
        **production(),
        "PLUMBLINE_DATA": str(place),
        "DATABASE_URL": f"sqlite:///{place}/site.sqlite3",
        "DJANGO_SETTINGS_MODULE": "leaderboard.settings",
    }
    argv = [sys.executable, "-c", MAKE_LOGIN]
    subprocess.run(argv, env=env, cwd=site.BASE_DIR, check=True)
    return env


@pytest.mark.parametrize("way", STARTS)
def test_a_public_site_with_such_a_login_starts_in_no_way(
    with_login: dict[str, str], way: str
) -> None:
    argv = [sys.executable, *STARTS[way]]
    ended = subprocess.run(
        argv,
        env=with_login,
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode != 0
    said = ended.stdout + ended.stderr
    assert "This site does not start" in said and LOGINS[0][1] in said


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("local", "came", "enters"),
    [
        (True, {}, True),
        (True, {"REMOTE_ADDR": "::ffff:127.0.0.1"}, True),
        (True, {"REMOTE_ADDR": "192.0.2.7"}, False),
        (True, {"HTTP_X_FORWARDED_FOR": "192.0.2.7"}, False),
        (False, {}, False),
    ],
)
def test_such_a_login_lets_in_from_this_machine_alone_whatever_serves_the_site(
    settings: Any, local: bool, came: dict[str, str], enters: bool
) -> None:
    _, email, password = LOGINS[0]
    User.objects.create_user(email, password)
    settings.LOCAL = local
    client = Client(**came)
    sent = {"login": email.upper(), "password": password}
    client.post("/accounts/login/", sent)
    assert ("_auth_user_id" in client.session) is enters


def test_gunicorn_starts_no_local_site_with_such_a_login_for_others(
    with_login: dict[str, str],
) -> None:
    worker = ["--worker-class", "leaderboard.embedded.gunicorn_worker.Worker"]
    argv = [sys.executable, "-m", "gunicorn", "leaderboard.wsgi", *worker]
    ended = subprocess.run(
        [*argv, "--bind", "0.0.0.0:0"],
        env={**with_login, "PLUMBLINE_HOSTS": "localhost"},
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode != 0
    assert "it would listen on 0.0.0.0" in ended.stderr and LOGINS[0][1] in ended.stderr


def test_a_worker_asks_nothing_of_pages_when_it_starts(
    settings: Any, monkeypatch: Any
) -> None:
    """To ask would load every page of the site."""
    asked: list[set[str]] = []

    def found(tags: list[str], **_: Any) -> list[Any]:
        asked.append(set(tags))
        return [Error("no key", id="plumbline.E001")]

    monkeypatch.setattr(startup, "run_checks", found)
    monkeypatch.setattr(startup, "newer_tables", lambda: "")
    settings.LOCAL = False
    for pages in (True, False):
        with pytest.raises(ImproperlyConfigured, match=r"plumbline\.E001"):
            startup.require_safe(pages)
    web, worker = asked
    assert web - worker == {"urls"} and startup.DEPLOYMENT not in web


@pytest.mark.django_db
def test_the_demonstration_is_not_loaded_into_a_public_site(settings: Any) -> None:
    settings.LOCAL = False
    with pytest.raises(CommandError, match="this machine alone"):
        call_command("load_demo")


@pytest.mark.django_db
def test_plug_ins_are_listed_and_a_broken_one_is_named_and_stops_no_site(
    tmp_path: Path, settings: Any, client: Any, monkeypatch: Any
) -> None:
    plugs.write(tmp_path, "good-toy", 'SCORER = replace(TOY, name="good")\n', "1.2")
    plugs.write(tmp_path, "broken-toy", "import no_such_module\n")
    settings.LOCAL = False
    with plugs.on_path(tmp_path):
        info, warning = sorted(plug_ins(None), key=lambda one: one.level)
        assert (info.id, info.msg) == (
            "plumbline.I001",
            "Plug-in good-toy==1.2 (good).",
        )
        assert warning.id == "plumbline.W003"
        assert "broken-toy==1.0" in warning.msg and "no_such_module" in warning.msg
        monkeypatch.setattr(startup, "run_checks", lambda **kwargs: plug_ins(None))
        startup.require_safe()
        found = client.get("/readyz").json()
    assert found["plugins_broken"] == ["broken-toy==1.0"]


def test_this_machine_has_every_part_of_the_sandbox(client: Any, db: None) -> None:
    assert sandbox(None) == []
    assert client.get("/readyz").json()["sandbox_lacks"] == []


@pytest.mark.parametrize("part", ["landlock", "seccomp"])
def test_what_the_kernel_lacks_is_warned_of(
    part: str, monkeypatch: Any, client: Any, db: None
) -> None:
    asked = {"landlock": (landlock, "version"), "seccomp": (seccomp, "available")}
    monkeypatch.setattr(*asked[part], lambda: 0)
    (warning,) = sandbox(None)
    assert warning.id == {"landlock": "plumbline.W002"}.get(part, "plumbline.W001")
    assert f"has no {part}" in warning.msg and warning.hint
    assert client.get("/readyz").json()["sandbox_lacks"] == [part]


@pytest.mark.parametrize(
    ("allows", "code"),
    [
        ("", ""),
        ("granted", "plumbline.I002"),
        ("everyone", "plumbline.I002"),
        ("some", "plumbline.W005"),
    ],
)
def test_the_check_says_whose_scoring_programs_run(
    allows: str, code: str, settings: Any
) -> None:
    settings.PROGRAMS = allows
    assert [one.id for one in scoring_programs(None)] == [code] * bool(code)


def test_a_setting_whose_name_is_misspelt_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in (
        "PLUMBLINE_UPLOAD_MB",
        "PLUMBLINE_OIDC_2_NAME",
        "PLUMBLINE_TOKEN",
        "PLUMBLINE_SITE",
    ):
        monkeypatch.setenv(name, "3")
    assert checks.misspelt_settings(None) == []
    wrong = {
        "PLUMBLINE_UPLOADS_MB": "PLUMBLINE_UPLOAD_MB",
        "PLUMBLINE_SMPT_HOST": "PLUMBLINE_SMTP_HOST",
        "PLUMBLINE_OIDC_2_NAMES": "PLUMBLINE_OIDC_NAME",
    }
    for name in wrong:
        monkeypatch.setenv(name, "3")
    found = checks.misspelt_settings(None)
    assert sorted(one.msg.split()[0] for one in found) == sorted(wrong)
    assert {one.hint for one in found} == {f"Did you mean {n}?" for n in wrong.values()}


def test_the_check_says_that_a_kernel_runs_no_programs(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PROGRAMS = "granted"
    monkeypatch.setattr(landlock, "version", lambda: 2)
    (warning,) = scoring_programs(None)
    assert "lacks Landlock 3" in warning.msg


def test_the_demonstration_runs_programs_where_the_kernel_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLUMBLINE_PROGRAMS", raising=False)
    demo, own = (LocalSite(tmp_path, demo, print) for demo in (True, False))
    assert environment_of(demo, 1)["PLUMBLINE_PROGRAMS"] == "everyone"
    assert "PLUMBLINE_PROGRAMS" not in environment_of(own, 1)
    monkeypatch.setattr(landlock, "version", lambda: 2)
    assert "PLUMBLINE_PROGRAMS" not in environment_of(demo, 1)


def test_a_command_before_there_are_tables_says_how_to_make_them(
    tmp_path: Path,
) -> None:
    env = {**os.environ, "PLUMBLINE_DATA": str(tmp_path / "empty")}
    env.pop("DATABASE_URL", None)
    env["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
    python = [sys.executable, "-m", "leaderboard", "usage"]
    run = subprocess.run(
        python, env=env, cwd=site.BASE_DIR, capture_output=True, text=True, check=False
    )
    assert run.returncode == 1
    assert run.stderr.startswith("Nothing was done: this site has no tables yet.")
