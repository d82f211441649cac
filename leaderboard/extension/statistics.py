"""Statistics of a board: its sample of units, and what is computed once and stored."""

from leaderboard.results.board_sample import MANY_SYSTEMS, BoardSample, Slice, tests_of
from leaderboard.results.scores import FEW_DECIDE, chance, scores_for
from leaderboard.results.stored_counts import counts_of_each, key_of, sent_test_sets
from leaderboard.results.stored_statistics import Content, stored_or_computed

# An extra computes on the sample of the board, and stores what takes long.
__all__ = [
    "MANY_SYSTEMS",  # Systems above which tests of pairs are not stored.
    "BoardSample",
    "Content",  # Arrays and values that are stored, by name.
    "Slice",
    "scores_for",
    "stored_or_computed",
    "tests_of",
]
# The same words say how sure a difference is.
__all__ += [
    "FEW_DECIDE",  # The mark of systems that differ by a few units.
    "chance",
]
# Counts of single submissions are read as they are stored.
__all__ += ["counts_of_each", "key_of", "sent_test_sets"]
