"""The extra that takes in what organizers count elsewhere."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class TakesJudgements(extras.Extra):
    name = "leaderboard.extras.judgements"
    urls = "leaderboard.extras.judgements.urls"
    points = (
        extras.OutsideCounts(f"{name}.tables.KEPT"),
        extras.OrganizerTab(
            "scoring",
            _("Judgements"),
            "organize-judgements",
            "EDIT",
            is_there=f"{name}.judgements.is_taken_by",
        ),
        extras.DashboardStep(
            _("Judge submissions"),
            _("Submissions wait for what you count elsewhere."),
            "organize-judgements",
            is_there=f"{name}.judgements.is_awaited_in",
        ),
        extras.SandboxJob("judgements", f"{name}.table_check:judgements"),
        extras.TaskFiles("submissions.JudgementTable", "submission__phase__task"),
        extras.ArchivePart(
            _("the tables of judgements that scores came of"),
            first="judgements/list.csv",
            members=f"{name}.archive.members",
        ),
    )

    def ready(self) -> None:
        from leaderboard.extras.judgements.models import WATCHED
        from leaderboard.tasks.models import changes

        super().ready()
        changes.watch("submissions", WATCHED)
