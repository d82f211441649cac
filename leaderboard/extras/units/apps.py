"""The extra that shows organizers what a test set and its units are worth."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import BoardLink, Extra, OrganizerTab


class UnitsExtra(Extra):
    name = "leaderboard.extras.units"
    urls = "leaderboard.extras.units.urls"
    points = (
        OrganizerTab("results", _("Units of the test sets"), "organize-items", "SEE"),
        BoardLink(
            _("What this board can distinguish"),
            "separation",
            power="SEE",
        ),
    )
