"""The budgets of the house, and the rules no linter knows."""

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CODE = ("leaderboard", "plumbline", "scoring", "tests", "benchmarks", "manage.py")

FUNCTION_LINES = 30  # without the docstring
FILE_LINES = 300
TEMPLATE_LINES = 120
TEMPLATE_NESTING = 4

# What is over budget, with its reason: this list is the debt.
OVER_BUDGET: dict[str, str] = {}

NAMELESS = {"utils", "util", "helpers", "helper", "common", "managers", "services"}
VERBS = {
    "bench", "bench-web", "campaigns", "clean", "demo", "help", "install", "lint",
    "lock", "run", "test", "test-slow", "worker",
}  # fmt: skip
BEYOND_THE_ENGINE = {"celery", "django", "leaderboard", "rest_framework"}
BLOCK_TAG = re.compile(r"{%\s*(end)?(if|for|with|ifchanged|spaceless)\b")
SLEEP = re.compile(r"\bsleep\(")


def python_files() -> list[Path]:
    found = [path for top in CODE for path in _below(ROOT / top)]
    return [path for path in found if "migrations" not in path.parts]


def _below(top: Path) -> list[Path]:
    return [top] if top.is_file() else sorted(top.rglob("*.py"))


def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.*"))


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def functions(path: Path) -> Iterator[tuple[str, int]]:
    """Every function of a file as "file:name", with its lines."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            if body:
                end = body[-1].end_lineno or 0
                yield f"{name(path)}:{node.name}", end - body[0].lineno + 1


def nesting(template: str) -> int:
    depth = deepest = 0
    for match in BLOCK_TAG.finditer(template):
        depth += -1 if match[1] else 1
        deepest = max(deepest, depth)
    return deepest


def imports(path: Path) -> set[str]:
    """The top-level packages a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def over(sizes: dict[str, int], limit: int) -> dict[str, int]:
    return {
        where: size
        for where, size in sizes.items()
        if size > limit and where not in OVER_BUDGET
    }


def test_functions_fit_on_a_screen() -> None:
    sizes: dict[str, int] = {}
    for path in python_files():
        for where, size in functions(path):
            sizes[where] = max(size, sizes.get(where, 0))
    assert over(sizes, FUNCTION_LINES) == {}


def test_files_can_be_read_in_one_go() -> None:
    assert over({name(path): lines(path) for path in python_files()}, FILE_LINES) == {}


def test_templates_are_short() -> None:
    sizes = {name(path): lines(path) for path in templates()}
    assert over(sizes, TEMPLATE_LINES) == {}


def test_templates_are_flat() -> None:
    depths = {name(path): nesting(path.read_text("utf-8")) for path in templates()}
    assert over(depths, TEMPLATE_NESTING) == {}


def test_every_debt_is_still_owed() -> None:
    known = {name(path) for path in [*python_files(), *templates()]}
    known.update(where for path in python_files() for where, _ in functions(path))
    assert OVER_BUDGET.keys() <= known


def test_no_file_hides_behind_an_empty_name() -> None:
    assert [name(path) for path in python_files() if path.stem in NAMELESS] == []
    assert [name(path) for path in python_files() if path.parent.name in NAMELESS] == []


def test_no_test_sleeps() -> None:
    tests = (path for path in python_files() if path.is_relative_to(ROOT / "tests"))
    assert [name(path) for path in tests if SLEEP.search(path.read_text("utf-8"))] == []


def test_the_engine_knows_no_web() -> None:
    engine = _below(ROOT / "scoring")
    assert engine
    assert {
        name(path): bad for path in engine if (bad := imports(path) & BEYOND_THE_ENGINE)
    } == {}


def test_make_has_every_verb() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    assert set(re.findall(r"^([a-z-]+):", text, re.MULTILINE)) >= VERBS


@pytest.mark.parametrize("verb", sorted(VERBS - {"help"}))
def test_make_help_explains(verb: str) -> None:
    made = subprocess.run(
        ["make", "--silent", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"make {verb} " in made.stdout


@pytest.mark.parametrize(
    ("template", "depth"),
    [
        ("", 0),
        ("{% if a %}{% endif %}{% if b %}{% endif %}", 1),
        ("{% for a in b %}{% if a %}{% endif %}{% endfor %}", 2),
    ],
)
def test_nesting_is_counted(template: str, depth: int) -> None:
    assert nesting(template) == depth
