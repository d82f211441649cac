"""BibTeX entries: a task, a board or a snapshot of it, or a system, to be cited."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, cast

from django.conf import settings
from django.urls import reverse
from django.utils import translation
from django.utils.text import slugify

from leaderboard.extension.boards import SystemOverview
from leaderboard.extension.exports import Author, ExportTable, one_line
from leaderboard.extension.formats import ExportFormat, FormatGroup
from leaderboard.extension.models import Submission, Task
from scoring.report import latex_text

CONTENT_TYPE = "application/x-bibtex; charset=utf-8"


def task_entry(task: Task, address: str) -> str:
    """The task itself; without rows it has no hash."""
    fields = {
        **authors_of(task),
        "title": f"{{{escape(task.title)}}}",
        "howpublished": "Shared task",
        "year": str(task.created_at.year),
        "url": address,
    }
    if task.doi:
        fields["doi"] = escape(task.doi)
    if task.summary:
        fields["note"] = escape(task.summary)
    return entry(task.slug, fields)


def system_entry(
    submission: Submission, team: str, facts: Mapping[str, object], score: str
) -> str:
    """A system of a team, as its page shows it.

    Public answers named `authors` (as in a task, several apart by "; ") and `paper` or
    `code` are taken where the task asks for them.
    """
    task, phase = submission.phase.task, submission.phase
    names = [name.strip() for name in str(facts.get("authors") or "").split(";")]
    address = f"{settings.SITE_URL}{reverse('system', args=[submission.pk])}"
    links = [str(facts[name]) for name in ("paper", "code") if facts.get(name)]
    note = [f"{phase.title}: {score}." if score else "", *links]
    fields = {
        "author": _join_lines([name for name in names if name] or [team]),
        "title": f"{{{escape(submission.system)}}}",
        "howpublished": escape(f"Submission to the shared task {task.title}"),
        "year": str(submission.received_at.year),
        "month": submission.received_at.strftime("%b").lower(),
        "url": address,
        "note": escape(" ".join(filter(None, note))),
    }
    return entry(key_of(submission), fields)


def key_of(submission: Submission) -> str:
    """The key of a citation: task and name of the system, and enough of its id."""
    words = [submission.phase.task.slug, slugify(submission.system)[:40]]
    return "-".join(filter(None, [*words, str(submission.pk)[:8]]))


def _join_lines(lines: Iterable[str]) -> str:
    names = [
        f"{escape(author.family)}, {escape(author.given)}"
        if author.family
        else f"{{{escape(author.name)}}}"
        for author in map(Author.read, lines)
    ]
    return " and ".join(names)


def authors_of(task: Task) -> dict[str, str]:
    """Groups stand in braces of their own, or BibTeX looks for a family name.

    Without authors `key` is what entries are sorted by.
    """
    if not task.authors:
        return {"key": escape(task.title)}
    return {"author": _join_lines(task.authors)}


def entry(key: str, fields: dict[str, str]) -> str:
    """One @misc. Months are names that BibTeX knows, not texts."""
    lines = [
        f"  {name} = {value if name == 'month' else f'{{{value}}}'},"
        for name, value in fields.items()
    ]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def escape(text: str) -> str:
    """Any text; BibTeX counts braces wherever they stand, escaped ones too."""
    latex = latex_text(one_line(text).replace("{", "\0").replace("}", "\1"))
    return latex.replace("\0", r"\textbraceleft{}").replace("\1", r"\textbraceright{}")


def overview_entry(system: SystemOverview, _user: Any) -> str:
    """A system with its score on its board."""
    row = system.row
    with translation.override(settings.LANGUAGE_CODE):
        score = f"{row.sorted_by.measure.title} {row.sorted_by.printed}"
        score = f"{score} {row.sorted_by.interval}".strip()
        return system_entry(system.submission, row.team, row.facts, score)


def write(table: ExportTable) -> str:
    notes = [table.source_note, table.choices_note, table.synthetic_note]
    kind = "Snapshot" if table.snapshot else "Leaderboard"
    at = cast(datetime, table.at)
    fields = {
        **authors_of(table.task),
        "title": f"{{{escape(table.title)}}}",
        "howpublished": f"{kind} of a shared task",
        "year": str(at.year),
        "month": at.strftime("%b").lower(),
        "url": table.address,
        "note": escape(" ".join(filter(None, notes))),
    }
    return entry(f"{table.file_stem}-{table.short_hash[:8]}", fields)


FORMATS = (
    ExportFormat(
        "bib",
        "BibTeX",
        CONTENT_TYPE,
        write,
        position=60,
        group=FormatGroup.PAPER,
    ),
)
