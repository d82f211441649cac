"""The extra that compares systems of a board with each other."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class ComparisonExtra(extras.Extra):
    name = "leaderboard.extras.comparison"
    urls = "leaderboard.extras.comparison.urls"
    points = (
        extras.SystemsPage(_("Compare"), _("Compare with the one above"), "compare"),
        extras.BoardCharts(f"{name}.contest"),
        extras.SystemPart(
            "comparison/_rank_shares.html", f"{name}.system.rank_shares", "scores"
        ),
        extras.SystemPart("comparison/_system_compare.html", f"{name}.system.rivals"),
    )
