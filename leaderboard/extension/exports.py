"""Files that readers fetch: the table of a board, its texts, answers with a file."""

from leaderboard.boards.exports.formats.json import text_of
from leaderboard.boards.exports.table import ExportTable, of_board
from leaderboard.boards.exports.views import respond
from leaderboard.tasks.canary import canary_sentence
from leaderboard.tasks.citation import Author, authors_of, dataset
from leaderboard.web.addresses import absolute
from leaderboard.web.attachment import attachment
from leaderboard.web.texts import one_line
from leaderboard.web.zips import add as add_to_zip

__all__ = [
    "Author",
    "ExportTable",
    "absolute",
    "add_to_zip",
    "attachment",
    "authors_of",
    "canary_sentence",
    "dataset",
    "of_board",
    "one_line",
    "respond",
    "text_of",
]
