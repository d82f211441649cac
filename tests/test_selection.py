"""Which tests `make test` leaves out (tests/selection.py)."""

import re
import subprocess
from pathlib import Path

import pytest

from tests import selection
from tests.selection import PASSED, ROOT, Tree, ignoring, part_of, select

SMALL = Tree(
    {
        "tests/conftest.py": "from tests.cast import ada\n",
        "tests/cast.py": "",
        "tests/test_repository.py": "",
        "tests/scoring/test_ranks.py": "",
        "tests/scoring/test_words.py": "def test_docs(): read('docs/words.md')\n",
        "tests/library/test_library.py": "",
        "tests/teams/test_names.py": "",
        "tests/organize/matrix.py": "from tests.joined import routes\n",
        "tests/organize/test_routes.py": "from tests.organize.matrix import ROUTES\n",
        "tests/organize/test_people.py": "from tests.organize import (\n people,\n)\n",
        "tests/organize/people.py": "",
        "tests/joined.py": "",
        "tests/extras/history/test_page.py": "",
        "tests/extras/units/test_units.py": "",
        "tests/extras/archive/test_zip.py": "",
        "tests/extras/feeds/test_feeds.py": "from tests.teams.test_names import LONG",
        "tests/extras/paper/test_paper.py": "",
        "leaderboard/extras/history/apps.py": "    needs = ()\n",
        "leaderboard/extras/units/apps.py": "    needs = ('history', 'feeds')\n",
        "leaderboard/extras/paper/apps.py": "    needs = ('units',)\n",
        "leaderboard/extras/feeds/apps.py": "from leaderboard.web import extras\n",
        "leaderboard/extras/archive/contents.py": (
            "from leaderboard.web.extras import joined\n"
        ),
    }
)


def run_for(*changed: str, tree: Tree = SMALL) -> set[str]:
    """Parts of which tests run, and single tests of parts that do not run whole."""
    runs = tree.tests - select(tree, changed, "abc").left_out
    parts = {part_of(test) for test in tree.tests}
    whole = {part for part in parts if tree.of_parts(part) <= runs}
    return whole | {test for test in runs if part_of(test) not in whole}


ALL = {"engine", "library", "core"} | SMALL.extras
ALWAYS = "tests/test_repository.py"


@pytest.mark.parametrize(
    "path",
    [
        "scoring/ranks.py",
        "scoring/scorers/spans/__init__.py",
        "pyproject.toml",
        "tests/requirements.txt",
        "tests/settings.py",
        "tests/conftest.py",
        "tests/cast.py",
        "tests/organize/people.py",
        "tests/organize/conftest.py",
        "tests/scoring/cases.tar.xz",
        "tests/extras/history/joins.py",
        "Makefile",
        "a_new_folder/file.py",
    ],
)
def test_all_see_the_engine_and_whatever_the_table_does_not_name(path: str) -> None:
    assert run_for(path) == ALL


@pytest.mark.parametrize(
    "path",
    ["leaderboard/boards/rows.py", "templates/base.html", "static/a.css", "locale/de"],
)
def test_a_change_of_the_core_leaves_out_the_engine(path: str) -> None:
    assert run_for(path) == ALL - {"engine", "library"}


def test_a_change_of_the_library_leaves_out_the_engine() -> None:
    assert run_for("plumbline/library/calls.py") == ALL - {"engine"}


def test_an_extra_is_seen_by_those_that_need_it_and_by_tests_of_extras() -> None:
    assert run_for("leaderboard/extras/history/views.py") == {
        "history",
        "units",  # needs it
        "paper",  # needs units
        "archive",  # shows what others join
        "tests/organize/test_routes.py",  # of a matrix that has routes of extras
        ALWAYS,
    }
    assert "history" not in run_for("leaderboard/extras/units/views.py")


def test_a_test_is_seen_by_those_that_import_it() -> None:
    assert run_for("tests/scoring/test_ranks.py") == {
        "tests/scoring/test_ranks.py",
        ALWAYS,
    }
    names = "tests/teams/test_names.py"
    assert run_for(names) == {names, "feeds", ALWAYS}


def test_documents_are_seen_by_the_core_and_by_tests_that_name_them() -> None:
    words = "tests/scoring/test_words.py"
    assert run_for("docs/api.md") == {"core", words}


