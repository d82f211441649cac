"""Marks with arguments (tests/marks.py), and what the whole suite says in them."""

from pathlib import Path

import pytest

from tests import conftest, marks
from tests.marks import sample

pytest_plugins = ["pytester"]
NAMES = [f"{kind}: {number}" for kind in ("files", "memory") for number in range(50)]


def checked(pytester: pytest.Pytester, mark: str) -> str:
    """What pytest says of a module with this mark."""
    pytester.makeconftest(
        "from tests.marks import check_databases\n"
        "def pytest_collection_modifyitems(items): check_databases(items)\n"
    )
    pytester.makepyfile(
        f"import pytest\npytestmark = pytest.mark.{mark}\ndef test_rows(): pass\n"
    )
    return pytester.runpytest_inprocess("-p", "no:django").stdout.str()


@pytest.mark.parametrize("words", ['"locks"', '"json", "sql"'])
def test_a_test_of_two_databases_says_what_may_differ(
    words: str, pytester: pytest.Pytester
) -> None:
    assert "1 passed" in checked(pytester, f"databases({words})")


@pytest.mark.parametrize("mark", ["databases", "databases('rows')"])
def test_a_mark_that_does_not_say_so_fails_at_collection(
    mark: str, pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    checked(pytester, mark)
    assert "says what may differ by one or more of locks, " in capsys.readouterr().err


def test_a_test_that_runs_on_one_database_by_day_names_one_that_there_is(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "1 passed" in checked(pytester, "databases('locks', by_day='sqlite')")
    checked(pytester, "databases('locks', by_day='oracle')")
    assert "is one of sqlite, postgresql" in capsys.readouterr().err


def test_by_day_a_test_runs_on_the_database_that_it_names_and_else_on_both(
    pytester: pytest.Pytester,
) -> None:
    items = pytester.getitems(
        "import pytest\n"
        "@pytest.mark.databases('sql')\n"
        "def test_both(): pass\n"
        "@pytest.mark.databases('locks', by_day='sqlite')\n"
        "def test_light(): pass\n"
        "@pytest.mark.databases('locks', by_day='postgresql')\n"
        "def test_grown(): pass\n"
        "def test_neither(): pass\n"
    )
    for part, names in {
        "thorough": {"test_both", "test_light", "test_neither"},
        "postgresql": {"test_both", "test_grown", "test_neither"},
    }.items():
        kept = {item.name for item in items if marks.runs_by_day(item, part)}
        assert kept == names


def test_a_sample_has_its_share_and_one_of_each_kind() -> None:
    assert 5 <= len(sample(NAMES, 10)) <= 20
    assert {name.partition(":")[0] for name in sample(NAMES, 10**9)} == {
        "files",
        "memory",
    }
    assert sample(NAMES, 1) == set(NAMES)
    assert sample([], 10) == set()


def test_a_sample_stays_when_others_come() -> None:
    """But for the one that only stands for its kind."""
    more = [*NAMES, *(f"files: {number}" for number in range(50, 90))]
    assert len(sample(NAMES, 10) - sample(more, 10)) <= 1


def test_cases_of_one_name_are_kept_or_left_out_together(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.sampled(7, by='name')\n"
        "@pytest.mark.parametrize('user', ['root', 'nobody'])\n"
        "@pytest.mark.parametrize('name', [f'try {n}' for n in range(40)])\n"
        "def test_refused(name, user): pass\n"
        "@pytest.mark.sampled(7)\n"
        "def test_known(): pass\n"
    )
    items, _ = pytester.inline_genitems("-p", "no:django")
    gone = marks.left_out_of_sample(items)
    kept = sample([f"try {n}" for n in range(40)], 7)
    names = {item.name for item in items if item not in gone}
    users = ("root", "nobody")
    assert names == {
        *(f"test_refused[{name}-{user}]" for name in kept for user in users),
        "test_known",
    }


def test_every_difference_between_databases_is_one_that_a_test_names() -> None:
    texts = [path.read_text() for path in Path(__file__).parent.rglob("test_*.py")]
    for word in marks.DIFFERENCES:
        assert any(f'databases("{word}"' in text for text in texts), word


@pytest.mark.parametrize("part", ["thorough", "postgresql"])
def test_a_test_whose_file_its_part_leaves_out_fails_at_collection(
    part: str, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files in whose text is no word of that part are not loaded for it."""
    monkeypatch.setattr(conftest, "TESTS", pytester.path)
    mark = conftest.WORDS[part][-1].removeprefix("mark.")
    items = pytester.getitems("def test_rows(): pass")
    conftest.check_files(items)
    items[0].add_marker(getattr(pytest.mark, mark))
    with pytest.raises(pytest.UsageError, match=f"{part}: its file has to have one"):
        conftest.check_files(items)
    items[0].path.write_text(f"# {conftest.WORDS[part][-1]}", "utf-8")
    conftest.check_files(items)
