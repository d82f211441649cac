"""The extra that compares test sets with other texts, and marks them by a canary."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Contamination(extras.Extra):
    name = "leaderboard.extras.contamination"
    label = "contamination"
    urls = f"{name}.urls"
    english = ("organize-overlap-units",)
    points = (
        extras.OrganizerTab(
            "scoring", _("Overlap with other texts"), "organize-overlap", "EDIT"
        ),
        extras.SandboxJob("overlap", f"{name}.job:compare"),
        extras.PublishedNote(f"{name}.canary.sentences"),
    )
