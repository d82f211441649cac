"""The extra by which a person gets a copy of their data, or has them deleted."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, Link


class Erasure(Extra):
    name = "leaderboard.extras.erasure"
    urls = "leaderboard.extras.erasure.urls"
    english = ("own-data-file",)
    points = (
        Link(
            "account",
            _("Your data"),
            _("Download it, or delete the account"),
            "own-data",
        ),
    )
