"""The extra that looks at several measures at once, and at costs."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Criteria(extras.Extra):
    name = "leaderboard.extras.criteria"
    label = "criteria"
    urls = "leaderboard.extras.criteria.urls"
    english = ("combined-csv", "front-csv")
    points = (
        extras.BundleKey(
            "combinations",
            f"{name}.bundle.CombinationPlan",
            f"{name}.bundle.declared",
            f"{name}.bundle.write",
            f"{name}.bundle.blockers",
        ),
        extras.OrganizerTab(
            "results",
            _("Combinations of measures"),
            "organize-combinations",
            "EDIT",
        ),
        extras.BoardLink(
            _("Several measures in one rank"),
            "combined",
            f"{name}.bundle.has_any",
        ),
        extras.BoardLink(
            _("Quality against cost"), "front", f"{name}.cost.has_numbers"
        ),
    )

    def ready(self) -> None:
        from leaderboard.tasks.models import changes

        super().ready()
        changes.watch("criteria", {"Combination": ("task_id", {})})
