"""Frozen boards: their bytes, their hash, and the row that an address names."""

from leaderboard.boards.exports.table import of_snapshot
from leaderboard.boards.snapshots import address_of, canonical, plain, snapshot_or_404

__all__ = [
    "address_of",
    "canonical",
    "of_snapshot",
    "plain",
    "snapshot_or_404",
]
