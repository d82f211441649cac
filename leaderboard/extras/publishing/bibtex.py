"""BibTeX: the board, or a snapshot of it, to be cited."""

from leaderboard.boards.exports.formats import ExportFormat, FormatGroup
from leaderboard.boards.exports.table import ExportTable, one_line
from leaderboard.tasks.citation import Author
from leaderboard.tasks.models import Task
from scoring.report import latex_text


def write(table: ExportTable) -> str:
    notes = [table.source_note, table.choices_note, table.synthetic_note]
    kind = "Snapshot" if table.snapshot else "Leaderboard"
    fields = {
        **_authors(table.task),
        "title": f"{{{escaped(table.title)}}}",
        "howpublished": f"{kind} of a shared task",
        "year": str(table.at.year),
        "month": table.at.strftime("%b").lower(),
        "url": table.address,
        "note": escaped(" ".join(filter(None, notes))),
    }
    return entry(f"{table.file_stem}-{table.short_hash[:8]}", fields)


def of_task(task: Task, address: str) -> str:
    """The task itself; without rows it has no hash."""
    fields = {
        **_authors(task),
        "title": f"{{{escaped(task.title)}}}",
        "howpublished": "Shared task",
        "year": str(task.created_at.year),
        "url": address,
    }
    if task.doi:
        fields["doi"] = escaped(task.doi)
    if task.summary:
        fields["note"] = escaped(task.summary)
    return entry(task.slug, fields)


def _authors(task: Task) -> dict[str, str]:
    """Groups stand in braces of their own, or BibTeX looks for a family name.

    Without authors `key` is what entries are sorted by.
    """
    names = [
        f"{escaped(author.family)}, {escaped(author.given)}"
        if author.family
        else f"{{{escaped(author.name)}}}"
        for author in map(Author.read, task.authors)
    ]
    if not names:
        return {"key": escaped(task.title)}
    return {"author": " and ".join(names)}


def entry(key: str, fields: dict[str, str]) -> str:
    """One @misc. Months are names that BibTeX knows, not texts."""
    lines = [
        f"  {name} = {value if name == 'month' else f'{{{value}}}'},"
        for name, value in fields.items()
    ]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def escaped(text: str) -> str:
    """Any text; BibTeX counts braces wherever they stand, escaped ones too."""
    latex = latex_text(one_line(text).replace("{", "\0").replace("}", "\1"))
    return latex.replace("\0", r"\textbraceleft{}").replace("\1", r"\textbraceright{}")


TYPE = "application/x-bibtex; charset=utf-8"
FORMATS = (
    ExportFormat(
        "bib",
        "BibTeX",
        TYPE,
        write,
        position=60,
        group=FormatGroup.PAPER,
    ),
)
