"""The extra that shows organizers the history of a task, which the core records."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, OrganizerTab


class HistoryExtra(Extra):
    name = "leaderboard.extras.history"
    urls = "leaderboard.extras.history.urls"
    points = (OrganizerTab("records", _("History"), "organize-history", "EDIT"),)
