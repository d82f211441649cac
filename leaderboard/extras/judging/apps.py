"""The extra by which people judge on the site."""

from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    ArchivePart,
    BoardNote,
    BundleKey,
    DemoPart,
    Extra,
    OrganizerTab,
    PersonalRows,
)


class Judging(Extra):
    name = "leaderboard.extras.judging"
    label = "judging"
    urls = "leaderboard.extras.judging.urls"
    english = ("organize-campaign-votes",)
    needs: ClassVar = {"judgements": "Votes become a table of judgements."}
    points = (
        BundleKey(
            "judging",
            "leaderboard.extras.judging.bundle.CampaignPlan",
            "leaderboard.extras.judging.bundle.declared_campaigns",
            "leaderboard.extras.judging.bundle.write",
            "leaderboard.extras.judging.bundle.blockers",
        ),
        BoardNote("leaderboard.extras.judging.board_note.sentences"),
        ArchivePart(
            _("every vote of people who judged"),
            first="votes/list.csv",
            members="leaderboard.extras.judging.export.members",
        ),
        DemoPart("leaderboard.extras.judging.demo.load"),
        OrganizerTab("scoring", _("People judge"), "organize-campaigns", "EDIT"),
        PersonalRows(
            "judging", "judging.JudgeAccount", ("judge__campaign__title", "began_at")
        ),
        PersonalRows(
            "judge models",
            "judging.JudgeModels",
            ("campaign__title", "asked_at", "allowed_at"),
        ),
    )

    def ready(self) -> None:
        from django.db.models.signals import pre_delete

        from leaderboard.extension import events

        super().ready()
        numbers = ("votes", "judges", "left_out", "by_models", "own_teams")
        published = ["published_at", *(f"published_{name}" for name in numbers)]
        left_out_fields = {
            "token": "lets whoever reads it judge",
            "known": "as gold, which judges do not see",
            **dict.fromkeys(published, "stands on the board"),
        }
        events.watch("judging", {"Campaign": ("phase.task_id", left_out_fields)})
        path = "campaign.phase.task_id"
        decisions = ("excluded_at", "excluded_by", "excluded_why")
        judge = self.get_model("Judge")
        fields = [field.name for field in judge._meta.concrete_fields]
        left_out = dict.fromkeys(
            set(fields) - {*decisions}, "no decision of an organizer"
        )
        # Whoever begins to judge is no organizer, and stands in no history.
        events.watch("judging", {"Judge": (path, left_out)}, making=False)
        accounts = self.get_model("JudgeAccount")
        pre_delete.connect(_account_goes, sender=accounts)


def _account_goes(instance: Any, **_more: Any) -> None:
    from leaderboard.extras.judging import own_teams

    own_teams.keep(instance)
