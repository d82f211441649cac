"""The extra that runs scoring programs of organizers."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    BundleKey,
    DashboardStep,
    Extra,
    OrganizerTab,
    ProgramRunner,
    SubmissionPart,
    UploadRule,
)


class RunsPrograms(Extra):
    name = "leaderboard.extras.programs"
    label = "programs"
    urls = "leaderboard.extras.programs.urls"
    points = (
        ProgramRunner(
            f"{name}.runs.RUNNER",
            checks=f"{name}.check.checked",
            mendable=("program",),
            requires=f"{name}.rights.require_right",
            warns=f"{name}.look.warning_of",
            limits=f"{name}.runs.limits",
            route="organize-program",
        ),
        OrganizerTab(
            "scoring",
            _("Scoring program"),
            "organize-program",
            "EDIT",
            is_there=f"{name}.pages.is_run_for",
        ),
        DashboardStep(
            _("Fix the scoring program"),
            _("It failed on submissions, and their teams wait."),
            "organize-program",
            is_there=f"{name}.pages.failed_for",
        ),
        SubmissionPart("programs/_printed.html", make=f"{name}.runs.shown_runs"),
        SubmissionPart("programs/_log.html", make=f"{name}.runs.shown_logs"),
        UploadRule(f"{name}.rules.refusal_of"),
        BundleKey(
            "code_rules",
            f"{name}.rules.CodeRulePlan",
            f"{name}.rules.plans_of",
            f"{name}.rules.write",
            f"{name}.rules.blockers",
        ),
    )

    def ready(self) -> None:
        from leaderboard.extension import events

        super().ready()
        events.watch("programs", {"CodeRule": ("phase__task_id", {})})