def test_what_several_files_change_adds_up() -> None:
    both = run_for("docs/api.md", "plumbline/library/calls.py")
    assert both == (ALL - {"engine"}) | {"tests/scoring/test_words.py"}


def test_without_a_change_nothing_runs() -> None:
    assert run_for() == set()


def test_a_line_says_what_is_left_out() -> None:
    assert select(SMALL, ["scoring/a.py"], "abc").why == (
        "All tests run: the change since abc reaches all."
    )
    assert select(SMALL, ["docs/a.md", "plumbline/x.py"], "abc").why == (
        "Left out, as nothing that they see changed since abc, which passed whole:"
        " 1 more files."
    )
    assert select(SMALL, ["leaderboard/urls.py"], "abc").why.endswith(
        ": engine, library."
    )


def test_pytest_is_told_of_folders_and_files() -> None:
    chosen = select(SMALL, ["leaderboard/extras/history/views.py"], "abc")
    assert ignoring(SMALL, chosen.left_out) == [
        "--ignore=tests/extras/feeds",
        "--ignore=tests/library",
        "--ignore=tests/organize/test_people.py",
        "--ignore=tests/scoring",
        "--ignore=tests/teams/test_names.py",
    ]


def test_the_engine_asks_nothing_of_the_site() -> None:
    """Or a change of the site could turn its tests red, and nobody would see it."""
    tree = Tree.of(ROOT)
    site = re.compile(r"^\s*(from|import) (leaderboard|django)", re.MULTILINE)
    engine = tree.of_parts("engine", "library")
    assert engine and not [path for path in engine if site.search(tree.texts[path])]


def test_every_extra_of_the_site_has_tests() -> None:
    tree = Tree.of(ROOT)
    assert tree.extras == {
        part_of(t) for t in tree.tests if t.startswith("tests/extras")
    }


# --- git -------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit with a small suite."""
    for path, text in SMALL.texts.items():
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    git(tmp_path, "init", "--quiet")
    commit(tmp_path)
    return tmp_path


def git(root: Path, *argv: str) -> str:
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    command = ["git", *who, *argv]
    return subprocess.run(
        command, cwd=root, check=True, capture_output=True, text=True
    ).stdout


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", "A step")


def test_all_run_while_no_commit_has_passed(repository: Path) -> None:
    chosen = selection.selection(root=repository)
    assert chosen.left_out == frozenset()
    assert chosen.why == "All tests run: no commit is known to have passed."


def test_a_commit_has_passed_once_both_parts_have(repository: Path) -> None:
    selection.remember("fast", repository)
    assert selection.selection(root=repository).left_out == frozenset()
    selection.remember("rest", repository)
    assert selection.selection(root=repository).left_out == SMALL.tests


def test_parts_of_two_commits_are_no_whole(repository: Path) -> None:
    selection.remember("fast", repository)
    commit(repository)
    selection.remember("rest", repository)
    assert selection.git("rev-parse", "--verify", PASSED, root=repository) is None


def test_a_checkout_with_changes_is_not_remembered(repository: Path) -> None:
    (repository / "new.py").write_text("")
    for part in ("fast", "rest"):
        selection.remember(part, repository)
    assert selection.git("rev-parse", "--verify", PASSED, root=repository) is None


@pytest.mark.parametrize("state", ["uncommitted", "staged", "new", "committed", "gone"])
def test_what_is_not_committed_counts_as_changed(repository: Path, state: str) -> None:
    for part in ("fast", "rest"):
        selection.remember(part, repository)
    file = repository / "tests/scoring/test_ranks.py"
    if state == "new":
        file = repository / "scoring/ranks.py"
        file.parent.mkdir()
    if state == "gone":
        file = repository / "tests/cast.py"
        file.unlink()
    else:
        file.write_text("# changed")
    if state == "staged":
        git(repository, "add", "--all")
    if state == "committed":
        commit(repository)
    left_out = selection.selection(root=repository).left_out
    assert "tests/scoring/test_ranks.py" not in left_out


def test_a_commit_can_be_named(repository: Path) -> None:
    commit(repository)
    assert selection.selection("HEAD~1", repository).left_out == SMALL.tests
    assert selection.selection("none", repository).left_out == frozenset()
    with pytest.raises(SystemExit, match="git knows no commit nowhere"):
        selection.selection("nowhere", repository)


def test_all_run_where_there_is_no_git(tmp_path: Path) -> None:
    assert selection.selection(root=tmp_path / "nowhere").left_out == frozenset()
