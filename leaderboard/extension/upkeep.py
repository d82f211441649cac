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

__all__ = [
    "DIGEST",  # The pattern of a hash.
    "DIGEST_FIELD",  # The pattern of a hash field's name.
    "BackupRun",
    "Lease",
    "Redaction",
    "delete_draft",
    "personal_rows",
    "put_back_after_restoration",
    "referenced_digests",
    "scrub",
    "try_lock",
    "unmistakable",
]
