"""Shared tasks: their phases, test sets and revisions of the gold."""

from functools import cached_property
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone

from leaderboard.tasks import blobs
from leaderboard.teams.models import Team, User
from scoring import Plan
from scoring.measures import Measure
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source


class Task(models.Model):
    """One shared task: what is scored, how, and what is shown of it."""

    slug = models.SlugField(unique=True, max_length=60)
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, blank=True)
    description = models.TextField(blank=True, help_text="Markdown")
    synthetic = models.BooleanField(default=False)
    scorer_name = models.CharField(max_length=60)
    options = models.JSONField(default=dict, blank=True)
    shown_measures = models.JSONField(default=list, blank=True)
    headline = models.CharField(max_length=80)
    unit = models.CharField(max_length=40, blank=True)
    resamples = models.PositiveIntegerField(
        default=1000, validators=[MinValueValidator(100), MaxValueValidator(100_000)]
    )
    seed = models.PositiveIntegerField(default=2026)
    level = models.FloatField(default=0.95)
    created_at = models.DateTimeField(default=timezone.now)
    organizers = models.ManyToManyField(
        User, through="Organizer", related_name="organized_tasks"
    )

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])

    @cached_property
    def scorer(self) -> Scorer:
        return get(self.scorer_name)

    @cached_property
    def parsed_options(self) -> Options:
        """Options as the engine takes them; files come from the blob store."""
        return parse(self.scorer.options, raw_options(self.options))

    @property
    def option_files(self) -> list[dict[str, str]]:
        """Name and hash of each file among the options."""
        values = (value for values in self.options.values() for value in values)
        return [value for value in values if isinstance(value, dict)]

    @cached_property
    def measures(self) -> list[Measure]:
        """Measures shown, in order; the headline is among them.

        Without a choice these are the fixed ones of the scorer, those of `<all>` tags.
        """
        fixed = [measure.name for measure in self.scorer.measures(())]
        names = dict.fromkeys([*(self.shown_measures or fixed), self.headline])
        return [self.scorer.measure(name) for name in names]

    @property
    def headline_measure(self) -> Measure:
        return self.scorer.measure(self.headline)

    def plan(self, position: int) -> Plan:
        """Resampling of the test set at that position: a stream of its own each."""
        return Plan(self.resamples, self.seed + position, self.level)

    def is_organized_by(self, user: Any) -> bool:
        if not user.is_authenticated:
            return False
        return user.is_superuser or self.organizers.filter(pk=user.pk).exists()


def raw_options(stored: dict[str, list[Any]]) -> dict[str, list[str | Source]]:
    """Stored options with file references turned into sources."""
    return {
        name: [
            Source.of_bytes(value["file"], blobs.read(value["sha256"]))
            if isinstance(value, dict)
            else value
            for value in values
        ]
        for name, values in stored.items()
    }


class Organizer(models.Model):
    task = models.ForeignKey(Task, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_organizer"),
        )

    def __str__(self) -> str:
        return f"{self.user} organizes {self.task}"


class TestSet(models.Model):
    """One gold with its published blind file."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="test_sets")
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    blind_name = models.CharField(max_length=200)
    blind_sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="test_set_name"),
        )

    def __str__(self) -> str:
        return self.title

    def blind(self) -> Source:
        return Source.of_bytes(self.blind_name, blobs.read(self.blind_sha256))


class GoldRevision(models.Model):
    """One version of the gold of all test sets of a task."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="gold_revisions")
    number = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["task", "number"], name="revision_number"),
        )

    def __str__(self) -> str:
        return f"{self.task} gold revision {self.number}"


class GoldFile(models.Model):
    """The gold of one test set in one revision. It has no address on the site."""

    revision = models.ForeignKey(GoldRevision, models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="gold_files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    units = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["revision", "test_set"], name="one_gold"),
        )

    def __str__(self) -> str:
        return f"gold of {self.test_set}"


class Phase(models.Model):
    """A dated stage of a task with the test sets it scores on."""

    class Policy(models.TextChoices):
        OPEN = "open", "Scores are public at once"

    task = models.ForeignKey(Task, models.CASCADE, related_name="phases")
    name = models.SlugField(max_length=40)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    opens = models.DateTimeField()
    closes = models.DateTimeField(null=True, blank=True)
    policy = models.CharField(max_length=20, choices=Policy, default=Policy.OPEN)
    daily_limit = models.PositiveIntegerField(null=True, blank=True)
    test_sets = models.ManyToManyField(TestSet, related_name="phases")
    gold_revision = models.ForeignKey(GoldRevision, models.PROTECT, related_name="+")
    board_version = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("position",)
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="phase_name"),
        )

    def __str__(self) -> str:
        return f"{self.task}: {self.title}"

    def state(self, moment: Any = None) -> str:
        """upcoming, open or over."""
        moment = moment or timezone.now()
        if moment < self.opens:
            return "upcoming"
        return "over" if self.closes and moment >= self.closes else "open"


class Participation(models.Model):
    """A team that takes part in a task."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="participations")
    team = models.ForeignKey(Team, models.CASCADE, related_name="participations")
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "team"], name="one_participation"),
        )

    def __str__(self) -> str:
        return f"{self.team} in {self.task}"


class Participant(models.Model):
    """A person in a task: at most one team each, which the database enforces."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="participants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="participants"
    )
    participation = models.ForeignKey(
        Participation, models.CASCADE, related_name="participants"
    )

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_team_per_task"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.participation}"
