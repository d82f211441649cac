"""The extra that draws what a board is made of: time, facts, slices and test sets."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Diagnostics(extras.Extra):
    name = "leaderboard.extras.diagnostics"
    urls = "leaderboard.extras.diagnostics.urls"
    points = (
        extras.BoardCharts(f"{name}.charts"),
        extras.BoardLink(
            _("Over the test sets"),
            "across",
            sees=f"{name}.correlation.may_see",
            of_measure=True,
        ),
        extras.SystemPart("diagnostics/_system_sources.html", f"{name}.system.sources"),
        extras.SystemPart("diagnostics/_system_slices.html", f"{name}.system.slices"),
        extras.SystemPart(
            "diagnostics/_system_curve.html", f"{name}.system.curve", "below"
        ),
        extras.OpenedPart("diagnostics/_opened_slices.html", f"{name}.system.slices"),
    )
