"""The extra that signs what the site gives out, and keeps a record of rows."""

from typing import Any

from django.db import connections
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    ArchiveSeal,
    Extra,
    Link,
    PeriodicJob,
    SubmissionLink,
)


class Signatures(Extra):
    name = "leaderboard.extras.signatures"
    label = "signatures"
    urls = "leaderboard.extras.signatures.urls"
    english = (
        *("published-keys", "record-head", "record-entries", "record-proof"),
        *("submission-receipts", "signed-snapshot"),
    )
    points = (
        PeriodicJob("record of rows", "signatures.record", 60),
        ArchiveSeal(f"{name}.seal.archive_files", f"{name}.seal.seal"),
        SubmissionLink(
            _("Signed receipts (zip)"),
            "submission-receipts",
            f"{name}.views.has_receipts",
        ),
        Link(
            "snapshot",
            _("Signed (zip)"),
            _("The same bytes, signed by this site: plumbline verify checks them."),
            "signed-snapshot",
        ),
        Link(
            "task",
            _("Record of rows (JSON lines)"),
            _("What became of each row of the boards, and why; signed."),
            "record-entries",
            f"{name}.record.is_kept_of",
        ),
    )

    def ready(self) -> None:
        super().ready()
        if self.joins:
            post_migrate.connect(make_first_key, sender=self)


def make_first_key(using: str, **_about: Any) -> None:
    """A site has its first key with its tables: whoever reads a page makes none."""
    from leaderboard.extras.signatures import keys
    from leaderboard.extras.signatures.models import SiteKey

    # Not while migrations take the tables away.
    if SiteKey._meta.db_table in connections[using].introspection.table_names():
        keys.ensure()
