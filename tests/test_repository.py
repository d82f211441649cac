"""Rules of the repository that no linter knows."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEYOND_THE_ENGINE = {"celery", "django", "leaderboard", "rest_framework"}
LOADED = re.compile(r"\{% load ([^%]+)%\}")
SLEEP = re.compile(r"\bsleep\(")


def imports(path: Path) -> set[str]:
    """The top-level packages that a file imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_no_test_sleeps() -> None:
    tests = sorted((ROOT / "tests").rglob("*.py"))
    assert [str(path) for path in tests if SLEEP.search(path.read_text("utf-8"))] == []


def test_the_engine_does_not_import_the_site() -> None:
    engine = sorted((ROOT / "scoring").rglob("*.py"))
    assert engine
    assert {
        str(path): bad for path in engine if (bad := imports(path) & BEYOND_THE_ENGINE)
    } == {}


def test_make_help_explains_every_target() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    (phony,) = re.findall(r"^\.PHONY: (.+)$", text, re.MULTILINE)
    targets = set(phony.split()) - {"help"}
    printed = subprocess.run(
        ["make", "--silent", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert {name for name in targets if f"make {name} " not in printed} == set()


def test_templates_load_tags_of_their_own_app_or_below() -> None:
    """Along the list of apps that Python's imports keep to."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (layers, *_) = contracts["tool"]["importlinter"]["contracts"]
    apps = [name.removeprefix("leaderboard.") for name in layers["layers"]]
    libraries = {
        path.stem: apps.index(path.parts[-3])
        for path in (ROOT / "leaderboard").glob("*/templatetags/*.py")
        if path.stem != "__init__"
    }
    upward = set()
    for app in apps:
        for path in (ROOT / "templates" / app).rglob("*.*"):
            for names in LOADED.findall(path.read_text("utf-8")):
                place = path.relative_to(ROOT / "templates").as_posix()
                upward |= {
                    (place, name)
                    for name in names.split()
                    if libraries.get(name, len(apps)) < apps.index(app)
                }
    assert upward == set()
