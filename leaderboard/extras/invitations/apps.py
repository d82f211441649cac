"""The extra by which organizers invite people to take part, by a list of addresses."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, OrganizerTab, PeriodicJob


class Invitations(Extra):
    name = "leaderboard.extras.invitations"
    label = "invitations"
    urls = "leaderboard.extras.invitations.urls"
    points = (
        OrganizerTab("people", _("Invitations"), "organize-invitations", "PEOPLE"),
        PeriodicJob("old invitations", "invitations.clear", 24 * 3600),
    )

    def ready(self) -> None:
        from leaderboard.extras.invitations import mail  # noqa: F401  # its kind

        super().ready()
