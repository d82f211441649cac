"""A command that cannot do what it was told says why in a sentence, without traceback,
and leaves nothing half written."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import OperationalError, connections
from django.db.migrations.executor import MigrationExecutor

import scoring.sandbox.kernel
from leaderboard.__main__ import main
from leaderboard.operations.management.commands import sweep
from leaderboard.submissions.management.commands import work
from leaderboard.tasks.blobs import NoRoom
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User
from tests.loops import loop_over

pytestmark = pytest.mark.django_db


@pytest.fixture
def said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    """The sentence that a command of these words ends in."""
    monkeypatch.setattr(scoring.sandbox.kernel, "close_memory", lambda: None)
    # The tables of the test are in a connection that is open.
    monkeypatch.setattr(connections, "close_all", lambda: None)

    def run(*words: object) -> str:
        monkeypatch.setattr(sys, "argv", ["manage.py", *map(str, words)])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        return code if isinstance(code, str) else capsys.readouterr().err

    return run


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Lets `sweep` end in an error."""

    def fail(error: Exception) -> None:
        def handle(*args: object, **options: object) -> None:
            raise error

        monkeypatch.setattr(sweep.Command, "handle", handle)

    return fail


def test_a_place_that_cannot_be_written_is_named(
    said: Callable[..., str], task: Task, tmp_path: Path
) -> None:
    absent, file = tmp_path / "absent", tmp_path / "file"
    file.write_text("")
    for words in (
        ("export_task", task.slug, absent / "a.zip"),
        ("archive_task", task.slug, "-o", absent / "a.zip"),
        ("export_task", task.slug, file / "a-folder"),
        ("build_docs", file / "a-folder"),
    ):
        sentence = said(*words)
        assert str(Path(words[-1]).parent) in sentence
        assert "\n" not in sentence.strip()


@loop_over(
    ("error", "sentence"),
    [
        (
            OperationalError("database or disk is full"),
            "the server's disk is full (database or disk is full)",
        ),
        (
            NoRoom("no room for the file"),
            "the server's disk is full (no room for the file)",
        ),
        (
            OSError(28, "No space left on device"),
            "the server's disk is full (No space left on device)",
        ),
        (
            OperationalError("connection refused\n\tIs it running?"),
            "the site cannot reach its data (connection refused Is it running?)",
        ),
        (PermissionError(13, "Permission denied", "/x"), "/x: Permission denied"),
        (IsADirectoryError(21, "Is a directory", "/"), "/: Is a directory"),
    ],
)
def test_what_is_no_fault_of_the_program_is_a_sentence(
    error: Exception,
    sentence: str,
    said: Callable[..., str],
    failing: Callable[[Exception], None],
) -> None:
    failing(error)
    assert said("sweep") == f"Not finished: {sentence}."


def test_a_fault_of_the_program_keeps_its_traceback(
    said: Callable[..., str],
    failing: Callable[[Exception], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(ValueError("ours"))
    with pytest.raises(ValueError, match="ours"):
        said("sweep")
    failing(PermissionError(13, "Permission denied", "/x"))
    with pytest.raises(PermissionError):
        said("sweep", "--traceback")


def test_tables_of_an_older_version_are_named(
    said: Callable[..., str],
    failing: Callable[[Exception], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failing(OperationalError("no such column: tasks_task.colour"))
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda *_: ["0002"])
    assert said("sweep") == (
        "Nothing was done: the tables are those of an older version: run 'migrate'."
    )


@loop_over(
    "words",
    [("build_docs", ""), ("backup", ""), ("export_task", "", "x.zip"), ("forget", "")],
)
def test_an_empty_argument_is_no_name(
    words: tuple[str, ...], said: Callable[..., str]
) -> None:
    assert "an argument is empty" in said(*words)


@loop_over("name", ["whole.zip", "whole"])
def test_an_export_that_breaks_off_leaves_nothing(
    name: str,
    said: Callable[..., str],
    task: Task,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def write(path: Path, data: bytes) -> None:
        with path.open("wb"):
            raise OSError(28, "No space left on device")

    place = tmp_path / name
    monkeypatch.setattr(Path, "write_bytes", write)
    assert "No space left on device" in said("export_task", task.slug, place)
    assert not place.exists()


@loop_over("days", ["-3", "999999999"])
def test_a_token_is_made_for_days_to_come(days: str, ada: User) -> None:
    with pytest.raises(CommandError, match="--days takes a number from 0 to 3650"):
        call_command("make_token", ada.email, "--days", days)


def test_the_name_of_a_token_has_the_length_that_the_page_allows(ada: User) -> None:
    with pytest.raises(CommandError, match="--name takes up to 60 characters"):
        call_command("make_token", ada.email, "--name", "x" * 61)


@loop_over("seconds", ["-1", "0", "nan", "inf"])
def test_a_worker_looks_again_after_a_time(seconds: str) -> None:
    with pytest.raises(CommandError, match=r"--poll takes seconds, from 0\.01 to 3600"):
        call_command(work.Command(), "--until-empty", "--poll", seconds)
