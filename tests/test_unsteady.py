"""The list of unsteady tests (tests/unsteady.py)."""

from collections import Counter
from pathlib import Path

import pytest

from tests import run as driver
from tests import unsteady

NAME = "tests.teams.test_names::test_long[a b]"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    path = tmp_path / "unsteady.txt"
    path.write_text("# What this is.\nb::test\t2026-01-02\tabc123\n")
    return path


def test_a_line_says_name_date_and_commit_and_lines_are_sorted(kept: Path) -> None:
    assert unsteady.note(["c::test", "a::test"], kept) == []
    comment, *lines = kept.read_text().splitlines()
    assert comment == "# What this is."
    assert [line.split("\t")[0] for line in lines] == ["a::test", "b::test", "c::test"]
    _, date, commit = lines[0].split("\t")
    assert len(date) == 10 and commit
    assert lines[1] == "b::test\t2026-01-02\tabc123"


def test_nothing_is_written_where_all_is_steady(tmp_path: Path) -> None:
    assert unsteady.note([], tmp_path / "none") == []
    assert not (tmp_path / "none").exists()


def test_the_third_time_is_one_too_often(kept: Path) -> None:
    assert unsteady.note([NAME], kept) == []
    assert unsteady.note([NAME, "b::test"], kept) == []
    assert unsteady.note([NAME], kept) == [NAME]
    assert kept.read_text().count(NAME) == 3


def test_the_third_time_fails_the_run(
    kept: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(unsteady, "LIST", kept)
    monkeypatch.delenv("NO_SKIPS", raising=False)
    run = driver.Run("SQLite", [], {}, kept.parent, aside=False, unsteady=[NAME])
    assert [driver.conclude([run]) for _ in range(3)] == [0, 0, 1]
    assert f"FAILED: once more unsteady, see tests/unsteady.txt: {NAME}" in (
        capsys.readouterr().out
    )


def test_the_list_of_this_suite_is_sorted_and_names_none_too_often() -> None:
    lines = unsteady.LIST.read_text("utf-8").splitlines()
    assert lines[0].startswith("# ")
    entries = [line.split("\t") for line in lines[1:]]
    assert entries == sorted(entries) and all(len(entry) == 3 for entry in entries)
    times = Counter(name for name, *_ in entries)
    assert all(count <= unsteady.MOST for count in times.values())
