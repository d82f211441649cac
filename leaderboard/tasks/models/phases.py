"""Phases: what is open when, and who sees which number."""

import secrets
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks import phase_rules
from leaderboard.tasks.local_time import time_zones
from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.tasks.models.people import Participation
from leaderboard.tasks.models.task import GoldRevision, Task, TestSet
from leaderboard.teams.models import User


def check_time_zone(name: str) -> None:
    """Raises ValidationError for a name that is not in the time zone database."""
    if name not in time_zones():
        raise ValidationError(_("There is no time zone “%(name)s”.") % {"name": name})


class PhaseQuerySet(AuditedQuerySet):
    def touch_boards(self) -> int:
        """Let everything cached of these phases' boards be made anew."""
        return self.update(board_version=models.F("board_version") + 1)


class Phase(models.Model):
    """A dated stage of a task with the test sets it scores on.

    `policy`, `reveal_at`, `freeze_from`, `publication`, `step` and `private_share` say
    what is shown of scores; only `leaderboard.tasks.policy` interprets them. `step` is
    in standard errors of the score for the ladder and in score points (shares times
    100) for the grid. `salt` makes the private part secret.
    """

    class Policy(models.TextChoices):
        OPEN = "open", _("Scores are public at once")
        BEST = "best", _("Only the best entry of each team is shown")
        BLIND = "blind", _("Nothing but receipt is shown before a date")

    class Publication(models.TextChoices):
        EXACT = "exact", _("As computed")
        GRID = "grid", _("Rounded to a grid")
        LADDER = "ladder", _("Only clear improvements, rounded to their step")

    class Who(models.TextChoices):
        PARTICIPANTS = "participants", _("Every team that takes part")
        CHOSEN = "chosen", _("Teams chosen by the organizers")
        ORGANIZERS = "organizers", _("Organizers only")

    class CountingRule(models.TextChoices):
        BEST = "best", _("The best submission of each team")
        LAST = "last", _("The last submission of each team")
        CHOSEN = "chosen", _("The submission that the team chose, else its last")

    task = models.ForeignKey(Task, models.CASCADE, related_name="phases")
    name = models.SlugField(
        _("Name in addresses"),
        max_length=40,
        help_text=_(
            "Short, lower case, as in the address of its board. It stays once "
            "something was sent."
        ),
    )
    title = models.CharField(
        _("Title"),
        max_length=120,
        help_text=_("As participants read it, for example “Test phase”."),
    )
    position = models.PositiveSmallIntegerField(default=0)
    time_zone = models.CharField(
        _("Time zone"),
        max_length=60,
        default="UTC",
        validators=[check_time_zone],
        help_text=_(
            "A day of the quota begins at midnight here; days on which the "
            "clocks change have 23 or 25 hours."
        ),
    )
    opens = models.DateTimeField(_("Opens"))
    closes = models.DateTimeField(
        _("Closes"),
        null=True,
        blank=True,
        help_text=_("Empty is no end. Later uploads are kept as late and not scored."),
    )
    policy = models.CharField(
        _("Scores"),
        max_length=20,
        choices=Policy,
        default=Policy.OPEN,
        help_text=_(
            "Everything at once lets teams learn fastest. Only the best hides how "
            "often others tried. Blind tells a team that its file was received and "
            "is valid, nothing else."
        ),
    )
    reveal_at = models.DateTimeField(
        _("Everything is revealed"),
        null=True,
        blank=True,
        help_text=_(
            "When all that is withheld is shown, exact scores and the private part "
            "with it. Empty: when the phase closes."
        ),
    )
    freeze_from = models.DateTimeField(
        _("The board stands still from"),
        null=True,
        blank=True,
        help_text=_(
            "Until the reveal the board does not change; teams still see their own "
            "scores. Empty is no freeze."
        ),
    )
    publication = models.CharField(
        _("How exactly scores are shown"),
        max_length=20,
        choices=Publication,
        default=Publication.EXACT,
        help_text=_(
            "Exact scores help honest teams and those who probe alike. A grid "
            "rounds scores and intervals. A ladder publishes a new score only "
            "when it is clearly better than the team’s last."
        ),
    )
    step = models.FloatField(
        _("Step"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0001)],
        help_text=_(
            "Of a grid in score points (0.5 shows 71.3 as 71.5). Of a ladder in "
            "standard errors of the score; empty is 1."
        ),
    )
    private_share = models.FloatField(
        _("Private share"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.1), MaxValueValidator(0.9)],
        help_text=_(
            "The share of units, from 0.1 to 0.9, that decides the final "
            "ranking and that nobody knows. Until the reveal all scores "
            "come from the rest. 0.5 to 0.7 is usual; empty is no split."
        ),
    )
    salt = models.CharField(
        max_length=32, editable=False, default=partial(secrets.token_hex, 16)
    )
    counts = models.CharField(
        _("Which submission counts"),
        max_length=20,
        choices=CountingRule,
        default=CountingRule.BEST,
        help_text=_(
            "Best: teams may try freely. Last: teams decide by what they send at "
            "the end. Chosen: teams mark one on its page."
        ),
    )
    daily_limit = models.PositiveIntegerField(
        _("Attempts a day"),
        null=True,
        blank=True,
        help_text=_(
            "How many a team and a person may send each day; empty is no limit."
        ),
    )
    total_limit = models.PositiveIntegerField(
        _("Attempts in all"),
        null=True,
        blank=True,
        help_text=_(
            "How many over the whole phase; empty is no limit. Thirty is "
            "usual for a test phase."
        ),
    )
    most_runs = models.PositiveSmallIntegerField(
        _("Runs of one entry"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(10)],
        help_text=_(
            "An entry may hold so many runs of one system, from several seeds "
            "say, and shows their mean. 1 is one run, 10 the most."
        ),
    )
    who = models.CharField(
        _("Open to"),
        max_length=20,
        choices=Who,
        default=Who.PARTICIPANTS,
        help_text=_(
            "Organizers may always send pilots. Others see the phase and its board "
            "but cannot submit."
        ),
    )
    chosen = models.ManyToManyField(
        Participation,
        blank=True,
        related_name="+",
        verbose_name=_("Chosen teams"),
        help_text=_(
            "Only asked where teams are chosen. Nobody can submit until you choose one."
        ),
    )
    paused = models.BooleanField(default=False)
    paused_note = models.CharField(max_length=300, blank=True)
    test_sets = models.ManyToManyField(
        TestSet,
        related_name="phases",
        verbose_name=_("Test sets"),
        help_text=_("Teams send one file for each. A file that is missing counts 0."),
    )
    gold_revision = models.ForeignKey(GoldRevision, models.PROTECT, related_name="+")
    board_version = models.PositiveIntegerField(default=0)
    declared_at = models.DateTimeField(null=True, blank=True)
    declared_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = PhaseQuerySet.as_manager()

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="phase_name"),
        )

    def __str__(self) -> str:
        return f"{self.task}: {self.title}"

    def clean(self) -> None:
        """Raises ValidationError; without asking the database."""
        phase_rules.check(self)

    def state(self, moment: Any = None) -> str:
        """upcoming, open or over."""
        moment = moment or timezone.now()
        if moment < self.opens:
            return "upcoming"
        return "over" if self.closes and moment >= self.closes else "open"

    @property
    def zone(self) -> ZoneInfo:
        """Where its days begin and its times are written."""
        return ZoneInfo(self.time_zone)
