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
from leaderboard.results.stored_counts import (
    Key,
    counts_of_each,
    key_of,
    sent_test_sets,
)
from leaderboard.results.stored_statistics import Content, stored_or_computed

__all__ = [
    "FEW_DECIDE",
    "MANY_SYSTEMS",
    "BoardSample",
    "Content",
    "Key",
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
