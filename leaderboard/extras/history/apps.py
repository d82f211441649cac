"""The extra that shows organizers the history of a task, which the core records."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class HistoryExtra(extras.Extra):
    name = "leaderboard.extras.history"
    urls = "leaderboard.extras.history.urls"
    points = (extras.OrganizerTab("records", _("History"), "organize-history", "EDIT"),)
