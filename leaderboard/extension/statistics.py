"""Statistics of a board: its sample of units, and what is computed once and stored."""

from leaderboard.results.board_sample import BoardSample, subject_of
from leaderboard.results.stored_statistics import Content, stored

__all__ = [
    "BoardSample",
    "Content",
    "stored",
    "subject_of",
]
