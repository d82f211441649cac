"""Shared tasks: what is scored, how and when; what is asked, and the gold."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property, partial
from operator import attrgetter
from pathlib import PurePosixPath
from typing import Any, cast
from zoneinfo import ZoneInfo

from django.core.exceptions import ValidationError
from django.core.validators import (
    MaxValueValidator,
    MinValueValidator,
    RegexValidator,
)
from django.db import models
from django.db.models import BigAutoField, Q, QuerySet
from django.forms.models import model_to_dict
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks import blobs, phase_rules
from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.tasks.models.plugins import is_installed, scorer_for
from leaderboard.teams.models import User, check_display_name, check_seen
from leaderboard.web.known import knows_rows, note_rows_of
from leaderboard.web.markdown import check_markdown
from leaderboard.web.statements import statement
from leaderboard.web.templatetags.formats import figures, grouped
from leaderboard.web.time_zones import time_zones, zone_title
from scoring import Plan
from scoring.elsewhere import measures_of, with_judgements
from scoring.measures import Measure
from scoring.options import TRUE, Options, parse
from scoring.scorer import Scorer
from scoring.scorers.program import RUN_CODE
from scoring.source import Source

NAME_PATTERN = r"[a-z0-9][a-z0-9_-]{0,39}"
TEAM_FACT = "team:"  # before the name of a question to teams, among facts
LONGEST_AUTHOR, MOST_AUTHORS = 120, 100
LEAST_WEIGHT, MOST_WEIGHT = 0.001, 1000  # of a test set in a mean
MINUTE = gettext_noop("j M Y, H:i")
DOI = r"^10\.\d{4,9}/[^\s{}<>\"]+\Z"


# Of new tasks: before it, an address could have capitals, too.
plain_address = RegexValidator(
    r"^[a-z0-9][a-z0-9_-]*\Z", _("Small letters, digits, “-” and “_”, no sign first.")
)


def check_authors(authors: list[str]) -> None:
    """Raises ValidationError for too many names to cite, or odd ones."""
    if max(map(len, authors), default=0) > LONGEST_AUTHOR:
        raise ValidationError(_("A name has at most 120 characters."))
    if len(authors) > MOST_AUTHORS:
        raise ValidationError(_("At most 100 names."))
    for author in authors:
        check_display_name(author)


class Task(models.Model):
    """One shared task: what is scored, how, and what is shown of it."""

    RESERVED_SLUGS = frozenset({"new"})

    class Entry(models.TextChoices):
        OPEN = "open", _("Every team may take part")
        APPROVAL = "approval", _("An organizer admits each team")

    slug = models.SlugField(
        _("Address"),
        unique=True,
        max_length=60,
        help_text=_("Small letters, digits, “-” and “_”: /tasks/your-address/"),
        error_messages={"unique": _("Another task has this address.")},
    )
    title = models.CharField(_("Title"), max_length=120, validators=[check_seen])
    summary = models.CharField(
        _("Summary"),
        max_length=300,
        validators=[check_seen],
        blank=True,
        help_text=_("One sentence for the front page."),
    )
    description = models.TextField(
        _("Description"),
        blank=True,
        validators=[check_markdown],
        help_text=_(
            "What to predict, from which data, and the rules. Markdown; HTML is "
            "not kept."
        ),
    )
    authors = models.JSONField(
        _("Organizers, as they are cited"),
        default=list,
        db_default=[],
        blank=True,
        validators=[check_authors],
        help_text=_(
            "One a line, as “Family, Given”; without a comma it is the name of a group."
        ),
    )
    contact = models.EmailField(
        _("Contact"),
        default="",
        db_default="",
        blank=True,
        help_text=_("An address for questions. Everybody can see it."),
    )
    website = models.URLField(_("Website"), default="", db_default="", blank=True)
    forum = models.URLField(
        _("Forum or mailing list"),
        default="",
        db_default="",
        blank=True,
        help_text=_("Where participants talk to each other and to you."),
    )
    paper = models.URLField(_("Overview paper"), default="", db_default="", blank=True)
    doi = models.CharField(
        _("DOI"),
        max_length=120,
        default="",
        db_default="",
        blank=True,
        validators=[RegexValidator(DOI, _("Write it as in 10.5281/zenodo.1234."))],
        help_text=_("Of the published results, as in 10.5281/zenodo.1234."),
    )
    licence = models.CharField(
        _("Licence of the data"),
        max_length=80,
        default="",
        db_default="",
        blank=True,
        validators=[check_display_name],
        help_text=_("By its SPDX identifier where it has one, as in CC-BY-4.0."),
    )
    terms = models.TextField(
        _("Terms"),
        default="",
        db_default="",
        blank=True,
        validators=[check_markdown],
        help_text=_(
            "Each team accepts them when it joins. Markdown; empty for none. Teams "
            "that are in already are not asked again."
        ),
    )
    synthetic = models.BooleanField(
        _("The data are synthetic"),
        default=False,
        help_text=_("A label says so wherever scores are shown."),
    )
    scorer_name = models.CharField(max_length=60)
    options = models.JSONField(default=dict, blank=True)
    # Of what organizers count elsewhere, beside the scorer's; see `scoring.elsewhere`.
    judgements = models.JSONField(default=list, db_default=[], blank=True)
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
    unlisted = models.BooleanField(
        _("Unlisted"),
        default=False,
        db_default=False,
        help_text=_(
            "On no list, feed or search of the site: found by those who know its "
            "address."
        ),
    )
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

    class Meta:
        permissions = (("run_programs", "May have scoring programs run"),)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("task", args=[self.slug])

    @property
    def doi_address(self) -> str:
        """The address to which its DOI leads, or empty."""
        return f"https://doi.org/{self.doi}" if self.doi else ""

    @property
    def is_described(self) -> bool:
        """Whether its page has anything to say about who made it and where."""
        return any(
            (
                self.authors,
                self.contact,
                self.website,
                self.forum,
                self.paper,
                self.doi,
                self.licence,
            )
        )

    @cached_property
    def scorer(self) -> Scorer:
        measures = [self.headline, *self.shown_measures]
        if not self.judgements:
            return scorer_for(self.scorer_name, self.options, measures)
        judged = {measure.name for measure in measures_of(self.judgements)}
        names = [name for name in measures if name not in judged]
        scorer = scorer_for(self.scorer_name, self.options, names)
        return with_judgements(scorer, self.judgements)

    @property
    def scorer_is_gone(self) -> bool:
        """The plug-in that brought its scorer is not installed, or cannot be used."""
        return not is_installed(self.scorer_name)

    @property
    def takes_judgements(self) -> bool:
        """Whether organizers upload values of units for submissions."""
        return bool(self.judgements) or self.scorer.counted_elsewhere

    @cached_property
    def parsed_options(self) -> Options:
        """Options as the engine takes them; files come from the blob store."""
        return parse(self.scorer.options, raw_options(self.options))

    @property
    def declared_options(self) -> dict[str, list[Any]]:
        """Stored options in the scorer's order: not every database keeps one.

        Private files are left out unless another option says to publish them.
        """
        declared = {}
        for option in self.scorer.options:
            public = not option.private or self._is_on(f"publish_{option.name}")
            if public and option.name in self.options:
                declared[option.name] = self.options[option.name]
        return declared

    def _is_on(self, flag: str) -> bool:
        return bool(TRUE.intersection(self.options.get(flag, ())))

    @property
    def option_files(self) -> list[dict[str, str]]:
        """Name and hash of each file among the options that are no secret."""
        options = self.declared_options
        values = (value for values in options.values() for value in values)
        return [value for value in values if isinstance(value, dict)]

    @cached_property
    def measures(self) -> list[Measure]:
        """Measures shown, in order; the headline is among them.

        Without a choice these are the fixed ones of the scorer, those of `<all>` tags.
        """
        scorer = self.scorer
        fixed = {measure.name: measure for measure in scorer.measures(())}
        names = dict.fromkeys([*(self.shown_measures or fixed), self.headline])
        return [fixed.get(name) or scorer.measure(name) for name in names]

    @cached_property
    def headline_first(self) -> list[Measure]:
        return sorted(self.measures, key=lambda measure: measure.name != self.headline)

    @property
    def headline_measure(self) -> Measure:
        return self.scorer.measure(self.headline)

    def plan(self, position: int) -> Plan:
        """Resampling of the test set at that position: a stream of its own each."""
        return Plan(self.resamples, self.seed + position, self.level)

    def fact_sheet(self) -> "list[Question]":
        """The questions that are asked, in order; read once for this object."""
        if not knows_rows(self, "questions"):
            note_own_rows([self], "questions")
        return [question for question in self.questions.all() if not question.hidden]

    def public_questions(self) -> "list[AnyQuestion]":
        """Questions, of the fact sheet and then to teams, whose answers everybody may
        see, by their names among the facts of a submission."""
        to_teams = [
            copy(question) for question in self.registration() if question.public
        ]
        for question in to_teams:
            question.name = f"{TEAM_FACT}{question.name}"
        return [
            *(question for question in self.fact_sheet() if question.public),
            *to_teams,
        ]

    def registration(self) -> "list[RegistrationQuestion]":
        """The questions to teams that are asked, in order; read once."""
        if not knows_rows(self, "registration_questions"):
            note_own_rows([self], "registration_questions")
        questions = self.registration_questions.all()
        return [question for question in questions if not question.hidden]

    def boards(self) -> "list[NamedBoard]":
        """The boards beside the main one, in order; read once for this object."""
        if not knows_rows(self, "named_boards"):
            note_own_rows([self], "named_boards")
        return list(self.named_boards.all())

    def is_organized_by(self, user: Any) -> bool:
        if not user.is_authenticated:
            return False
        return user.is_superuser or self.organizers.filter(pk=user.pk).exists()


plain_name = RegexValidator(
    rf"^{NAME_PATTERN}\Z",
    _("Small letters, digits, “-” and “_”, at most 40, no sign first."),
)


class OrderedPart(models.Model):
    """A row of a list that organizers put in order, under a name of its own."""

    # At most so many in one task.
    MOST: int
    title: Any  # a field of each kind

    name = models.CharField(_("Name"), max_length=40, validators=[plain_name])
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
        """The fields of the part as plain values, without its place."""
        return model_to_dict(self, exclude=("id", "task"))


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
        help_text=_("In the order of their numbers; none for those of the main board."),
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


def check_choices(choices: list[str]) -> None:
    """Raises ValidationError for too many answers to choose from, or odd ones."""
    most, longest = AnyQuestion.MOST_CHOICES, AnyQuestion.LONGEST_CHOICE
    if len(choices) > most or any(len(choice) > longest for choice in choices):
        raise ValidationError(_("At most 50 answers of up to 80 characters."))
    for choice in choices:
        check_display_name(choice)


class AnyQuestion(OrderedPart):
    """A question that organizers ask.

    A hidden one is not asked any more and shown nowhere; its answers are kept, under
    its name.
    """

    MOST = 30
    MOST_CHOICES, LONGEST_CHOICE = 50, 80
    MOST_NUMBER = 1e30  # above all that systems cost; charts draw what is below
    public: Any
    unit = ""  # of numbers

    class AnswerKind(models.TextChoices):
        TEXT = "text", _("Text")
        NUMBER = "number", _("Number")
        CHOICE = "choice", _("One of several answers")
        YES_NO = "yes_no", _("Yes or no")
        LINK = "link", _("Link")

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
    hidden = models.BooleanField(_("Hidden"), default=False)

    class Meta(OrderedPart.Meta):
        abstract = True

    @property
    def heading(self) -> str:
        """The question with the unit of its answers, over columns and beside axes."""
        return f"{self.title} ({self.unit})" if self.unit else self.title

    def number_in(self, facts: "Mapping[str, Fact]") -> float | None:
        """The answer among facts, None without one that is an amount: older sites also
        took numbers below 0 and ones that no chart can draw."""
        answer = facts.get(self.name)
        if isinstance(answer, int | float) and 0 <= answer <= self.MOST_NUMBER:
            return float(answer)
        return None

    def clean(self) -> None:
        """Raises ValidationError for a choice of nothing."""
        if self.kind != self.AnswerKind.NUMBER:
            self.unit = ""
        if self.kind != self.AnswerKind.CHOICE:
            self.choices = []
        elif not self.choices:
            sentence = _("Write the answers to choose from, one a line.")
            raise ValidationError({"choices": sentence})


class Question(AnyQuestion):
    """A question of the fact sheet, to every system; see `Submission.facts`."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="questions")
    unit = models.CharField(
        _("Unit"),
        max_length=20,
        blank=True,
        default="",
        db_default="",
        validators=[check_display_name],
        help_text=_("Of a number, for example “kWh” or “ms”."),
    )
    public = models.BooleanField(
        _("Public: a column and a filter of the board"), default=True
    )

    class Meta(AnyQuestion.Meta):
        verbose_name = _("Question")


