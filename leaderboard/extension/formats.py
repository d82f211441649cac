"""Formats that a board is written in: lines of a table, their cells, and texts."""

# An extra adds formats, and puts files of all formats into an archive.
from leaderboard.boards.exports.formats import ExportFormat, FormatGroup, all_formats
from leaderboard.boards.exports.table import rules_of
from leaderboard.boards.exports.views import (
    FRESH_SECONDS,  # Seconds that a copy of a board may be old.
)
from leaderboard.boards.render import (
    NumberCell,
    TableLine,
    Values,  # Values of JSON by name, read only.
)

# Names of strangers are measured, cut and escaped by one rule.
from leaderboard.boards.exports.formats.csv import safe_csv, write as write_csv
from leaderboard.web.texts import fitting, wide_range, width_of
