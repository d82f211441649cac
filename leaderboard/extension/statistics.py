"""Statistics of a board: its sample of units, and what is computed once and stored."""

# An extra computes on the sample of the board, and stores what takes long.
from leaderboard.results.board_sample import (
    MANY_SYSTEMS,  # Systems above which tests of pairs are not stored.
    BoardSample,
    Slice,
    tests_of,
)
from leaderboard.results.scores import scores_for
from leaderboard.results.stored_statistics import (
    Content,  # Arrays and values that are stored, by name.
    stored_or_computed,
)

# The same words say how sure a difference is.
from leaderboard.results.scores import (
    FEW_DECIDE,  # The mark of systems that differ by a few units.
    chance,
)

# Counts of single submissions are read as they are stored.
from leaderboard.results.stored_counts import counts_of_each, key_of, sent_test_sets
