"""Settings that cannot be meant are refused by a sentence when a process starts."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from leaderboard.settings import env_address, env_mail, env_number
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
