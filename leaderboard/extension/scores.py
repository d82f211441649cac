"""Scores as pages show them: text, interval, bar."""

from leaderboard.results.score_bars import Axis, Bar
from leaderboard.results.scores import (
    ABSENT,
    PERCENT,
    PLAIN,
    TIE,
    Ends,
    Score,
    bracket,
    footnotes,
    printed,
    with_sign,
)
from leaderboard.results.status import SubmissionStatus, evaluation_of, receipt_of
from leaderboard.web.templatetags.formatting import (
    compared_in_words,
    day_text,
    ends,
    figures,
    grouped,
    written,
)

__all__ = [
    "ABSENT",
    "PERCENT",
    "PLAIN",
    "TIE",
    "Axis",
    "Bar",
    "Ends",
    "Score",
    "SubmissionStatus",
    "bracket",
    "compared_in_words",
    "day_text",
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
