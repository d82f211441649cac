"""The extra by which organizers oversee what was sent: a list of all submissions, acts
on many of them or of teams at once, two teams made one, and failures by cause."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import Extra, Link, OrganizerTab


class Oversight(Extra):
    name = "leaderboard.extras.oversight"
    label = "oversight"
    urls = "leaderboard.extras.oversight.urls"
    points = (
        OrganizerTab("results", _("Submissions"), "organize-submissions", "SEE"),
        OrganizerTab("people", _("Merge two teams"), "organize-merge", "PEOPLE"),
        OrganizerTab("people", _("Many teams at once"), "organize-decisions", "PEOPLE"),
        OrganizerTab("records", _("Failures"), "organize-failures", "SEE"),
        Link(
            "step",
            _("Admit late uploads, or leave them"),
            _("Those that came after the end are not scored until you admit them."),
            "organize-submissions",
            is_there=f"{name}.acts.has_late",
        ),
    )

    def ready(self) -> None:
        from leaderboard.extension.events import upload_refused
        from leaderboard.extras.oversight.failures import keep

        super().ready()
        if self.joins:
            upload_refused.connect(keep)
