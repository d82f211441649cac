"""Combinations of measures that organizers declare."""

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.extension.models import OrderedPart, Task, check_display_name

# What the history calls the fields of a combination.
pgettext_lazy("history", "weights")
pgettext_lazy("history", "way")


class Combination(OrderedPart):
    """Measures of a task in one number; `weights` are those of the `measures`, none
    where all weigh the same."""

    MOST = 12

    class Way(models.TextChoices):
        RANKS = "ranks", _("Mean of ranks")
        BORDA = "borda", _("Borda count")
        Z = "z", _("Mean of z-scores")
        MIN_MAX = "min-max", _("Mean from worst (0) to best (1)")
        MEAN = "mean", _("Mean of the measures as they are")

    task = models.ForeignKey(Task, models.CASCADE, related_name="combinations")
    title = models.CharField(
        _("Title"), max_length=120, validators=[check_display_name]
    )
    way = models.CharField(
        _("Way to combine"), max_length=10, choices=Way, default=Way.RANKS
    )
    measures = models.JSONField(_("Measures"), default=list)
    weights = models.JSONField(_("Weights"), default=list, blank=True)

    class Meta(OrderedPart.Meta):
        verbose_name = _("combination of measures")
        verbose_name_plural = _("combinations of measures")

    @property
    def shares(self) -> list[float]:
        """The weight of each measure."""
        return self.weights or [1.0] * len(self.measures)
