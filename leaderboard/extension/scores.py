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

__all__ = [
    "ABSENT",  # The text in place of a score.
    "Axis",
    "Bar",
    "Ends",  # Value, low and high as a page has them, None for n/a.
    "Score",
    "SubmissionStatus",
    "bracket",
    "compared_in_words",
    "day_text",
    "decimals_of",
    "ends",
    "evaluation_of",
    "figures",
    "footnotes",
    "grouped",
    "printed",
    "receipt_of",
    "with_sign",
    "written",
]
