"""Formats that a board is written in: lines of a table, their cells, and texts."""

from leaderboard.boards.exports.formats import ExportFormat, FormatGroup, all_formats
from leaderboard.boards.exports.formats.csv import safe_csv
from leaderboard.boards.exports.formats.csv import write as write_csv
from leaderboard.boards.exports.table import NOT_RANKED, rank, rules_of
from leaderboard.boards.exports.views import FRESH_SECONDS, table_of
from leaderboard.boards.render import NumberCell, TableLine, Values
from leaderboard.web.texts import fitting, wide_range, width_of

__all__ = [
    "FRESH_SECONDS",  # Seconds that a copy of a board may be old.
    "NOT_RANKED",  # The text in place of a rank.
    "ExportFormat",
    "FormatGroup",
    "NumberCell",
    "TableLine",
    "Values",  # Values of JSON by name, read only.
    "all_formats",
    "fitting",
    "rank",
    "rules_of",
    "safe_csv",
    "table_of",
    "wide_range",
    "width_of",
    "write_csv",
]
