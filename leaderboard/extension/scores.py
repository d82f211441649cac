"""Scores as pages show them: text, interval, bar."""

from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import (
    ABSENT,
    Ends,
    Score,
    bracket,
    decimals_of,
    footnotes,
    printed,
    with_sign,
)
from leaderboard.results.status import SubmissionStatus, evaluation_of, receipt_of
from leaderboard.web.templatetags.formats import (
    compared_in_words,
    day_text,
    ends,
    figures,
    grouped,
    written,
)

# A number has the same figures wherever it is printed.
__all__ = [
    "ABSENT",  # The text in place of a score.
    "Ends",  # Value, low and high as a page has them, None for n/a.
    "bracket",
    "compared_in_words",
    "day_text",
    "decimals_of",
    "ends",
    "figures",
    "footnotes",
    "grouped",
    "printed",
    "with_sign",
    "written",
]
# A score is drawn as on the board.
__all__ += ["Axis", "Bar"]
# An extra shows scores of one submission, and what stands behind them.
__all__ += ["Score", "SubmissionStatus", "evaluation_of", "receipt_of"]
