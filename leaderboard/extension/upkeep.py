"""Acts of operators: what is collected, taken away or put back. For the extras that do
these; others need none.
"""

from leaderboard.operations.garbage_collection import (
    DIGEST,
    DIGEST_FIELD,
    referenced_digests,
)
from leaderboard.operations.models import BackupRun
from leaderboard.operations.personal_rows import personal_rows
from leaderboard.operations.redaction import Redaction, scrub, unmistakable
from leaderboard.organize.task import delete_draft
from leaderboard.submissions.leases import Lease, put_back_after_restoration
from leaderboard.web.site_locks import try_lock

# A backup holds all files that rows name, and starts again from them.
__all__ = [
    "DIGEST",  # The pattern of a hash.
    "DIGEST_FIELD",  # The pattern of a hash field's name.
    "BackupRun",
    "put_back_after_restoration",
    "referenced_digests",
]
# Who is erased is taken out of the rows of all apps.
__all__ += ["Redaction", "personal_rows", "scrub", "unmistakable"]
# One process at a time holds a lock, or a run.
__all__ += ["Lease", "try_lock"]
# A task that an extra made for nothing is taken back whole.
__all__ += ["delete_draft"]
