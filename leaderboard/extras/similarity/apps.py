"""The extra that lists submissions that look like probing: the probe report."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Similarity(extras.Extra):
    name = "leaderboard.extras.similarity"
    urls = "leaderboard.extras.similarity.urls"
    points = (
        extras.OrganizerTab("records", _("Probe report"), "organize-probes", "SEE"),
    )
