"""CSV: one row a system, full precision, safe to open in a spreadsheet."""

import re
from collections.abc import Iterator

from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table, Values
from leaderboard.boards.exports.words import one_line
from leaderboard.boards.frozen import Line
from scoring.report import csv_text

# Without it a spreadsheet reads UTF-8 as something else; programs skip it (utf-8-sig).
MARK = "\ufeff"
# Programs whose separator is another one would begin a cell, and a formula, here.
INNER_CELL = re.compile(r"([;|\t]\s*\"?)(?=[=+@-])")
ABOUT = (
    "team", "system", "submission", "received_at", "entries", "baseline", "complete",
    "late_admitted", "after_end",
)  # fmt: skip
ENDS = ("value", "low", "high")


def written(table: Table) -> str:
    rows = [list(_head(table)), *(list(_row(table, line)) for line in table.lines)]
    return MARK + csv_text([[_cell(one) for one in row] for row in rows])


def _head(table: Table) -> Iterator[str]:
    yield from ("rank", "rank_low", "rank_high", "cluster", *ABOUT)
    for measure in table.measures:
        name = measure["name"]
        yield from (name, f"{name}.low", f"{name}.high")
    for question in table.questions:
        yield f"fact.{question.name}"


def _row(table: Table, line: Line) -> Iterator[object]:
    data: Values = line.data
    yield from (data["rank"], *data["rank_range"], data["cluster"])
    yield from (data[name] for name in ABOUT)
    for measure in table.measures:
        score = data["scores"][measure["name"]]
        yield from (score[end] for end in ENDS)
    for question in table.questions:
        yield data["facts"].get(question.name)


def _cell(value: object) -> object:
    """Empty for what is not there; numbers so that they read back the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return INNER_CELL.sub(r"\1'", one_line(value))
    return repr(value)


FORMATS = (
    Format("csv", "CSV", "text/csv; charset=utf-8", written, position=10),
)  # fmt: skip
