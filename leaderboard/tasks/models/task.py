"""A shared task: what is scored and how."""

from functools import cached_property
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks import blobs
from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.teams.models import User
from scoring import Plan
from scoring.measures import Measure
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source


class Task(models.Model):
    """One shared task: what is scored, how, and what is shown of it.

    `boards` are named views: tables of name, title, measures, headline, test_sets.
    `fact_sheet` are questions to a system: tables of name, title, kind, choices,
    required, public, hidden; kind is one of text, number, choice, yes_no, link.
    """

    class Entry(models.TextChoices):
        OPEN = "open", _("Every team may take part")
        APPROVAL = "approval", _("An organizer admits each team")

    slug = models.SlugField(
        _("Address"),
        unique=True,
        max_length=60,
        help_text=_("Small letters, digits and hyphens: /tasks/your-address/"),
        error_messages={"unique": _("Another task has this address.")},
    )
    title = models.CharField(_("Title"), max_length=120)
    summary = models.CharField(
        _("Summary"),
        max_length=300,
        blank=True,
        help_text=_("One sentence for the front page."),
    )
    description = models.TextField(
        _("Description"),
        blank=True,
        help_text=_(
            "What to predict, from which data, and the rules. Markdown; HTML is "
            "not kept."
        ),
    )
    synthetic = models.BooleanField(
        _("The data are synthetic"),
        default=False,
        help_text=_("A label says so wherever scores are shown."),
    )
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
    margin = models.FloatField(
        _("Margin of equivalence"),
        null=True,
        blank=True,
        validators=[MinValueValidator(0.0001), MaxValueValidator(1_000_000)],
        help_text=_(
            "In points of the headline measure, as 0.5: differences that do not "
            "matter, decided before you see scores. Comparisons then say which "
            "systems are equivalent within it. "
            "Empty for none."
        ),
    )
    boards = models.JSONField(default=list, blank=True, help_text="views of the board")
    fact_sheet = models.JSONField(default=list, blank=True, help_text="questions")
    draft = models.BooleanField(default=False, help_text="seen by organizers only")
    entry = models.CharField(
        _("Who may take part"), max_length=20, choices=Entry, default=Entry.OPEN
    )
    mail_domains = models.JSONField(default=list, blank=True)
    allows_anonymous = models.BooleanField(_("Teams may stay anonymous"), default=False)
    prizes = models.PositiveSmallIntegerField(
        _("Prize places"),
        default=0,
        help_text=_("How many first places win something; 0 for none."),
    )
    created_at = models.DateTimeField(default=timezone.now)
    organizers = models.ManyToManyField(
        User, through="Organizer", related_name="organized_tasks"
    )

    objects = AuditedQuerySet.as_manager()

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
    def declared_options(self) -> dict[str, list[Any]]:
        """Stored options in the scorer's order: not every database keeps one."""
        names = (option.name for option in self.scorer.options)
        return {name: self.options[name] for name in names if name in self.options}

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
