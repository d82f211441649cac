"""The extra that takes in what organizers count elsewhere."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    ArchivePart,
    Extra,
    Link,
    OrganizerTab,
    OutsideCounts,
    SandboxJob,
    TaskFiles,
)


class TakesJudgements(Extra):
    name = "leaderboard.extras.judgements"
    urls = "leaderboard.extras.judgements.urls"
    points = (
        OutsideCounts(f"{name}.tables.KEPT"),
        OrganizerTab(
            "scoring",
            _("Judgements"),
            "organize-judgements",
            "EDIT",
            is_there=f"{name}.judgements.is_taken_by",
        ),
        Link(
            "step",
            _("Judge submissions"),
            _("Submissions wait for what you count elsewhere."),
            "organize-judgements",
            is_there=f"{name}.judgements.is_awaited_in",
        ),
        SandboxJob("judgements", f"{name}.table_check:judgements"),
        TaskFiles("submissions.JudgementTable", "submission__phase__task"),
        ArchivePart(
            _("the tables of judgements that scores came of"),
            first="judgements/list.csv",
            members=f"{name}.archive.members",
        ),
    )

    def ready(self) -> None:
        from leaderboard.extension import events
        from leaderboard.extras.judgements.models import WATCHED

        super().ready()
        events.watch("submissions", WATCHED)
