"""Files that are kept under the digest of their bytes."""

from leaderboard.submissions.uploads import source_of
from leaderboard.tasks.blobs import StoreAway, hold, keep, place, read, stored_digests
from leaderboard.tasks.organizer_quota import OverQuota, require_room

__all__ = [
    "OverQuota",
    "StoreAway",
    "hold",
    "keep",
    "place",
    "read",
    "require_room",
    "source_of",
    "stored_digests",
]
