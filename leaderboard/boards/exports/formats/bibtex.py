"""BibTeX: the board, or a snapshot of it, to be cited."""

from leaderboard.boards.exports import words
from leaderboard.boards.exports.registry import Format
from leaderboard.boards.exports.table import Table
from leaderboard.tasks.models import Task
from scoring.report import latex_text

MONTHS = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]


def written(table: Table) -> str:
    about = table.about
    at = about.at
    kind = "Snapshot" if about.snapshot else "Leaderboard"
    fields = {
        "title": f"{{{said(table.title)}}}",
        "howpublished": f"{kind} of a shared task",
        "year": str(at.year),
        "month": MONTHS[at.month - 1],
        "url": about.address,
        "note": said(_note(table)),
    }
    return entry(f"{about.name}-{about.hash[:8]}", fields)


def _note(table: Table) -> str:
    told = [words.source(table), words.chosen_sentence(table), words.synthetic(table)]
    return " ".join(filter(None, told))


def of_task(task: Task, address: str) -> str:
    """The task itself; without rows it has no hash."""
    fields = {
        "title": f"{{{said(task.title)}}}",
        "howpublished": "Shared task",
        "year": str(task.created_at.year),
        "url": address,
    }
    if task.summary:
        fields["note"] = said(task.summary)
    return entry(task.slug, fields)


def entry(key: str, fields: dict[str, str]) -> str:
    """One @misc. Months are names that BibTeX knows, not texts."""
    lines = [
        f"  {name} = {value if name == 'month' else f'{{{value}}}'},"
        for name, value in fields.items()
    ]
    return "\n".join([f"@misc{{{key},", *lines, "}", ""])


def said(text: object) -> str:
    """Any text; BibTeX counts braces wherever they stand, escaped ones too."""
    escaped = latex_text(words.one_line(text).replace("{", "\0").replace("}", "\1"))
    return escaped.replace("\0", r"\textbraceleft{}").replace(
        "\1", r"\textbraceright{}"
    )


FORMATS = (
    Format(
        "bib", "BibTeX", "application/x-bibtex; charset=utf-8", written, position=60
    ),
)
