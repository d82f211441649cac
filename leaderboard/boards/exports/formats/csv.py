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
    "team",
    "system",
    "submission",
    "received_at",
    "entries",
    "baseline",
    "complete",
    "late_admitted",
    "after_end",
    "organizers",
)
ENDS = ("value", "low", "high", "informative_units")


def _several_runs(table: Table) -> bool:
    """Runs have columns where there is an entry of several."""
    return any(line.data.get("runs", 1) > 1 for line in table.lines)


def written(table: Table) -> str:
    rows = [list(_head(table)), *(list(_row(table, line)) for line in table.lines)]
    return MARK + csv_text([[_cell(one) for one in row] for row in rows])


def _head(table: Table) -> Iterator[str]:
    yield from ("rank", "rank_low", "rank_high", "cluster", *ABOUT)
    for measure in table.measures:
        name = measure["name"]
        yield from (name, *(f"{name}.{end}" for end in ENDS[1:]))
    if _several_runs(table):
        yield "runs"
        yield from (f"{measure['name']}.between_runs" for measure in table.measures)
    for question in table.questions:
        yield f"fact.{question.name}"
    for one in table.chosen:
        yield f"chosen.{one.parameter}"


def _row(table: Table, line: Line) -> Iterator[object]:
    data: Values = line.data
    yield from (data["rank"], *data["rank_range"], data["cluster"])
    # Snapshots from before there was the mark are without it.
    yield from (data.get(name, False) for name in ABOUT)
    for measure in table.measures:
        score = data["scores"][measure["name"]]
        # What was frozen before engine 0.2.0 does not say the units.
        yield from (score.get(end) for end in ENDS)
    if _several_runs(table):
        yield data.get("runs", 1)
        for measure in table.measures:
            yield data["scores"][measure["name"]].get("between_runs")
    for question in table.questions:
        yield data["facts"].get(question.name)
    for one in table.chosen:
        yield one.value


def _cell(value: object) -> object:
    """Empty for what is not there; numbers so that they read back the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return INNER_CELL.sub(r"\1'", one_line(value))
    return repr(value)


FORMATS = (Format("csv", "CSV", "text/csv; charset=utf-8", written, position=10),)
