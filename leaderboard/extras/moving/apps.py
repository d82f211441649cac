"""The extra for tasks that move here: their bundles, and what was sent to them."""

from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, Importer, Link, OrganizerTab


class Moving(Extra):
    name = "leaderboard.extras.moving"
    urls = "leaderboard.extras.moving.urls"
    needs: ClassVar = {"programs": "Bundles of other sites bring programs along."}
    points = (
        Importer(
            "moving/_accepted.html",
            recognizes="leaderboard.extras.moving.conversion.manifest_name",
            converts="leaderboard.extras.moving.conversion.convert",
            creates="leaderboard.extras.moving.drafts.create",
            route="organize-import-report",
        ),
        Link(
            "step",
            _("Read the import report"),
            _("Not everything of the other site's bundle was taken."),
            "organize-import-report",
            is_there="leaderboard.extras.moving.drafts.has_report",
        ),
        OrganizerTab(
            "records", _("Past submissions"), "organize-past-submissions", "EDIT"
        ),
    )
