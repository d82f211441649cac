"""The extra that runs scoring programs of organizers."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    Extra,
    Link,
    OrganizerTab,
    PagePart,
    ProgramRunner,
)


class RunsPrograms(Extra):
    name = "leaderboard.extras.programs"
    label = "programs"
    urls = "leaderboard.extras.programs.urls"
    points = (
        ProgramRunner(
            f"{name}.runs.RUNNER",
            checks=f"{name}.check.check_program",
            mendable=("program",),
            requires=f"{name}.rights.require_right",
            warns=f"{name}.look.warning_of",
            limits="leaderboard.extension.programs.run_limits",
            route="organize-program",
        ),
        OrganizerTab(
            "scoring",
            _("Scoring program"),
            "organize-program",
            "EDIT",
            is_there=f"{name}.pages.is_run_for",
        ),
        Link(
            "step",
            _("Fix the scoring program"),
            _("It failed on submissions, and their teams wait."),
            "organize-program",
            is_there=f"{name}.pages.failed_for",
        ),
        PagePart(
            "programs/_printed.html", make=f"{name}.runs.shown_runs", place="submission"
        ),
    )
