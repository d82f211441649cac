"""What exports say around the numbers."""

import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.exports.table import Table
from leaderboard.boards.frozen import Line, resolves
from leaderboard.submissions.scores import footnotes, runs_in_words

NOT_RANKED = "–"
MARKS = {
    "baseline": gettext_lazy("Baseline"),
    "organizers": gettext_lazy("Organizers' team"),
    "incomplete": gettext_lazy("Incomplete"),
    "late_admitted": gettext_lazy("Late, admitted"),
    "after_end": gettext_lazy("After the end"),
}


def one_line(text: object) -> str:
    """Without line ends and other control characters, which no format survives."""
    plain = "".join(
        " " if unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs") else one
        for one in str(text)
    )
    return " ".join(plain.split())


def marks(row: Mapping[str, Any]) -> list[str]:
    """The badges of a row."""
    found = {**row, "incomplete": not row["complete"]}
    said = [str(title) for name, title in MARKS.items() if found.get(name)]
    # Snapshots from before there were several are without them.
    return [*said, *filter(None, [runs_in_words(row.get("runs", 1), "")])]


def rank(line: Line) -> str:
    return NOT_RANKED if line.data["rank"] is None else str(line.data["rank"])


def doubt(line: Line) -> str:
    """The range of the rank where it is more than the rank itself."""
    low, high = line.data["rank_range"]
    ranked = line.data["rank"] is not None
    return f"{low}-{high}" if ranked and None not in (low, high) and low != high else ""


def day(table: Table) -> str:
    return date_format(table.about.at, "j M Y")


def notes(table: Table) -> Iterator[str]:
    """What was chosen, the rule, what is withheld, and where the rows come from."""
    if said := chosen_sentence(table):
        yield said
    yield one_line(table.data["rule"])
    if said := resolves(table.data):
        yield said
    for line in table.data["withheld"]:
        yield one_line(line)
    yield _("In brackets: %(level)s intervals.") % {
        "level": f"{table.data['level']:.0%}"
    }
    # Not in what was frozen before.
    if note := table.data.get("unit_note"):
        yield note
    yield from footnotes(
        cell.interval for line in table.lines for cell in table.cells(line)
    )
    yield source(table)


def chosen(table: Table) -> str:
    """The choices in force in one line; empty for the plain board."""
    return one_line("; ".join(map(str, table.chosen)))


def chosen_sentence(table: Table) -> str:
    found = chosen(table)
    return _("Chosen: %(choices)s.") % {"choices": found} if found else ""


def source(table: Table) -> str:
    about = table.about
    told = {
        "number": table.data["gold_revision"],
        "day": day(table),
        "hash": about.hash,
    }
    if about.snapshot is not None:
        return (
            _("Snapshot of %(day)s, gold revision %(number)s, SHA-256 %(hash)s.") % told
        )
    return (
        _("Board of %(day)s, gold revision %(number)s, SHA-256 of the rows %(hash)s.")
        % told
    )


def synthetic(table: Table) -> str:
    """Said wherever scores measure no real system; else empty."""
    if not table.about.task.synthetic:
        return ""
    return _("Synthetic data: the scores measure no real system.")
