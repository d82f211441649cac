"""Files that are kept under the digest of their bytes."""

# Files of an extra lie beside the site's and count for the same quota.
from leaderboard.submissions.uploads import source_of
from leaderboard.tasks.blobs import StoreAway, keep, read
from leaderboard.tasks.organizer_quota import OverQuota, require_room

# A backup copies the stored files themselves.
from leaderboard.tasks.blobs import hold, place, stored_digests
