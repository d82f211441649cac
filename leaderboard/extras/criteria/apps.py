"""The extra that looks at several measures at once, and at costs."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import BoardLink, BundleKey, Extra, OrganizerTab


class Criteria(Extra):
    name = "leaderboard.extras.criteria"
    label = "criteria"
    urls = "leaderboard.extras.criteria.urls"
    english = ("combined-csv", "front-csv")
    points = (
        BundleKey(
            "combinations",
            f"{name}.bundle.CombinationPlan",
            f"{name}.bundle.declared_combinations",
            f"{name}.bundle.write",
            f"{name}.bundle.blockers",
        ),
        OrganizerTab(
            "results",
            _("Combinations of measures"),
            "organize-combinations",
            "EDIT",
        ),
        BoardLink(
            _("Several measures in one rank"),
            "combined",
            relation="combinations",
        ),
        BoardLink(_("Quality against cost"), "front", asks="number"),
    )

    def ready(self) -> None:
        from leaderboard.extension import events

        super().ready()
        events.watch("criteria", {"Combination": ("task_id", {})})
