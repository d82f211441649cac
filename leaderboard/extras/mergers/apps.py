"""The extra by which two teams of a task become one: teams agree, organizers merge."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Mergers(extras.Extra):
    name = "leaderboard.extras.mergers"
    label = "mergers"
    urls = "leaderboard.extras.mergers.urls"
    points = (
        extras.OrganizerTab("people", _("Merge two teams"), "organize-merge", "PEOPLE"),
        extras.TeamPart("mergers/_proposals.html", make=f"{name}.pages.proposals_of"),
    )
