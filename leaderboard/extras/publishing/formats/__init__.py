"""Formats of a board for papers, data sets and other pages: `FORMATS` of modules."""

from leaderboard.extension.formats import TableLine

NOT_RANKED = "–"


def rank(line: TableLine) -> str:
    """The rank of a line, or a dash where it has none."""
    return NOT_RANKED if line.row["rank"] is None else str(line.row["rank"])
