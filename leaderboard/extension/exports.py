"""Files that readers fetch: the table of a board, its texts, answers with a file."""

# Files of an extra are answered, named and packed as the site's.
from leaderboard.boards.exports.formats.json import text_of
from leaderboard.boards.exports.views import respond
from leaderboard.web.addresses import absolute
from leaderboard.web.attachment import add_to_zip, attachment
from leaderboard.web.texts import one_line

# Every file about a task names its authors and its origin alike.
from leaderboard.tasks.canary import canary_sentence
from leaderboard.tasks.citation import Author, authors_of, dataset

# All formats print the rows of one table.
from leaderboard.boards.exports.table import ExportTable
