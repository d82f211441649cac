"""The extra that draws what a board is made of: time, facts, slices and test sets."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    BoardCharts,
    BoardLink,
    Extra,
    PagePart,
)


class Diagnostics(Extra):
    name = "leaderboard.extras.diagnostics"
    urls = "leaderboard.extras.diagnostics.urls"
    points = (
        BoardCharts(f"{name}.charts"),
        BoardLink(
            _("Over the test sets"),
            "across",
            of_measure=True,
            spans=True,
        ),
        PagePart("diagnostics/_system_sources.html", f"{name}.system.sources"),
        PagePart("diagnostics/_system_slices.html", f"{name}.system.slices"),
        PagePart("diagnostics/_system_curve.html", f"{name}.system.curve", "below"),
        PagePart("diagnostics/_opened_slices.html", f"{name}.system.slices", "row"),
    )
