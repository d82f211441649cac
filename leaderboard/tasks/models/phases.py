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
from leaderboard.tasks.models.gold import GoldRevision, TestSet
from leaderboard.tasks.models.people import Participation
from leaderboard.tasks.models.task import Task
from leaderboard.teams.models import User


def check_time_zone(name: str) -> None:
    """Raises ValidationError for a name that is not in the time zone database."""
    if name not in time_zones():
        raise ValidationError(_("There is no time zone “%(name)s”.") % {"name": name})


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

    class Counts(models.TextChoices):
        BEST = "best", _("The best submission of each team")
        LAST = "last", _("The last submission of each team")
        CHOSEN = "chosen", _("The submission that the team chose, else its last")

    task = models.ForeignKey(Task, models.CASCADE, related_name="phases")
    name = models.SlugField(max_length=40)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    opens = models.DateTimeField()
    closes = models.DateTimeField(null=True, blank=True)
    time_zone = models.CharField(
        max_length=60, default="UTC", validators=[check_time_zone]
    )
    policy = models.CharField(max_length=20, choices=Policy, default=Policy.OPEN)
    reveal_at = models.DateTimeField(null=True, blank=True)
    freeze_from = models.DateTimeField(null=True, blank=True)
    publication = models.CharField(
        max_length=20, choices=Publication, default=Publication.EXACT
    )
    step = models.FloatField(
        null=True, blank=True, validators=[MinValueValidator(0.0001)]
    )
    private_share = models.FloatField(
        null=True,
        blank=True,
        validators=[MinValueValidator(0.1), MaxValueValidator(0.9)],
    )
    salt = models.CharField(
        max_length=32, editable=False, default=partial(secrets.token_hex, 16)
    )
    counts = models.CharField(max_length=20, choices=Counts, default=Counts.BEST)
    daily_limit = models.PositiveIntegerField(null=True, blank=True)
    total_limit = models.PositiveIntegerField(null=True, blank=True)
    most_runs = models.PositiveSmallIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(10)]
    )
    who = models.CharField(max_length=20, choices=Who, default=Who.PARTICIPANTS)
    chosen = models.ManyToManyField(Participation, blank=True, related_name="+")
    paused = models.BooleanField(default=False)
    paused_note = models.CharField(max_length=300, blank=True)
    test_sets = models.ManyToManyField(TestSet, related_name="phases")
    gold_revision = models.ForeignKey(GoldRevision, models.PROTECT, related_name="+")
    board_version = models.PositiveIntegerField(default=0)
    declared_at = models.DateTimeField(null=True, blank=True)
    declared_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = AuditedQuerySet.as_manager()

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
