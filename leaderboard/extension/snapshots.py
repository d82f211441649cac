"""Frozen boards: their bytes, their hash, and the row that an address names."""

from leaderboard.boards.snapshots import address_of, canonical, plain, snapshot_or_404

# A frozen board is cited by its hash, so that its bytes have one form.
__all__ = ["address_of", "canonical", "plain", "snapshot_or_404"]
