"""The extra that writes what an overview paper needs of a task's boards: the kit."""

from typing import ClassVar

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    ChartFile,
    Extra,
    Link,
    OrganizerTab,
    SandboxJob,
)


class Paper(Extra):
    name = "leaderboard.extras.paper"
    urls = "leaderboard.extras.paper.urls"
    english = ("task-paper-kit", "paper-kit", "paper-kit-file", "api-pairs")
    needs: ClassVar = {
        "comparison": "The kit tests pairs as its page does.",
        "publishing": "The kit has its LaTeX and BibTeX.",
    }
    points = (
        ChartFile(_("Save as PDF"), "pdf", "chart-pdf", f"{name}.pdf.letters_lacking"),
        SandboxJob("figure", f"{name}.figure_page:figure"),
        OrganizerTab("results", _("Kit for the paper"), "organize-paper", "SEE"),
        Link(
            "task",
            _("Kit for the overview paper (zip)"),
            _(
                "Tables of systems and test sets, tests of all pairs, teams, "
                "citations and figures, for LaTeX and as CSV."
            ),
            "task-paper-kit",
            f"{name}.views.has_board",
        ),
    )
