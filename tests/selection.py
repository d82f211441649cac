"""Which tests a change can turn red: what `make test` leaves out, and why.

The suite has parts, each in folders of its own: the engine, the library, the core of
the site, and each extra. The table says which of them may see a changed file. Whatever
it does not name is seen by all.
"""

import re
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Moved to each commit that passed `make test` and `make test-all`; never pushed.
PASSED = "refs/plumbline/passed"
EVERYTHING = "none"
EXTRA = re.compile(r"(?:leaderboard|tests)/extras/(\w+)/")
NEEDS = re.compile(r"^    needs = \(([^)]*)\)", re.MULTILINE)
IMPORTED = re.compile(r"^\s*from (tests[\w.]*) import ([\w, (\n]+)", re.MULTILINE)
# In an extra that asks what others join
SHOWING = re.compile(r"\bweb(\.| import )extras\b")
# Core tests of a whole site, which has extras
OF_EXTRAS = re.compile(r"\b(extras|joined)\b")


def part_of(test: str) -> str:
    """The part of the suite that a file below tests/ belongs to."""
    if extra := EXTRA.match(test):
        return extra[1]
    folder = test.split("/")[1]
    return {"scoring": "engine", "library": "library"}.get(folder, "core")


@dataclass(frozen=True)
class Tree:
    """The tests, and what is to be read of extras: texts by path from the root."""

    texts: Mapping[str, str]

    @classmethod
    def of(cls, root: Path) -> "Tree":
        folders = (root / "tests", root / "leaderboard" / "extras")
        files = (file for folder in folders for file in folder.rglob("*.py"))
        return cls({str(file.relative_to(root)): file.read_text() for file in files})

    @cached_property
    def tests(self) -> set[str]:
        names = (Path(path).name for path in self.texts)
        pairs = zip(self.texts, names, strict=True)
        return {
            path
            for path, name in pairs
            if path.startswith("tests/") and name.startswith("test_")
        }

    @cached_property
    def extras(self) -> set[str]:
        return {found[1] for path in self.texts if (found := EXTRA.match(path))}

    def of_parts(self, *parts: str) -> set[str]:
        return {test for test in self.tests if part_of(test) in parts}

    def naming(self, words: re.Pattern[str]) -> set[str]:
        """Tests in which a word stands, or in what they import of tests/."""
        have = {path for path in self.texts if words.search(self.texts[path])}
        return self.importing({path for path in have if path.startswith("tests/")})

    def importing(self, paths: Iterable[str]) -> set[str]:
        """Tests that are among these files, or import one of them in some steps."""
        found, new = set(paths), set(paths)
        while new:
            new = {p for p in self.imports if not new.isdisjoint(self.imports[p])}
            new -= found
            found |= new
        return found & self.tests

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """Files below tests/ that each of them imports."""
        all_imports = {}
        for path, text in self.texts.items():
            named = set()
            for module, names in IMPORTED.findall(text):
                at = module.replace(".", "/")
                named.add(f"{at}.py")
                named.update(f"{at}/{name}.py" for name in _words(names))
            all_imports[path] = named & self.texts.keys()
        return all_imports

    def seeing(self, extra: str) -> set[str]:
        """Tests of an extra, of those that need or name it or show parts of others."""
        needing, new = {extra}, {extra}
        while new:
            new = {e for e in self.extras if not self._needs(e).isdisjoint(new)}
            new -= needing
            needing |= new
        words = re.compile(rf"\bextras[./]{extra}\b")
        showing = {e for e in self.extras if self._shows_others(e)}
        naming = {e for e in self.extras if self._has(e, words)}
        core = self.of_parts("core") & self.naming(OF_EXTRAS)
        return self.of_parts(*needing, *showing, *naming) | core

    def _files(self, extra: str) -> dict[str, str]:
        return {p: t for p, t in self.texts.items() if f"/extras/{extra}/" in p}

    def _needs(self, extra: str) -> set[str]:
        named = (NEEDS.search(text) for text in self._files(extra).values())
        return {word for found in named if found for word in _words(found[1])}

    def _has(self, extra: str, words: re.Pattern[str]) -> bool:
        return any(words.search(text) for text in self._files(extra).values())

    def _shows_others(self, extra: str) -> bool:
        return any(
            SHOWING.search(text)
            for path, text in self._files(extra).items()
            if path.startswith("leaderboard/") and not path.endswith("/apps.py")
        )


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


# --- the table -------------------------------------------------------------------

Seen = Callable[[Tree, str], set[str]]


def by_all(tree: Tree, path: str) -> set[str]:
    return set(tree.tests)


def by_site(tree: Tree, path: str) -> set[str]:
    return tree.of_parts("core", *tree.extras)


def by_site_and_library(tree: Tree, path: str) -> set[str]:
    return tree.of_parts("core", "library", *tree.extras)


def by_core_and_who_names_it(tree: Tree, path: str) -> set[str]:
    folder = re.compile(rf"\b{re.escape(path.split('/')[0])}\b")
    return tree.of_parts("core") | tree.naming(folder)


