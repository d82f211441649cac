"""Statistics of a board: its sample of units, and what is computed once and stored."""

from leaderboard.results.board_sample import (
    MANY_SYSTEMS,
    BoardSample,
    Slice,
    answer_once,
    subject_of,
    tests_of,
)
from leaderboard.results.scores import FEW_DECIDE, chance, scores_for
from leaderboard.results.stored_counts import counts_of_each, key_of, sent_test_sets
from leaderboard.results.stored_statistics import Content, stored_or_computed

__all__ = [
    "FEW_DECIDE",  # The mark of systems that differ by a few units.
    "MANY_SYSTEMS",  # Systems above which tests of pairs are not stored.
    "BoardSample",
    "Content",  # Arrays and values that are stored, by name.
    "Slice",
    "answer_once",
    "chance",
    "counts_of_each",
    "key_of",
    "scores_for",
    "sent_test_sets",
    "stored_or_computed",
    "subject_of",
    "tests_of",
]
