"""The extra that looks at several measures at once, and at costs."""

from django.utils.translation import gettext_lazy as _

from leaderboard.web import extras


class Criteria(extras.Extra):
    name = "leaderboard.extras.criteria"
    label = "criteria"
    urls = "leaderboard.extras.criteria.urls"
    english = ("combined-csv", "front-csv", "linked-csv")
    points = (
        extras.BundleKey(
            "combinations",
            f"{name}.bundle.CombinationPlan",
            f"{name}.bundle.declared",
            f"{name}.bundle.write",
            f"{name}.bundle.blockers",
        ),
        extras.BundleKey(
            "series",
            f"{name}.series.SeriesPlan",
            f"{name}.series.declared",
            f"{name}.series.write",
            f"{name}.bundle.blockers",
        ),
        extras.OrganizerTab(
            "results", _("Series of phases"), "organize-series", "EDIT"
        ),
        extras.BoardLink(
            _("The series on one scale"), "linked", f"{name}.series.is_in_one"
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
        watched = ("task_id", {})
        changes.watch("criteria", {"Combination": watched, "Series": watched})
