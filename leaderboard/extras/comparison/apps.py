"""The extra that compares systems of a board with each other."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import BoardCharts, Extra, PagePart, SystemsPage


class ComparisonExtra(Extra):
    name = "leaderboard.extras.comparison"
    urls = "leaderboard.extras.comparison.urls"
    points = (
        SystemsPage(_("Compare"), _("Compare with the one above"), "compare"),
        BoardCharts(f"{name}.contest"),
        PagePart(
            "comparison/_rank_shares.html", f"{name}.system.rank_shares", "scores"
        ),
        PagePart("comparison/_system_compare.html", f"{name}.system.rivals"),
    )
