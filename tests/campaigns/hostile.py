"""Hand-made bad files, by kind, and mutants of a good one. All content is made up."""

import ast
import json
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from scoring.diagnosis.refused_file import PREFIX
from scoring.diagnosis.sentences import MESSAGES
from tests.leaderboard.small import HEADS, conllu
from tests.scoring import zips

CODE = re.compile(r"[a-z][a-z0-9_]*")
MAKERS = {"Problem", "add"}
ROOT = Path(__file__).resolve().parents[2]
GOOD = conllu(HEADS["north"])
VALUES = (
    "",
    "_",
    "-1",
    "0",
    "00",
    "1.5",
    "1e9",
    "9" * 5000,
    "\0",
    "\x1b[2J",
    "a b",
    "\u202e",
    "\u2028",
    "=1+1",
    "<b onclick=x>",
    "x" * 100_000,
)
BREAKS = (
    "\r",
    "\r\n",
    "\n\n",
    "\x0b",
    "\x0c",
    "\x1c",
    "\x85",
    "\u2028",
    "\u2029",
    "\t",
    "\0",
    "\ufeff",
    "#",
    "# sent_id = s1",
)
CODECS = (
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "utf-7",
    "utf-8-sig",
    "cp037",
    "cp500",
    "utf-32-le",
    "utf-32-be",
)
BEGINNINGS = (
    b"\x1f\x8b",
    b"PK\x03\x04",
    b"%PDF-1.7\n",
    b"\x89PNG\r\n",
    b"\xff\xd8\xff",
    b"BZh9",
    b"\xfd7zXZ\0",
    b"\x7fELF",
    b"<?xml version='1.0'?>",
    b"<html><script>",
    b"{\\rtf1",
    b"\xd0\xcf\x11\xe0",
    b"\xff\xfe",
    b"\xc3\x28",
    b"\xed\xa0\x80",
    b"\xf8\x88\x80",
)
PAYLOADS = (
    "<img src=x onerror=alert(1)>",
    "{{7*7}}",
    "{% debug %}",
    "'; DROP TABLE x; --",
    "=cmd|' /C calc'!A0",
    "@SUM(1)",
    "javascript:alert(1)",
    "${jndi:ldap://x}",
    "%s%n",
    "../../etc/passwd",
    "\\u0000",
    "</textarea><b>",
    "&#x3c;b&#x3e;",
    "a\u0000b",
)
NAMES = (
    "../../x.conllu",
    "/etc/passwd",
    "C:\\x.conllu",
    "a\0b.conllu",
    "\u202etxt.conllu",
    "-rf",
    "x" * 250,
    "a" * 240 + ".conllu",
    "con",
    "nul.conllu",
    "<b>.conllu",
    "a\nb.conllu",
    "%00.conllu",
    "é.conllu",
    "\u2602.conllu",
    "a/b/c",
    "|id",
    "$(id)",
    "`id`",
    "a;b",
    "a'b\"c",
    "=1+1.conllu",
    "x.conllu.exe",
    "x.html",
    "x.svg",
    "x.zip",
    " ",
)
# Django takes a part with a file of such a name for none at all.
NO_NAME = "\u200b"
SHAPES = (
    "",
    "\n",
    "\n" * 100_000,
    " " * 100_000,
    "a" * 3_000_000,
    "\t" * 100_000,
    "1\n" * 50_000,
    GOOD * 500,
    GOOD.rstrip("\n"),
    GOOD[::-1],
    GOOD.upper(),
    GOOD.replace("\t", " "),
    GOOD.replace("\t", ","),
    GOOD.replace("\n", "\r"),
    "# only\n# comments\n",
    "\n".join(reversed(GOOD.split("\n"))),
)
JSONS = (
    "[" * 200_000,
    "{" * 200_000,
    '{"a":' * 50_000,
    "9" * 5_000,
    "NaN",
    "1e999",
    "null",
    "[]",
    "{}",
    '{"a":1,"a":2}',
    '"\\ud800"',
    '"\\u0000"',
    json.dumps([{}] * 50_000),
)


