"""The extra that shows unit by unit what is wrong in a file: the error browser."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, SubmissionLink, UnitPage


class Errors(Extra):
    name = "leaderboard.extras.errors"
    urls = "leaderboard.extras.errors.urls"
    points = (
        SubmissionLink(
            _("Errors"),
            "errors",
            f"{name}.views.sees_errors",
            _("Where the score is lost"),
            "losses",
        ),
        UnitPage("error-unit"),
    )