def by_its_extra(tree: Tree, path: str) -> set[str]:
    return tree.seeing(path.split("/")[2])


def by_who_imports_it(tree: Tree, path: str) -> set[str]:
    return tree.importing([path])


# The first row whose beginning fits decides.
TABLE: tuple[tuple[str, Seen], ...] = (
    (r"leaderboard/extras/\w+/", by_its_extra),
    (r"(leaderboard|templates|static|locale)/", by_site),
    (r"plumbline/", by_site_and_library),
    (r"scoring/", by_all),  # the numbers of the site, and of the library
    (r"(docs|deploy|benchmarks|release)/", by_core_and_who_names_it),
    (r"(README|CHANGELOG|CONTRIBUTING|ARCHITECTURE|SECURITY)\.md$", by_site),
    (r"tests/(\w+/)+test_\w+\.py$", by_who_imports_it),
    (r"tests/(mutants\.toml|unsteady\.txt)$", by_who_imports_it),
)


def seen_by(tree: Tree, path: str) -> set[str]:
    """The tests that may see that this file changed; all where no row fits."""
    for beginning, seen in TABLE:
        if re.match(beginning, path):
            return seen(tree, path)
    return by_all(tree, path)


@dataclass(frozen=True)
class Selection:
    left_out: frozenset[str]
    why: str  # a line for the reader


def select(tree: Tree, changed: Iterable[str], since: str) -> Selection:
    """What may be left out of a run when all passed at `since`."""
    paths = set(changed)
    # What is about every file of the repository is quick.
    wanted = {test for test in tree.tests if paths and test.count("/") == 1}
    wanted.update(*(seen_by(tree, path) for path in paths))
    left_out = frozenset(tree.tests - wanted)
    if not left_out:
        return Selection(
            left_out, f"All tests run: the change since {since} reaches all."
        )
    whole = [
        part
        for part in ("engine", "library", "core", *sorted(tree.extras))
        if (own := tree.of_parts(part)) and own <= left_out
    ]
    rest = sum(part_of(test) not in whole for test in left_out)
    words = [*whole, *([f"{rest} more files"] if rest else [])]
    return Selection(
        left_out,
        f"Left out, as nothing that they see changed since {since},"
        f" which passed whole: {', '.join(words)}.",
    )


def ignoring(tree: Tree, left_out: Iterable[str]) -> list[str]:
    """Words for pytest that leave these tests out; a whole folder in one."""
    gone = set(left_out)
    folders = {
        folder: own
        for test in gone
        if (own := tree.of_parts(part_of(test))) <= gone
        and (folder := _folder_of(test))
    }
    files = gone.difference(*folders.values())
    return [f"--ignore={path}" for path in sorted([*folders, *files])]


def _folder_of(test: str) -> str:
    """The folder of a part that has one to itself."""
    part = part_of(test)
    if part == "core":
        return ""
    return "/".join(test.split("/")[: 3 if test.startswith("tests/extras/") else 2])


# --- git -------------------------------------------------------------------------


def git(*argv: str, root: Path = ROOT) -> str | None:
    """What git prints, or None where it refuses, or is not there."""
    try:
        done = subprocess.run(
            ["git", *argv], cwd=root, capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout


def changed_since(commit: str, root: Path = ROOT) -> list[str] | None:
    """Files that differ from a commit, also those that are in none; None: who knows."""
    differ = git("diff", "--name-only", "--no-renames", "-z", commit, "--", root=root)
    new = git("ls-files", "--others", "--exclude-standard", "-z", root=root)
    if differ is None or new is None:
        return None
    return [name for name in (differ + new).split("\0") if name]


def selection(since: str | None = None, root: Path = ROOT) -> Selection:
    """What to leave out since that commit, or since the last that passed whole.

    Nothing since "none".
    """
    if since == EVERYTHING:
        return Selection(frozenset(), "All tests run, as was asked for.")
    name = git(
        "rev-parse", "--short", "--verify", f"{since or PASSED}^{{commit}}", root=root
    )
    if name is None:
        if since:
            raise SystemExit(f"SINCE: git knows no commit {since}")
        return Selection(
            frozenset(), "All tests run: no commit is known to have passed."
        )
    changed = changed_since(name.strip(), root)
    if changed is None:
        return Selection(frozenset(), "All tests run: git cannot say what changed.")
    return select(Tree.of(root), changed, name.strip())


def remember(part: str, root: Path = ROOT) -> None:
    """This part of the suite passed as it is committed.

    Where the other one passed too, the commit has passed whole. A checkout with changes
    is no commit, so that nothing is remembered of it.
    """
    if git("status", "--porcelain", root=root) != "":
        return
    git("update-ref", f"{PASSED}-{part}", "HEAD", root=root)
    head, *parts = (
        git("rev-parse", "--verify", name, root=root)
        for name in ("HEAD", f"{PASSED}-fast", f"{PASSED}-rest")
    )
    if set(parts) == {head}:
        git("update-ref", PASSED, "HEAD", root=root)
