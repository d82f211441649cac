"""The extra by which organizers make two teams of a task one."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Mergers(extras.Extra):
    name = "leaderboard.extras.mergers"
    label = "mergers"
    urls = "leaderboard.extras.mergers.urls"
    points = (
        extras.OrganizerTab("people", _("Merge two teams"), "organize-merge", "PEOPLE"),
    )
