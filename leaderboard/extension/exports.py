"""Files that readers fetch: the table of a board, its texts, answers with a file."""

from leaderboard.boards.exports.formats.json import text_of
from leaderboard.boards.exports.table import ExportTable, absolute, of_board
from leaderboard.boards.exports.views import respond
from leaderboard.tasks.canary import canary_sentence
from leaderboard.tasks.citation import Author, Values, address_of, authors_of, dataset
from leaderboard.web.attachment import attachment
from leaderboard.web.languages import in_english
from leaderboard.web.texts import one_line
from leaderboard.web.zips import add as add_to_zip

__all__ = [
    "Author",
    "ExportTable",
    "Values",
    "absolute",
    "add_to_zip",
    "address_of",
    "attachment",
    "authors_of",
    "canary_sentence",
    "dataset",
    "in_english",
    "of_board",
    "one_line",
    "respond",
    "text_of",
]
