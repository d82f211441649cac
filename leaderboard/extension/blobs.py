"""Files that are kept under the digest of their bytes."""

from leaderboard.submissions.uploads import source_of
from leaderboard.tasks.blobs import hold, keep, place, read, stored_digests
from leaderboard.tasks.organizer_quota import OverQuota, require_room

# Files of an extra lie beside the site's and count for the same quota.
__all__ = ["OverQuota", "keep", "read", "require_room", "source_of"]
# A backup copies the stored files themselves.
__all__ += ["hold", "place", "stored_digests"]
