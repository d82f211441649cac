"""The extra that writes all that is shown of a task into one zip: the archive."""

from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, Link, OrganizerTab


class ArchiveExtra(Extra):
    name = "leaderboard.extras.archive"
    urls = "leaderboard.extras.archive.urls"
    english = ("task-archive",)
    needs: ClassVar = {"publishing": "The archive shows its pictures of boards."}
    points = (
        OrganizerTab("results", _("Archive"), "organize-archive", "EDIT"),
        Link(
            "task",
            _("Archive of the task (zip)"),
            _(
                "Boards with pictures and every export, receipts, rules and log; it "
                "needs no network."
            ),
            "task-archive",
            f"{name}.download.is_published",
        ),
    )
