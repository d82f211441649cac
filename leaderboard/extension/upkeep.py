"""Acts of operators: what is collected, taken away or put back. For the extras that do
these; others need none.
"""

# A backup holds all files that rows name, and starts again from them.
from leaderboard.operations.garbage_collection import (
    DIGEST,  # The pattern of a hash.
    DIGEST_FIELD,  # The pattern of a hash field's name.
    referenced_digests,
)
from leaderboard.operations.models import BackupRun
from leaderboard.submissions.leases import put_back_after_restoration

# Who is erased is taken out of the rows of all apps.
from leaderboard.operations.personal_rows import personal_rows
from leaderboard.operations.redaction import Redaction, scrub, unmistakable

# One process at a time holds a lock, or a run.
from leaderboard.submissions.leases import Lease
from leaderboard.web.site_locks import try_lock

# A task that an extra made for nothing is taken back whole.
from leaderboard.organize.task import delete_draft
