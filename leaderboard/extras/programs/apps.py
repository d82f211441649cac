"""The extra that runs scoring programs of organizers."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class RunsPrograms(extras.Extra):
    name = "leaderboard.extras.programs"
    urls = "leaderboard.extras.programs.urls"
    points = (
        extras.ProgramRunner(
            f"{name}.runs.RUNNER",
            checks=f"{name}.check.checked",
            mendable=("program",),
            requires=f"{name}.rights.require_right",
            warns=f"{name}.look.warning_of",
            limits=f"{name}.runs.limits",
            route="organize-program",
        ),
        extras.OrganizerTab(
            "scoring",
            _("Scoring program"),
            "organize-program",
            "EDIT",
            is_there=f"{name}.pages.is_run_for",
        ),
        extras.DashboardStep(
            _("Fix the scoring program"),
            _("It failed on submissions, and their teams wait."),
            "organize-program",
            is_there=f"{name}.pages.failed_for",
        ),
        extras.SubmissionPart("programs/_printed.html", make=f"{name}.runs.shown_runs"),
    )
