"""BibTeX: the board, or a snapshot of it, to be cited."""

from leaderboard.boards.bibtex import CONTENT_TYPE, authors_of, entry, escaped
from leaderboard.boards.exports.formats import ExportFormat, FormatGroup
from leaderboard.boards.exports.table import ExportTable


def write(table: ExportTable) -> str:
    notes = [table.source_note, table.choices_note, table.synthetic_note]
    kind = "Snapshot" if table.snapshot else "Leaderboard"
    fields = {
        **authors_of(table.task),
        "title": f"{{{escaped(table.title)}}}",
        "howpublished": f"{kind} of a shared task",
        "year": str(table.at.year),
        "month": table.at.strftime("%b").lower(),
        "url": table.address,
        "note": escaped(" ".join(filter(None, notes))),
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
