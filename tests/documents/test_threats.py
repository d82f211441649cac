"""The page of threats: whole, and every test that it names is there."""

import ast
import csv
import re
from functools import cache
from pathlib import Path

from tests.loops import loop_over

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "evidence" / "threats.md"
ROW = re.compile(r"^\| ([A-H]\d+) \| .+ \| .+ \|$", re.MULTILINE)
# How many the catalogue of failures has of each kind: 68, and the site's own.
CATALOGUE = {"A": 17, "B": 9, "C": 3, "D": 15, "E": 14, "F": 4, "G": 14, "H": 28}


def read_tests() -> dict[str, list[str]]:
    tests: dict[str, list[str]] = {}
    with PAGE.with_suffix(".csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            tests.setdefault(row["threat"], []).append(row["test"])
    return tests


TESTS = read_tests()


@cache
def names_in(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))


def test_the_catalogue_is_whole() -> None:
    assert sum(CATALOGUE.values()) - CATALOGUE["H"] == 76
    wanted = [
        f"{kind}{n}" for kind, most in CATALOGUE.items() for n in range(1, most + 1)
    ]
    assert ROW.findall(PAGE.read_text("utf-8")) == wanted
    assert list(TESTS) == wanted


@loop_over("threat", TESTS)
def test_every_test_of_a_threat_is_there(threat: str) -> None:
    parts = [test.split("::") for test in TESTS[threat]]
    assert [part for part in parts if not _is_there(ROOT / part[0], part[1])] == []


def _is_there(path: Path, name: str) -> bool:
    return path.is_file() and name in names_in(path)
