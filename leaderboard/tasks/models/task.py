"""Shared tasks: what is scored and how; test sets and the revisions of their gold."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
)
from django.db import models
from django.db.models import Q, prefetch_related_objects
from django.forms.models import model_to_dict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks import blobs
from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.teams.models import User, check_display_name
from scoring import Plan
from scoring.measures import Measure
from scoring.options import Options, parse
from scoring.scorer import Scorer
from scoring.scorers import get
from scoring.source import Source


class Task(models.Model):
    """One shared task: what is scored, how, and what is shown of it."""

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

    def fact_sheet(self) -> "list[Question]":
        """The questions that are asked, in order; read once for this object."""
        prefetch_related_objects([self], "questions")
        return [question for question in self.questions.all() if not question.hidden]

    def public_questions(self) -> "list[Question]":
        """Those of the fact sheet whose answers everybody may see."""
        return [question for question in self.fact_sheet() if question.public]

    def boards(self) -> "list[NamedBoard]":
        """The boards beside the main one, in order; read once for this object."""
        prefetch_related_objects([self], "named_boards")
        return list(self.named_boards.all())

    def is_organized_by(self, user: Any) -> bool:
        if not user.is_authenticated:
            return False
        return user.is_superuser or self.organizers.filter(pk=user.pk).exists()


NAME_PATTERN = r"[a-z0-9][a-z0-9_-]{0,39}"
plain_name = RegexValidator(
    rf"^{NAME_PATTERN}\Z",
    _("Small letters, digits, “-” and “_”, at most 40, no sign first."),
)


class OrderedPart(models.Model):
    """A row of a list that organizers put in order, under a name of its own."""

    # At most so many in one task.
    MOST: int

    position = models.PositiveSmallIntegerField(default=0, editable=False)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        abstract = True
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="%(class)s_name"),
        )

    def __str__(self) -> str:
        return self.title

    def values(self) -> dict[str, Any]:
        """Its fields as plain values, without its place."""
        return model_to_dict(self, exclude=("id", "task"))

    def move(self, step: int) -> None:
        """Up (-1) or down (1) among its neighbours; at the end nothing happens."""
        rows = list(type(self).objects.filter(task=self.task_id))
        place = rows.index(self)
        rows.insert(max(0, place + step), rows.pop(place))
        for position, row in enumerate(rows):
            if row.position != position:
                row.position = position
                row.save(update_fields=["position"])


class NamedBoard(OrderedPart):
    """A view of the board: its own measures, ranking, or choice of test sets.

    `test_sets` are names; without any all count, without `measures` those of the task.
    """

    MOST = 12

    task = models.ForeignKey(Task, models.CASCADE, related_name="named_boards")
    name = models.CharField(
        _("Name"),
        max_length=40,
        validators=[plain_name],
        help_text=_("As in the address: ?board=name."),
    )
    title = models.CharField(
        _("Title"), max_length=120, validators=[check_display_name]
    )
    measures = models.JSONField(
        _("Measures shown"),
        default=list,
        blank=True,
        help_text=_("One a line, in order; empty for those of the main board."),
    )
    headline = models.CharField(_("Measure that ranks"), max_length=200)
    test_sets = models.JSONField(
        _("Test sets"),
        default=list,
        blank=True,
        help_text=_("The mean over those chosen ranks; none for all."),
    )

    class Meta(OrderedPart.Meta):
        verbose_name = _("Board")


LONGEST_CHOICE, MOST_CHOICES = 80, 50


def check_choices(choices: list[str]) -> None:
    """Raises ValidationError for too many answers to choose from, or odd ones."""
    too_long = any(len(choice) > LONGEST_CHOICE for choice in choices)
    if too_long or len(choices) > MOST_CHOICES:
        raise ValidationError(_("At most 50 answers of up to 80 characters."))
    for choice in choices:
        check_display_name(choice)


class Question(OrderedPart):
    """A question of the fact sheet, to every system.

    A hidden one is not asked any more and shown nowhere; its answers are kept, in
    `Submission.facts` under its name.
    """

    MOST = 30

    class AnswerKind(models.TextChoices):
        TEXT = "text", _("Text")
        NUMBER = "number", _("Number")
        CHOICE = "choice", _("One of several answers")
        YES_NO = "yes_no", _("Yes or no")
        LINK = "link", _("Link")

    task = models.ForeignKey(Task, models.CASCADE, related_name="questions")
    title = models.CharField(
        _("Question"),
        max_length=120,
        validators=[check_display_name],
        help_text=_("Short: it heads a column of the board."),
    )
    name = models.CharField(
        _("Name"),
        max_length=40,
        validators=[plain_name],
        help_text=_("As in addresses and in the API, for example “size”."),
    )
    kind = models.CharField(
        _("Kind"), max_length=10, choices=AnswerKind, default=AnswerKind.TEXT
    )
    choices = models.JSONField(
        _("Answers to choose from"),
        default=list,
        blank=True,
        validators=[check_choices],
        help_text=_("One a line. Given answers stay when one goes."),
    )
    required = models.BooleanField(_("Required"), default=False)
    public = models.BooleanField(
        _("Public: a column and a filter of the board"), default=True
    )
    hidden = models.BooleanField(_("Hidden"), default=False)

    class Meta(OrderedPart.Meta):
        verbose_name = _("Question")

    def clean(self) -> None:
        """Raises ValidationError for a choice of nothing."""
        if self.kind != self.AnswerKind.CHOICE:
            self.choices = []
        elif not self.choices:
            sentence = _("Write the answers to choose from, one a line.")
            raise ValidationError({"choices": sentence})


Fact = str | int | float | bool


@dataclass(frozen=True)
class Answer:
    """What a system answers to one question."""

    question: Question
    value: Fact

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return gettext("yes") if self.value else gettext("no")
        if isinstance(self.value, int | float):
            return f"{self.value:,.15g}"
        return str(self.value)

    @property
    def short(self) -> str:
        """A link as people say it, without https."""
        return self.text.partition("://")[2] if self.is_link else self.text

    @property
    def is_link(self) -> bool:
        return self.question.kind == "link"


def answers_to(
    questions: Iterable[Question], facts: Mapping[str, Fact]
) -> list[Answer]:
    """The answers among the facts of a system, in the order of the questions."""
    return [Answer(one, facts[one.name]) for one in questions if one.name in facts]


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


class TestSet(models.Model):
    """One gold with its published blind file."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="test_sets")
    name = models.SlugField(max_length=60)
    title = models.CharField(max_length=120)
    position = models.PositiveSmallIntegerField(default=0)
    blind_name = models.CharField(max_length=200)
    blind_sha256 = models.CharField(max_length=64)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("position", "pk")
        constraints = (
            models.UniqueConstraint(fields=["task", "name"], name="test_set_name"),
        )

    def __str__(self) -> str:
        return self.title

    @property
    def public_name(self) -> str:
        """Of the blind file: its own name may be made of the gold's."""
        return f"{self.name}{PurePosixPath(self.blind_name).suffix}"

    def blind(self) -> Source:
        return Source.of_bytes(self.blind_name, blobs.read(self.blind_sha256))


