"""The extra that shows organizers what a test set and its units are worth."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class UnitsExtra(extras.Extra):
    name = "leaderboard.extras.units"
    urls = "leaderboard.extras.units.urls"
    points = (
        extras.OrganizerTab(
            "results", _("Units of the test sets"), "organize-items", "SEE"
        ),
        extras.BoardLink(
            _("What this board can distinguish"),
            "separation",
            sees=f"{name}.separation.may_see",
        ),
    )
