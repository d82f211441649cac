"""Scores as pages show them: text, interval, bar."""

from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import (
    PERCENT,
    PLAIN,
    Ends,
    Score,
    bracketed,
    printed,
    signed,
)
from leaderboard.results.status import SubmissionStatus, receipt_of
from leaderboard.web.templatetags.formatting import (
    compared_in_words,
    ends,
    figures,
    grouped,
    written,
)

__all__ = [
    "PERCENT",
    "PLAIN",
    "Axis",
    "Bar",
    "Ends",
    "Score",
    "SubmissionStatus",
    "bracketed",
    "compared_in_words",
    "ends",
    "figures",
    "grouped",
    "printed",
    "receipt_of",
    "signed",
    "written",
]
