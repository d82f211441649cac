"""Formats that a board is written in: lines of a table, their cells, and texts."""

from leaderboard.boards.exports.formats import ExportFormat, FormatGroup, all_formats
from leaderboard.boards.exports.formats.csv import safe_csv
from leaderboard.boards.exports.formats.csv import write as write_csv
from leaderboard.boards.exports.table import rules_of
from leaderboard.boards.exports.views import FRESH_SECONDS
from leaderboard.boards.render import NumberCell, TableLine, Values
from leaderboard.web.texts import fitting, wide_range, width_of

# An extra adds formats, and puts files of all formats into an archive.
__all__ = [
    "FRESH_SECONDS",  # Seconds that a copy of a board may be old.
    "ExportFormat",
    "FormatGroup",
    "NumberCell",
    "TableLine",
    "Values",  # Values of JSON by name, read only.
    "all_formats",
    "rules_of",
]
# Names of strangers are measured, cut and escaped by one rule.
__all__ += ["fitting", "safe_csv", "wide_range", "width_of", "write_csv"]