class GoldRevisionQuerySet(AuditedQuerySet):
    def live(self) -> "GoldRevision | None":
        """What boards show: of the revisions of one task the last that became live."""
        live = self.filter(live_at__isnull=False).order_by("live_at", "number")
        return live.last()


class GoldRevision(models.Model):
    """One version of the gold of all test sets of a task.

    It is a draft until `live_at`, the last time it became what boards show; `note` is
    for organizers, `public_note` for all. `preparing` while submissions are scored
    under it, so that it can become live (again): one of a task at a time.
    """

    class State(models.TextChoices):
        LIVE = "live", _("Live")
        PREPARING = "preparing", _("Being prepared")
        OLDER = "older", _("Was live")
        DISCARDED = "discarded", _("Discarded")

        @property
        def badge(self) -> str:
            """The style of its badge."""
            badges = {"live": "open", "preparing": "running", "discarded": "late"}
            return badges.get(self.value, "")

    task = models.ForeignKey(Task, models.CASCADE, related_name="gold_revisions")
    number = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    public_note = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    created_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    live_at = models.DateTimeField(null=True, blank=True)
    discarded_at = models.DateTimeField(null=True, blank=True)
    preparing = models.BooleanField(default=False)

    objects = GoldRevisionQuerySet.as_manager()

    class Meta:
        ordering = ("number",)
        constraints = (
            models.UniqueConstraint(fields=["task", "number"], name="revision_number"),
            models.UniqueConstraint(
                fields=["task"], condition=Q(preparing=True), name="one_in_preparation"
            ),
        )

    def __str__(self) -> str:
        return f"{self.task} gold revision {self.number}"

    @property
    def state(self) -> State:
        """Asks the database for the revision that is live."""
        return self.state_beside(GoldRevision.objects.filter(task=self.task_id).live())

    def state_beside(self, live: "GoldRevision | None") -> State:
        """The state where `live` is the live revision of the task."""
        if self == live:
            return self.State.LIVE
        if self.preparing:
            return self.State.PREPARING
        return self.State.DISCARDED if self.live_at is None else self.State.OLDER


class GoldFile(models.Model):
    """The gold of one test set in one revision; only those who may edit it see it.

    `changes`, of a corrected file: `since` (number of the revision it was compared
    with), `count` of the units that are scored differently, and `units`, the first
    of their names. Empty for a file that was taken over.
    """

    revision = models.ForeignKey(GoldRevision, models.CASCADE, related_name="files")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="gold_files")
    name = models.CharField(max_length=200)
    sha256 = models.CharField(max_length=64)
    units = models.PositiveIntegerField()
    changes = models.JSONField(default=dict, blank=True, editable=False)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["revision", "test_set"], name="one_gold"),
        )

    def __str__(self) -> str:
        return f"gold of {self.test_set}"

    def source(self) -> Source:
        return Source.of_bytes(self.name, blobs.read(self.sha256))