class RegistrationQuestion(AnyQuestion):
    """A question to every team that joins; see `Participation.answers`.

    Only the team and the organizers see the answers, unless it is public: then they
    stand beside the answers of the team's systems, under a name with TEAM_FACT.
    """

    task = models.ForeignKey(
        Task, models.CASCADE, related_name="registration_questions"
    )
    public = models.BooleanField(
        _("Public: a column and a filter of the board"), default=False, db_default=False
    )

    class Meta(AnyQuestion.Meta):
        verbose_name = _("Registration question")


Fact = str | int | float | bool


@dataclass(frozen=True)
class Answer:
    """The answer of a system, or of a team, to one question."""

    question: AnyQuestion
    value: Fact

    @property
    def text(self) -> str:
        if isinstance(self.value, bool):
            return gettext("yes") if self.value else gettext("no")
        if isinstance(self.value, int | float):
            return grouped(self.value)
        return str(self.value)

    @property
    def short(self) -> str:
        """A link as people say it, without https."""
        return self.text.partition("://")[2] if self.is_link else self.text

    @property
    def is_link(self) -> bool:
        return self.question.kind == "link"


def answers_to(
    questions: Iterable[AnyQuestion], facts: Mapping[str, Fact]
) -> list[Answer]:
    """The answers among the facts, in the order of the questions."""
    return [
        Answer(question, facts[question.name])
        for question in questions
        if question.name in facts
    ]


