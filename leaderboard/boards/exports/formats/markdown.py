"""Markdown: a pipe table in which no name is more than a name."""

import re

from django.utils.translation import gettext as _

from leaderboard.boards.exports import words
from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table
from leaderboard.boards.frozen import Cell, Line

# Also what makes links out of plain addresses and people out of names.
SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~&@$^]|:(?=//)")
BARE = re.compile(r"(?i)\b(www|ftp)\.")


def written(table: Table) -> str:
    heads = ["#", _("Team"), _("System")]
    heads += [said(one["title"]) for one in table.measures]
    heads += [said(one.title) for one in table.questions]
    marks = ["--:", "---", "---"]
    marks += ["--:" for _one in table.measures] + ["---" for _one in table.questions]
    rows = [heads, marks, *(_cells(table, line) for line in table.lines)]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    notes = [words.synthetic(table), *words.notes(table)]
    below = " ".join(said(one) for one in notes if one)
    return "\n".join(
        [f"**{said(table.title)}**", "", *lines, "", below, "", _address(table), ""]
    )


def _address(table: Table) -> str:
    return f"<{table.about.address}>"


def _cells(table: Table, line: Line) -> list[str]:
    doubt = words.doubt(line)
    marks = ", ".join(words.marks(line.data))
    return [
        words.rank(line) + (f" ({doubt})" if doubt else ""),
        said(line.data["team"]),
        said(line.data["system"]) + (f" ({said(marks)})" if marks else ""),
        *(_score(cell) for cell in table.cells(line)),
        *(words.NOT_RANKED if one is None else said(one.text) for one in line.facts),
    ]


def _score(cell: Cell) -> str:
    interval = cell.interval.replace("[", r"\[").replace("]", r"\]")
    return f"{cell.value} {interval}".strip()


def said(text: object) -> str:
    """Any text as Markdown prints it, on one line."""
    escaped = SPECIAL.sub(r"\\\g<0>", words.one_line(text))
    return BARE.sub(r"\1\\.", escaped)


FORMATS = (
    Format("md", "Markdown", "text/markdown; charset=utf-8", written, position=40),
)
