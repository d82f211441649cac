"""The page of threats: whole, and every test that it names is there."""

import ast
import re
from functools import cache
from pathlib import Path

from tests.loops import loop_over

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "threats.md"
ROW = re.compile(r"^\| ([A-H]\d+) \| (.+?) \| (.+?) \| (.+) \|$", re.MULTILINE)
NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
# How many the catalogue of failures has of each kind: 68, and the site's own.
CATALOGUE = {"A": 17, "B": 9, "C": 3, "D": 15, "E": 14, "F": 4, "G": 14, "H": 28}

ROWS = {row[0]: row[1:] for row in ROW.findall(PAGE.read_text("utf-8"))}


@cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def test_the_catalogue_is_whole() -> None:
    assert sum(CATALOGUE.values()) - CATALOGUE["H"] == 76
    wanted = [
        f"{kind}{n}" for kind, most in CATALOGUE.items() for n in range(1, most + 1)
    ]
    assert list(ROWS) == wanted


@loop_over("threat", ROWS)
def test_what_a_row_names_is_there(threat: str) -> None:
    named = NAMED.findall(ROWS[threat][2])
    gone = [f"{p}::{name}" for p, name in named if not _is_there(ROOT / p, name)]
    assert gone == []
    assert bool(named) != ROWS[threat][2].startswith("no test: ")


def _is_there(path: Path, name: str) -> bool:
    return path.is_file() and name in names_in(path)
