"""Settings that cannot be meant are refused by a sentence when a process starts."""

import os
import socket
import subprocess
import sys

import pytest
from django.conf import settings as site
from django.core.exceptions import ImproperlyConfigured

from leaderboard.settings import (
    env_address,
    env_flag,
    env_hosts,
    env_mail,
    env_number,
)
from tests.loops import loop_over

BROKER = ("redis", "rediss", "unix")
DATABASE = ("postgresql", "sqlite")
NAME = "PLUMBLINE_ANY"


@loop_over(
    ("text", "least", "said"),
    [
        ("many", 0, "must be a whole number"),
        ("", 0, "must be a whole number"),
        ("0.5", 0, "must be a whole number"),
        ("1e3", 0, "must be a whole number"),
        ("1_000", 0, "must be a whole number"),
        ("-5", 0, "must be 0 or more"),
        ("0", 1, "must be 1 or more"),
        ("-21", -20, "must be -20 or more"),
    ],
)
def test_a_number_is_whole_and_not_below_its_least(
    text: str, least: int, said: str
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        with pytest.raises(ImproperlyConfigured, match=f"^{NAME} {said}$"):
            env_number(NAME, 7, least)


@loop_over(
    ("text", "least", "expected"),
    [("0", 0, 0), (" 12 ", 1, 12), ("-20", -20, -20), ("007", 0, 7)],
)
def test_a_number_that_fits_is_taken(text: str, least: int, expected: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        assert env_number(NAME, 7, least) == expected
        patch.delenv(NAME)
        assert env_number(NAME, 7, least) == 7


@loop_over(
    ("schemes", "text", "fits"),
    [
        (BROKER, "foo", False),
        (BROKER, "127.0.0.1:6379", False),
        (BROKER, "redis:127.0.0.1", False),
        (DATABASE, "mysql://root@host/base", False),
        (DATABASE, "/srv/plumbline.sqlite3", False),
        (BROKER, "redis://127.0.0.1:6379/0", True),
        (BROKER, "unix:///run/redis.sock?db=0", True),
        (DATABASE, "sqlite:////srv/plumbline.sqlite3", True),
        (DATABASE, "", True),
    ],
)
def test_an_address_says_by_its_beginning_what_it_leads_to(
    schemes: tuple[str, ...], text: str, fits: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        if fits:
            assert env_address(NAME, *schemes) == text
            return
        with pytest.raises(ImproperlyConfigured, match=f"must begin with {schemes[0]}"):
            env_address(NAME, *schemes)


@loop_over(
    ("text", "expected"),
    [
        ("", []),
        ("mira@elmhaven.example", ["mira@elmhaven.example"]),
        (" a@b.example, c@d.example ,", ["a@b.example", "c@d.example"]),
        ("nobody", None),
        ("a@b.example c@d.example", None),
        ("a@b.example;c@d.example", None),
        ("Mira <mira@elmhaven.example>", None),
    ],
)
def test_operators_are_mail_addresses(text: str, expected: list[str] | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        if expected is not None:
            assert env_mail(NAME) == expected
            return
        with pytest.raises(ImproperlyConfigured, match="with commas between them"):
            env_mail(NAME)


@loop_over(
    ("text", "expected"),
    [("on", True), ("No", False), ("", False), (" true ", True), ("maybe", None)],
)
def test_yes_or_no_is_one_of_both(text: str, expected: bool | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        if expected is not None:
            assert env_flag(NAME, not expected) is expected
            return
        with pytest.raises(ImproperlyConfigured, match='must be "true" or "false"'):
            env_flag(NAME)


@loop_over(("text", "most"), [("20", 19), ("65536", 65535)])
def test_a_number_is_not_above_its_most(text: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        with pytest.raises(ImproperlyConfigured, match=f"must be {most} or less"):
            env_number(NAME, 7, 1, most)
        assert env_number(NAME, 7, 1, most + 1) == int(text)


@loop_over(
    ("text", "expected"),
    [
        ("a.example, 127.0.0.1 ,[::1]", ["a.example", "127.0.0.1", "[::1]"]),
        (".a.example", [".a.example"]),
        ("https://a.example/", None),
        ("a.example 127.0.0.1", None),
        ("a.example:8000", None),
        ("a.example,", None),
        ("", None),
    ],
)
def test_hosts_are_names_alone(text: str, expected: list[str] | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NAME, text)
        if expected is not None:
            assert env_hosts(NAME, "") == expected
            return
        with pytest.raises(ImproperlyConfigured, match="names with commas between"):
            env_hosts(NAME, "")


@loop_over(
    ("name", "text", "said"),
    [
        ("PLUMBLINE_DATA", "/proc/absent", "/proc/absent: No such file or directory"),
        ("PLUMBLINE_DATA", "/etc/passwd", "/etc/passwd: File exists"),
        ("PLUMBLINE_MAIL_FROM", "nobody", "must be a mail address"),
        ("PLUMBLINE_URL", "site.example", "must begin with https:// or http://"),
        ("PLUMBLINE_WORKER_NICE", "20", "must be 19 or less"),
        ("PLUMBLINE_SMTP_PORT", "99999", "must be 65535 or less"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_named(
    name: str, text: str, said: str
) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "leaderboard.settings"],
        env={**os.environ, name: text},
        cwd=site.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode
    last = run.stderr.splitlines()[-1]
    assert name in last and said in last


def test_a_database_that_is_silent_is_given_up() -> None:
    """Whoever asks has an answer in seconds; the address may say in how many."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/x"
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "leaderboard.settings"}
        code = (
            "from django.conf import settings\n"
            "print(settings.DATABASES['default']['OPTIONS']['connect_timeout'])\n"
            "from leaderboard.__main__ import main\n"
            "main()"
        )
        for more, seconds in (("", "10"), ("?connect_timeout=2", "2")):
            word = "usage" if more else "--version"
            run = subprocess.run(
                [sys.executable, "-c", code, word],
                env={**env, "DATABASE_URL": address + more},
                cwd=site.BASE_DIR,
                capture_output=True,
                text=True,
                timeout=60,
                check=False,
            )
            assert run.stdout.splitlines()[0] == seconds, run.stderr
        assert "the site cannot reach its data" in run.stderr
