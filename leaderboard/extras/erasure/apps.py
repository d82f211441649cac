"""The extra by which a person gets a copy of their data, or has them deleted."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Erasure(extras.Extra):
    name = "leaderboard.extras.erasure"
    urls = "leaderboard.extras.erasure.urls"
    english = ("own-data-file",)
    points = (
        extras.AccountLine(
            _("Your data"), _("Download it, or delete the account"), "own-data"
        ),
    )
