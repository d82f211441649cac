"""Files that readers fetch: the table of a board, its texts, answers with a file."""

from leaderboard.boards.exports.formats.json import text_of
from leaderboard.boards.exports.table import ExportTable
from leaderboard.boards.exports.views import respond
from leaderboard.tasks.canary import canary_sentence
from leaderboard.tasks.citation import Author, authors_of, dataset
from leaderboard.web.addresses import absolute
from leaderboard.web.attachment import add_to_zip, attachment
from leaderboard.web.texts import one_line

# Files of an extra are answered, named and packed as the site's.
__all__ = ["absolute", "add_to_zip", "attachment", "one_line", "respond", "text_of"]
# Every file about a task names its authors and its origin alike.
__all__ += ["Author", "authors_of", "canary_sentence", "dataset"]
# All formats print the rows of one table.
__all__ += ["ExportTable"]
