"""Every claim of how often something holds names what supports it.

The link of a claim has its support as title, which readers see when they point at it:
`[kept](../evidence/statistics.md#kept "any two of 50 equal systems differ")` names a
claim of the file that `make simulate` writes, also with a population of it after a
colon; or it names the file of a test, for what is not simulated.
"""

import re
from pathlib import Path

from benchmarks._page import DOCS
from benchmarks.simulation.__main__ import LINES, MARKS, read_cells
from tests.loops import loop_over

ROOT = DOCS.parent
PAGES = (
    "evidence/statistics.md",
    "library.md",
    "participants/boards.md",
    "participants/reading-boards.md",
    "organizers/items.md",
    "organizers/task.md",
    "organizers/judging.md",
    "organizers/units.md",
    "organizers/combined.md",
)
# What is said of how often, with what chance, how surely.
NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty)"
PROMISES = re.compile(
    rf"\b{NUMBER} (?:(?!points)\w+ ){{0,2}}(?:of|in) (?:five|ten|twenty|hundred|\d+0)\b"
    r"|(?<!at )\b\d+ ?% (?!of fifty)|(?<!`)\bconfidence\b(?! level)|\bunlikely\b"
    r"|\bhardly ever\b|\bnever taken back\b|\bwithin \w+ points over\b"
    r"|\b(?:half|a fifth) of the (?:boards|pairs|time)\b|\bat most \w+%"
)
SUPPORT = re.compile(r'\]\([^)\s]*#kept "([^"]+)"\)')


def blocks(text: str) -> list[str]:
    """Paragraphs, items of lists and rows of tables, without code and the big table."""
    before, _mark, rest = text.partition(MARKS[0])
    text = before + rest.partition(MARKS[1])[2]
    text = re.sub(r"```.*?```", "", text.partition("\n## Sources")[0], flags=re.DOTALL)
    parts = re.split(r"\n\s*\n|\n(?=\||- |#|\d+\. )", text)
    return [" ".join(part.split()) for part in parts if part.strip()]


def promises(text: str) -> list[str]:
    """Blocks that say how often; what ends with a colon only begins a list."""
    found = [one for one in blocks(text) if PROMISES.search(SUPPORT.sub("", one))]
    return [block for block in found if not block.endswith(":")]


def read(page: str) -> str:
    return (DOCS / page).read_text("utf-8")


@loop_over("page", PAGES)
def test_every_claim_names_what_supports_it(page: str) -> None:
    assert [one for one in promises(read(page)) if not SUPPORT.search(one)] == []


@loop_over("page", PAGES)
def test_what_a_claim_names_is_there(page: str) -> None:
    known = read_cells(LINES)
    named = SUPPORT.findall(read(page))
    assert named
    assert [one for one in named if not _is_known(one, known)] == []


def _is_known(name: str, known: dict[str, dict[str, list[str]]]) -> bool:
    if name.startswith("tests/"):
        return Path(ROOT, name).is_file()
    claim, _colon, population = name.partition(": ")
    return claim in known and (not population or population in known[claim])


def test_a_claim_without_support_is_found() -> None:
    text = "Ranges hold on 95 of 100 boards.\n\nA range is a pair.\n"
    assert promises(text) == ["Ranges hold on 95 of 100 boards."]
    assert not SUPPORT.search("[kept](../evidence/statistics.md#kept)")
    assert not _is_known("any two of 7 equal systems differ", {})
