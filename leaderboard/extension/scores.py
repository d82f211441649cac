"""Scores as pages show them: text, interval, bar."""

# A number has the same figures wherever it is printed.
from leaderboard.results.scores import (
    ABSENT,  # The text in place of a score.
    Ends,  # Value, low and high as a page has them, None for n/a.
    bracket,
    decimals_of,
    footnotes,
    printed,
    with_sign,
)
from leaderboard.web.templatetags.formats import (
    compared_in_words,
    day_text,
    ends,
    figures,
    grouped,
    written,
)

# A score is drawn as on the board.
from leaderboard.results.score_bars import Axis, Bar

# An extra shows scores of one submission, and what stands behind them.
from leaderboard.results.scores import Score
from leaderboard.results.status import SubmissionStatus, evaluation_of, receipt_of
