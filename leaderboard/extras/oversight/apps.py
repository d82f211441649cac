"""The extra by which organizers oversee what was sent: a list of all submissions, acts
on many of them or of teams at once, and failures by cause."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Oversight(extras.Extra):
    name = "leaderboard.extras.oversight"
    label = "oversight"
    urls = "leaderboard.extras.oversight.urls"
    points = (
        extras.OrganizerTab("results", _("Submissions"), "organize-submissions", "SEE"),
        extras.OrganizerTab(
            "people", _("Many teams at once"), "organize-decisions", "PEOPLE"
        ),
        extras.OrganizerTab("records", _("Failures"), "organize-failures", "SEE"),
    )

    def ready(self) -> None:
        from leaderboard.extras.oversight.failures import keep
        from leaderboard.submissions.accept import upload_refused

        super().ready()
        if self.joins:
            upload_refused.connect(keep)
