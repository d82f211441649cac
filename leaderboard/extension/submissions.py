"""Submissions that an extra hands in for a team."""

from leaderboard.submissions.accept import OUR_FAULT, Upload, submit

__all__ = [
    "OUR_FAULT",
    "Upload",
    "submit",
]
