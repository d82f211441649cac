"""Places of the tables of benchmarks in the documents."""

from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
PERFORMANCE = DOCS / "evidence" / "performance.md"


def put(page: Path, told: str, marks: tuple[str, str]) -> None:
    """Between its two marks in the page; ValueError where they are missing."""
    before, rest = page.read_text("utf-8").split(marks[0])
    _old, after = rest.split(marks[1])
    page.write_text(f"{before}{marks[0]}\n{told}\n{marks[1]}{after}", "utf-8")
