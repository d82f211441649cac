"""Frozen boards: their bytes, their hash, and the row that an address names."""

# A frozen board is cited by its hash, so that its bytes have one form.
from leaderboard.boards.snapshots import address_of, canonical, plain, snapshot_or_404