@statement(tasks=[BigAutoField()])
def _questions(tasks: Sequence[int]) -> "QuerySet[Question]":
    return Question.objects.filter(task__in=tasks)


@statement(tasks=[BigAutoField()])
def _registration_questions(tasks: Sequence[int]) -> "QuerySet[RegistrationQuestion]":
    return RegistrationQuestion.objects.filter(task__in=tasks)


@statement(tasks=[BigAutoField()])
def _named_boards(tasks: Sequence[int]) -> "QuerySet[NamedBoard]":
    return NamedBoard.objects.filter(task__in=tasks)


OWN_ROWS = {
    "questions": _questions,
    "registration_questions": _registration_questions,
    "named_boards": _named_boards,
}


def note_own_rows(tasks: Sequence[Task], relation: str) -> None:
    """The rows of one of OWN_ROWS, in one query; the tasks know them then."""
    unread = [task for task in tasks if not knows_rows(task, relation)]
    if unread:
        rows = OWN_ROWS[relation](tasks=[task.pk for task in unread])
        note_rows_of(unread, relation, rows, "task")


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
    title = models.CharField(max_length=120, validators=[check_seen])
    position = models.PositiveSmallIntegerField(default=0)
    weight = models.FloatField(
        _("Weight"),
        default=1,
        db_default=1,
        validators=[MinValueValidator(LEAST_WEIGHT), MaxValueValidator(MOST_WEIGHT)],
        help_text=_(
            "In the mean over test sets: 2 counts twice as much as 1. It stays once "
            "something was scored."
        ),
    )
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
        """The blind file's name for readers: its own may be made of the gold's."""
        return f"{self.name}{PurePosixPath(self.blind_name).suffix}"

    @staticmethod
    def weights_of(test_sets: "Iterable[TestSet]") -> list[float]:
        """Weights of test sets in the mean over them."""
        return [test_set.weight for test_set in test_sets]

    @classmethod
    def weights_in_words(cls, test_sets: "Sequence[TestSet]") -> str:
        """Titles with weights, empty where all weigh the same."""
        if len(set(map(attrgetter("weight"), test_sets))) < 2:
            return ""
        weights = (figures(f"{weight:g}") for weight in cls.weights_of(test_sets))
        titled = zip(test_sets, weights, strict=True)
        return ", ".join(f"{test_set.title} ({weight})" for test_set, weight in titled)

    def blind(self) -> Source:
        return Source.of_bytes(self.blind_name, blobs.read(self.blind_sha256))


