"""The extra by which organizers make two teams of a task one."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, OrganizerTab


class Mergers(Extra):
    name = "leaderboard.extras.mergers"
    label = "mergers"
    urls = "leaderboard.extras.mergers.urls"
    points = (OrganizerTab("people", _("Merge two teams"), "organize-merge", "PEOPLE"),)
