"""Rules for the code of teams, hidden inputs, and runs of code.

Tables of rules and runs keep the names that they had in the extra `programs`.
"""

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.extension.models import Evaluation, Phase, TestSet

# What the history calls the fields of a rule and of an input.
pgettext_lazy("history", "code rule")
pgettext_lazy("history", "hidden input")
pgettext_lazy("history", "seconds a day")
pgettext_lazy("history", "most megabytes")
pgettext_lazy("history", "show log")


WATCHED: dict[str, tuple[str, dict[str, str]]] = {
    "CodeRule": ("phase__task_id", {}),
    "HiddenInput": ("test_set__task_id", {}),
}


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

    class Meta:
        db_table = "programs_coderule"

    def __str__(self) -> str:
        return f"rule for code in {self.phase}"


class HiddenInput(models.Model):
    """The input of a test set, which code reads and teams are not given. Without one
    it is the blind file."""

    test_set = models.OneToOneField(TestSet, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"hidden input of {self.test_set}"


class CodeRun(models.Model):
    """A run of a submission's code on the input of one test set, kept for organizers.

    `number` is that of the submitted file. `log` is what it printed, which may hold the
    input (the file with `input_sha256`), and so may its output, which is scored.
    Without that `problems` say why, in full. `facts` are for the receipt: hashes of
    code, output and packages, the Python and the limits.
    """

    # Rows of versions before, and of processes of such a version during an upgrade,
    # name the run of the scoring program that came after.
    program_run = models.OneToOneField(
        "submissions.ProgramRun",
        models.CASCADE,
        null=True,
        related_name="code",
        db_column="run_id",
    )
    evaluation = models.ForeignKey(
        Evaluation, models.CASCADE, null=True, related_name="code_runs"
    )
    test_set = models.ForeignKey(TestSet, models.PROTECT, null=True, related_name="+")
    number = models.PositiveSmallIntegerField(default=1, db_default=1)
    seconds = models.FloatField(default=0)
    facts = models.JSONField(default=dict)
    input_sha256 = models.CharField(max_length=64, default="", db_default="")
    output_name = models.CharField(max_length=200, default="", db_default="")
    output_sha256 = models.CharField(max_length=64, default="", db_default="")
    output_size = models.PositiveBigIntegerField(default=0, db_default=0)
    log = models.TextField(default="", db_default="")
    problems = models.JSONField(default=list, db_default=[])
    at = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "programs_coderun"
        constraints = (
            models.UniqueConstraint(
                fields=["evaluation", "test_set", "number"], name="code_ran_once"
            ),
        )

    def __str__(self) -> str:
        return f"code of {self.evaluation or self.program_run}"