class GoldRevisionQuerySet(AuditedQuerySet):
    def live(self) -> "GoldRevision | None":
        """The revision boards show: of one task's the last that became live."""
        live = self.filter(live_at__isnull=False).order_by("live_at", "number")
        return cast("GoldRevision | None", live.last())


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
        """The state of the revision; it asks the database for the one that is live."""
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
    of their names. Empty for a file that was taken over; where a program of the task
    counts, `program` stands in place of the last two.
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


def check_time_zone(name: str) -> None:
    """Raises ValidationError for a name that is not in the time zone database."""
    if name not in time_zones():
        raise ValidationError(_("There is no time zone “%(name)s”.") % {"name": name})


class PhaseQuerySet(AuditedQuerySet):
    def touch_boards(self, more_results: bool = False) -> int:
        """Let everything stored and cached of these phases' boards be made anew.

        `more_results` says that nothing happened but that one more submission was
        scored: a busy board may be read without it for a while.
        """
        version = models.F("board_version") + 1
        if more_results:
            return self.update(board_version=version)
        return self.update(board_version=version, oldest_board_version=version)


class Phase(models.Model):
    """A dated stage of a task with the test sets it scores on.

    `policy`, `reveal_at`, `freeze_from` and `private_share` say what is shown of
    scores; only `leaderboard.tasks.policy` interprets them. `salt` makes the private
    part secret.
    """

    RESERVED_NAMES = phase_rules.RESERVED
    YEARS = phase_rules.YEARS

    class Policy(models.TextChoices):
        OPEN = "open", _("Scores are public at once")
        BEST = "best", _("Only the best entry of each team is shown")
        BLIND = "blind", _("Scores are hidden until a date")

    class Who(models.TextChoices):
        PARTICIPANTS = "participants", _("Every team that takes part")
        CHOSEN = "chosen", _("Teams chosen by the organizers")
        ORGANIZERS = "organizers", _("Organizers only")

    class CountingRule(models.TextChoices):
        """The rule for which submission of a team counts."""

        BEST = "best", _("The best submission of each team")
        LAST = "last", _("The last submission of each team")
        CHOSEN = "chosen", _("The submission that the team chose, else its last")

    task = models.ForeignKey(Task, models.CASCADE, related_name="phases")
    name = models.SlugField(
        _("Name in addresses"),
        max_length=40,
        help_text=_(
            "Short, as in the address of its board: letters, digits, “-” and “_”. It "
            "stays once something was sent."
        ),
    )
    title = models.CharField(
        _("Title"),
        max_length=120,
        validators=[check_seen],
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
            "Public scores let teams learn fastest. The best entry alone hides how "
            "often others tried. While scores are hidden, a team only learns that "
            "its file was received and is valid."
        ),
    )
    reveal_at = models.DateTimeField(
        _("Everything is revealed"),
        null=True,
        blank=True,
        help_text=_(
            "From then on all that was withheld is shown, the private part included. "
            "If empty, when the phase closes."
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
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(10)],
        help_text=_(
            "An entry may hold so many runs of one system, from several seeds "
            "say, and shows their mean. 1 is one run, 10 the most."
        ),
    )
    separate_test_sets = models.BooleanField(
        _("Test sets are entered one by one"),
        default=False,
        db_default=False,
        help_text=_(
            "Each test set has a board of its own, of those who sent a file for it. "
            "What an entry leaves out is not missing and counts nothing."
        ),
    )
    sends_code = models.BooleanField(
        _("Teams send code"),
        default=False,
        db_default=False,
        help_text=_(
            "Teams send a program, which runs here on input that they do not see; what "
            "it writes is checked and scored as a file. Input files are not given out."
        ),
    )
    lasting_differences = models.BooleanField(
        _("Differences that stay"),
        default=False,
        db_default=False,
        help_text=_(
            "A significant difference that the board has shown is not taken back by "
            "systems that come later, and looking every day is no more often wrong. "
            "It takes somewhat larger differences. For boards that stay open."
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
    chosen: Any = models.ManyToManyField(
        "Participation",
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
        help_text=_(
            "Teams send one file for each. A file that is missing counts 0, unless "
            "they are entered one by one."
        ),
    )
    gold_revision = models.ForeignKey(GoldRevision, models.PROTECT, related_name="+")
    # The last of the ends that single teams were given; see `Extension`.
    extended_until = models.DateTimeField(null=True, blank=True, editable=False)
    board_version = models.PositiveIntegerField(default=0)
    # A board that is stored for an earlier version says something that is untrue now.
    oldest_board_version = models.PositiveIntegerField(
        default=0, db_default=0, editable=False
    )
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

    @property
    def hides_input(self) -> bool:
        """Whether the input is given to nobody, so that code is sent which runs on it:
        by a rule of the phase, or because the scoring program of the task is for
        that."""
        if self.sends_code:
            return True
        by_task = TRUE.intersection(self.task.options.get(RUN_CODE, ()))
        return bool(by_task) and self.task.scorer.runs_program

    def clean(self) -> None:
        """Raises ValidationError; without asking the database."""
        phase_rules.check(self)

    def state(self, moment: Any = None, entry: Any = None) -> str:
        """upcoming, open or over; for a team that was given longer, its own state."""
        moment = moment or timezone.now()
        if moment < self.opens:
            return "upcoming"
        end = self.closes if entry is None else self.end_for(entry)
        return "over" if end and moment >= end else "open"

    def end_for(self, entry: Any) -> datetime | None:
        """The end for a team; one query where any team was given longer."""
        if self.closes is None or self.extended_until is None:
            return self.closes
        given = self.extensions.all()  # few, and perhaps read before
        later = [
            extension.until
            for extension in given
            if extension.participation_id == entry.pk
        ]
        return max(self.closes, *later) if later else self.closes

    def next_day_for(self, entry: Any, moment: datetime) -> datetime | None:
        """The moment its next day begins; None where it ends before for this team."""
        day, end = self.next_day(moment), self.end_for(entry)
        return None if end and moment < end <= day else day

    @property
    def last_end(self) -> datetime | None:
        """The end for the last team."""
        if self.closes is None or self.extended_until is None:
            return self.closes
        return max(self.closes, self.extended_until)

    def has_ended(self, moment: datetime | None = None) -> bool:
        """Whether no team has time left."""
        end = self.last_end
        return end is not None and (moment or timezone.now()) >= end

    def public_questions(self) -> "list[AnyQuestion]":
        """The task's; a phase of `policy.with_neighbours` knows whether it need ask
        for questions to teams."""
        if getattr(self, "has_team_questions", True):
            return self.task.public_questions()
        return [question for question in self.task.fact_sheet() if question.public]

    def rankings(self) -> tuple[tuple[TestSet, ...], ...]:
        """The test sets of each of its rankings: all together, or each by itself."""
        of_phase = tuple(self.test_sets.all())
        if self.separate_test_sets and of_phase:
            return tuple((test_set,) for test_set in of_phase)
        return (of_phase,)

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which its days begin and its times are written."""
        return ZoneInfo(self.time_zone)

    def day_of(self, moment: datetime) -> date:
        """The day on its calendar."""
        return moment.astimezone(self.zone).date()

    def next_day(self, moment: datetime) -> datetime:
        """The beginning of its next day, in UTC: its midnight, or the first after it.

        A midnight that the clocks skip is the moment they skip it; of one that comes
        twice the first counts that is still to come.
        """
        tomorrow = self.day_of(moment) + timedelta(days=1)
        midnight = datetime.combine(tomorrow, time(), self.zone)
        # In UTC, for times of one zone are compared by their digits.
        begins = midnight.astimezone(UTC)
        return begins if begins > moment else midnight.replace(fold=1).astimezone(UTC)

    @property
    def zone_title(self) -> str:
        return zone_title(self.time_zone)

    def local_text(self, moment: datetime) -> str:
        """A moment on its own clocks, as "2 Jun 2026, 14:00 Europe/Berlin"."""
        there = moment.astimezone(self.zone)
        return f"{date_format(there, gettext(MINUTE))} {self.zone_title}"
