"""Markdown: a pipe table in which no name is more than a name."""

import re

from django.utils.translation import gettext as _

from leaderboard.extension.exports import ExportTable, one_line
from leaderboard.extension.formats import (
    ExportFormat,
    FormatGroup,
    NumberCell,
    TableLine,
)
from leaderboard.extension.models import Answer
from leaderboard.extras.publishing.formats import NOT_RANKED, rank

# Also what makes links out of plain addresses and people out of names.
SPECIAL = re.compile(r"[\\`*_{}\[\]<>()#+!|~&@$^]|:(?=//)")
BARE = re.compile(r"(?i)\b(www|ftp)\.")


def write(table: ExportTable) -> str:
    measures, questions = table.measures, table.questions
    heads = [
        *("#", _("Team"), _("System")),
        *(escape(measure["title"]) for measure in measures),
        *(escape(question.title) for question in questions),
    ]
    rules = ["--:", "---", "---", *["--:"] * len(measures), *["---"] * len(questions)]
    rows = [heads, rules, *(_cells(line) for line in table.lines)]
    return "\n".join(
        [
            f"**{escape(table.title)}**",
            "",
            *(f"| {' | '.join(row)} |" for row in rows),
            "",
            " ".join(map(escape, table.notes)),
            "",
            f"<{table.address}>",
            "",
        ]
    )


def _cells(line: TableLine) -> list[str]:
    badges = ", ".join(line.marks)
    return [
        rank(line)
        + (f" ({line.rank_range})" if line.rank_range else "")
        + line.few_decide,
        escape(line.row["team"]),
        escape(line.row["system"]) + (f" ({escape(badges)})" if badges else ""),
        *(_score(cell) for cell in line.cells),
        *(NOT_RANKED if fact is None else _fact(fact) for fact in line.answers),
    ]


def _score(cell: NumberCell) -> str:
    interval = cell.interval.replace("[", r"\[").replace("]", r"\]")
    return f"{cell.value} {interval}".strip().replace("\u2212", "-")


def _fact(answer: Answer) -> str:
    number = isinstance(answer.value, int | float)
    return escape(answer.text.replace("\u2212", "-") if number else answer.text)


def escape(text: object) -> str:
    """Any text as Markdown prints it, on one line."""
    return BARE.sub(r"\1\\.", SPECIAL.sub(r"\\\g<0>", one_line(text)))


FORMATS = (
    ExportFormat(
        "md",
        "Markdown",
        "text/markdown; charset=utf-8",
        write,
        position=40,
        group=FormatGroup.PAGE,
    ),
)
