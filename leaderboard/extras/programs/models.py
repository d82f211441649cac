"""Runs of scoring programs and of teams' code, and rules for that.

The table of the former is one of the app `submissions`, where programs began.
"""

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.extension.models import Evaluation, Phase, TestSet

# What the history calls the fields of a rule.
pgettext_lazy("history", "code rule")
pgettext_lazy("history", "seconds a day")
pgettext_lazy("history", "most megabytes")
pgettext_lazy("history", "show log")


class ProgramRun(models.Model):
    """A run of the task's scoring program on one file, kept for organizers.

    `output` is what it said, cut in the middle, and may quote gold; `public_output` is
    what the team may see of it. `problems` say why there is no result of it. The last
    attempt's.
    """

    evaluation = models.ForeignKey(
        Evaluation, models.CASCADE, related_name="program_runs"
    )
    test_set = models.ForeignKey(TestSet, models.PROTECT, related_name="+")
    run = models.PositiveSmallIntegerField(default=1)
    # Not of a blob that this row keeps: the program is an option of the task.
    program_hash = models.CharField(max_length=64, blank=True)
    seconds = models.FloatField(default=0)
    output = models.TextField(blank=True)
    public_output = models.TextField(default="", db_default="", blank=True)
    problems = models.JSONField(default=list, blank=True)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        app_label = "submissions"
        constraints = (
            models.UniqueConstraint(
                fields=["evaluation", "test_set", "run"], name="run_once"
            ),
        )
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"program run of {self.evaluation}"


class CodeRun(models.Model):
    """The first half of a run where teams send code: what of it the receipt says.

    `seconds` by the clock; `facts` are hashes of code, output and packages, the Python
    and the limits.
    """

    run = models.OneToOneField(ProgramRun, models.CASCADE, related_name="code")
    seconds = models.FloatField(default=0)
    facts = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"code of {self.run}"


class CodeRule(models.Model):
    """Limits of the code of teams in a phase; 0 is no limit."""

    MOST_SECONDS, MOST_MEGABYTES = 86_400, 10_000

    phase = models.OneToOneField(Phase, models.CASCADE, related_name="code_rule")
    seconds_a_day = models.PositiveIntegerField(
        _("Seconds for a team and day"),
        default=0,
        validators=[MaxValueValidator(MOST_SECONDS)],
        help_text=_("How long the code of a team may run in all; 0 for no limit."),
    )
    most_megabytes = models.PositiveIntegerField(
        _("Largest zip, in MB"),
        default=0,
        validators=[MaxValueValidator(MOST_MEGABYTES)],
        help_text=_("Code and weights together; 0 for the limit of this site."),
    )
    show_log = models.BooleanField(
        _("Show teams what their code prints"),
        default=False,
        help_text=_(
            "Only where the hidden input may be public: code can print all of it."
        ),
    )

    def __str__(self) -> str:
        return f"rule for code in {self.phase}"
