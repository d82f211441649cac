"""CSV: one row a system, full precision, safe to open in a spreadsheet."""

import re
from collections.abc import Iterable, Iterator

from rest_framework.fields import BooleanField

from leaderboard.boards.exports.formats import ExportFormat
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.render import Values
from leaderboard.boards.rows import MEMBERS
from leaderboard.web.texts import one_line
from scoring.report import csv_text
from scoring.statistics.variance_components import SOURCES

# Without it a spreadsheet reads UTF-8 as something else; programs skip it (utf-8-sig).
MARK = "\ufeff"
# Programs whose separator is another one would begin a cell, and a formula, here.
INNER_CELL = re.compile(r"([;|\t]\s*\"?)(?=[=+@-])")
ABOUT = {
    member.name: False if isinstance(member.type, BooleanField) else None
    for member in MEMBERS
    if member.csv
}
ENDS = ("value", "low", "high", "informative_units")


def write(table: ExportTable) -> str:
    """A table as CSV, with a line of heads."""
    # Runs have columns where there is an entry of several.
    runs = any(line.row.get("runs", 1) > 1 for line in table.lines)
    expects = any("expected" in line.row for line in table.lines)
    rows: list[list[object]] = [
        [*_head(table, runs, expects), *_heads_of_sources(table)],
        *(
            [*_row(table, line.row, runs, expects), *_sources(table, line.row)]
            for line in table.lines
        ),
    ]
    return safe_csv(rows)


def safe_csv(rows: Iterable[Iterable[object]]) -> str:
    """CSV that a spreadsheet opens without running anything in it."""
    return MARK + csv_text([[_cell(value) for value in row] for row in rows])


def _head(table: ExportTable, runs: bool, expects: bool) -> Iterator[str]:
    names = [measure["name"] for measure in table.measures]
    yield from ("rank", "rank_low", "rank_high", "cluster", *ABOUT)
    for name in names:
        yield from (name, *(f"{name}.{end}" for end in ENDS[1:]))
    if runs:
        yield from ("runs", *(f"{name}.between_runs" for name in names))
    if expects:
        yield "expected"
    yield from (f"fact.{question.name}" for question in table.questions)
    yield from (f"chosen.{choice.parameter}" for choice in table.chosen)


def _row(
    table: ExportTable, row: Values, runs: bool, expects: bool
) -> Iterator[object]:
    scores = [row["scores"][measure["name"]] for measure in table.measures]
    yield from (row["rank"], *row["rank_range"], row["cluster"])
    # Snapshots from before there was a member are without it.
    yield from (row.get(name, absent) for name, absent in ABOUT.items())
    for score in scores:
        # What was frozen before engine 0.2.0 does not say the units.
        yield from (score.get(end) for end in ENDS)
    if runs:
        yield from (row.get("runs", 1), *(s.get("between_runs") for s in scores))
    if expects:
        yield row.get("expected")
    yield from (row["facts"].get(question.name) for question in table.questions)
    yield from (choice.value for choice in table.chosen)


def _heads_of_sources(table: ExportTable) -> Iterator[str]:
    """Columns of the measure that ranks, where runs, prompts or judges vary."""
    if table.extra.get("uncertainty"):
        name = table.data["ranked_by"]
        yield from (f"{name}.{part}" for part in ("error", *SOURCES))


def _sources(table: ExportTable, row: Values) -> Iterator[object]:
    if (every := table.extra.get("uncertainty")) is None:
        return
    uncertainty = every.get(row["submission"], {}).get(table.data["ranked_by"])
    if uncertainty is None:
        yield from (None for _name in ("error", *SOURCES))
        return
    yield uncertainty["error"]
    yield from (uncertainty["shares"][name] for name in SOURCES)


def _cell(value: object) -> object:
    """Empty for what is not there; numbers so that they read back the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return INNER_CELL.sub(r"\1'", one_line(value))
    return repr(value)


FORMATS = (ExportFormat("csv", "CSV", "text/csv; charset=utf-8", write, position=10),)