def replaced(line: int, column: int, value: str) -> bytes:
    lines = GOOD.split("\n")
    cells = lines[line].split("\t")
    cells[column] = value
    lines[line] = "\t".join(cells)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def trees() -> Iterator[tuple[str, bytes]]:
    """Cells, identifiers and heads that no tree has."""
    for column in range(10):
        for value in VALUES:
            yield f"column {column} {value[:12]!r}", replaced(2, column, value)
    for head in ("1", "2", "4", "5", "99", "-1", "a", "1-2", "1.1", "_"):
        yield f"head {head}", replaced(1, 6, head)
    for number in ("1-2", "3-1", "1.1", "0.1", "2-2", "1-99", "1000000000", "5", "x"):
        yield f"id {number}", replaced(1, 0, number)


def shapes() -> Iterator[tuple[str, bytes]]:
    """Whole files that are something else, cut, doubled or broken in odd places."""
    yield from ((f"shape {i}", text.encode()) for i, text in enumerate(SHAPES))
    yield from ((f"json {i}", text.encode()) for i, text in enumerate(JSONS))
    yield from ((f"codec {name}", GOOD.encode(name)) for name in CODECS)
    for mark in BEGINNINGS:
        yield f"begins {mark!r}", mark + GOOD.encode()
        yield f"only {mark!r}", mark
    for mark in BREAKS:
        for place in (0, 3, len(GOOD) // 2, len(GOOD)):
            text = GOOD[:place] + mark + GOOD[place:]
            yield f"break {mark!r} at {place}", text.encode()
    for cut in range(1, len(GOOD), len(GOOD) // 30):
        yield f"cut at {cut}", GOOD[:cut].encode()
    for payload in PAYLOADS:
        yield f"form {payload!r}", replaced(1, 1, payload)
        yield f"comment {payload!r}", f"# {payload}\n{GOOD}".encode()


def archives() -> Iterator[tuple[str, bytes]]:
    made: dict[str, Callable[[], bytes]] = zips.FINE | zips.STRUCTURE | zips.SECRETS
    yield from ((f"zip {name}", make()) for name, make in made.items())
    yield from ((f"zip name {name!r}", zips.named(name)) for name in zips.NAMES)


def corpus() -> list[tuple[str, bytes]]:
    """At least 400 files with what is wrong with them."""
    return [*trees(), *shapes(), *archives()]


def mutants(seed: int) -> Iterator[bytes]:
    """Endless mutations of the good file: bytes changed, cut, doubled, swapped."""
    chance = random.Random(seed)
    while True:
        data = bytearray(GOOD.encode())
        for _ in range(chance.randint(1, 6)):
            at, to = sorted(chance.randrange(len(data) + 1) for _ in range(2))
            kind = chance.randrange(4)
            if kind == 0 and data:
                data[at % len(data)] = chance.randrange(256)
            elif kind == 1:
                del data[at:to]
            elif kind == 2:
                data[at:at] = data[at:to]
            else:
                data[at:at] = chance.choice(VALUES[:13]).encode()[:40]
        yield bytes(data)


def codes() -> set[str]:
    """Every code of a finding that any line of our programs can give: a closed list.

    Findings are made by Problem(code, ...), findings.add(code, ...) and functions that
    begin with a code; the code is always written out. Those of diagnoses are in one
    table.
    """
    found = {f"{PREFIX}{name}" for name in MESSAGES}
    for top in ("scoring", "leaderboard"):
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Call) and _makes_finding(node):
                    found.update(filter(CODE.fullmatch, _words(node.args[0])))
    return found


def _makes_finding(call: ast.Call) -> bool:
    name = call.func
    called = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    return bool(call.args) and called in MAKERS


def _words(node: ast.expr) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
