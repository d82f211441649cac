"""The extra that brings along what was sent to another site."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Moving(extras.Extra):
    name = "leaderboard.extras.moving"
    urls = "leaderboard.extras.moving.urls"
    points = (
        extras.OrganizerTab(
            "records", _("Past submissions"), "organize-past-submissions", "EDIT"
        ),
    )
