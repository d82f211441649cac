"""Campaigns of judging, what is judged in them, judges, assignments and votes."""

import json
import secrets
import uuid
from collections.abc import Mapping, Sequence
from datetime import timedelta
from hashlib import sha256
from typing import Any

from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.extension.models import (
    AuditedQuerySet,
    Phase,
    Submission,
    TestSet,
    User,
    check_display_name,
)
from leaderboard.extras.judging import spans

# An answer that somebody opened and left counts as work under way for so long.
UNDER_WAY = timedelta(hours=2)
RATING, WINS, PENALTY = "rating", "win", "penalty"
HIGHEST = 100  # of a slider
# What the history calls the fields of a campaign, and two that it had once.
pgettext_lazy("history", "adaptive")
pgettext_lazy("history", "categories")
pgettext_lazy("history", "covariates")
pgettext_lazy("history", "open")
pgettext_lazy("history", "questions")
pgettext_lazy("history", "severities")
pgettext_lazy("history", "steps")


class CampaignKind(models.TextChoices):
    PAIRS = "pairs", _("Two answers side by side")
    SLIDER = "slider", _("One answer, a number from 0 to 100")
    SCALE = "scale", _("One answer, steps in words")
    SPANS = "spans", _("One answer, its errors marked")


class Choice(models.TextChoices):
    """A judge's choice between two answers."""

    LEFT = "left", _("The first is better")
    EQUAL = "equal", _("Equal")
    RIGHT = "right", _("The second is better")
    BAD = "bad", _("Both are bad")


# Assignments that say something of systems, not of the judge alone.
NO_CHECK = Q(control_of=None, spoiled=0, known=None)


def new_token() -> str:
    return secrets.token_urlsafe(24)


class Campaign(models.Model):
    """People judge answers of submissions of a phase, under the address of `token`.

    It is declared first, by form or under its `name` in a bundle, and begins when the
    answers of submissions, in a `sample` of units, are read.
    Where errors are marked, `severities` are names with weights, and `categories` may
    be none. `per_unit` is how many judgements each unit is to get (of pairs), or each
    answer; `controls` is the share of assignments that repeat an earlier one, in
    percent, `spoiled` of those that show an answer spoiled on purpose, and `training`
    how many of these a judge begins with. `known` are answers of which it is known what
    judges have to say (`questions.known_in`), and `known_share` how often one comes.
    """

    class Admission(models.TextChoices):
        LINK = "link", _("whoever has the link")
        SIGNED_IN = "signed_in", _("whoever has the link and is signed in")
        OWN_LINK = "own_link", _("whoever has a link of their own")

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="+")
    test_set = models.ForeignKey(TestSet, models.CASCADE, related_name="+")
    name = models.CharField(_("Name"), max_length=40, blank=True, db_default="")
    title = models.CharField(
        _("Title"), max_length=200, validators=[check_display_name]
    )
    kind = models.CharField(
        _("Kind"), max_length=10, choices=CampaignKind, default=CampaignKind.PAIRS
    )
    questions = models.JSONField(default=list)
    steps = models.JSONField(default=list)
    categories = models.JSONField(default=list, db_default=[])
    severities = models.JSONField(default=list, db_default=[])
    instructions = models.TextField(_("Instructions"), max_length=20_000, blank=True)
    access = models.CharField(
        _("Who judges"), max_length=10, choices=Admission, default=Admission.LINK
    )
    per_unit = models.PositiveIntegerField(_("Judgements of each unit"), default=3)
    sample = models.PositiveIntegerField(_("Units"), null=True)
    daily = models.PositiveIntegerField(_("Judgements of one person a day"), default=60)
    controls = models.PositiveSmallIntegerField(_("Controls, in percent"), default=10)
    spoiled = models.PositiveSmallIntegerField(
        _("Spoiled answers, in percent"), default=0, db_default=0
    )
    training = models.PositiveSmallIntegerField(
        _("Examples to begin with"), default=0, db_default=0
    )
    known = models.JSONField(default=list, db_default=[])
    known_share = models.PositiveSmallIntegerField(
        _("Known answers, in percent"), default=5, db_default=5
    )
    token = models.CharField(max_length=64, unique=True, default=new_token)
    open = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)
    published_at = models.DateTimeField(null=True)
    published_votes = models.PositiveIntegerField(default=0)
    published_judges = models.PositiveIntegerField(default=0, db_default=0)
    published_left_out = models.PositiveIntegerField(default=0, db_default=0)
    published_by_models = models.PositiveIntegerField(default=0, db_default=0)
    published_own_teams = models.PositiveIntegerField(default=0, db_default=0)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        verbose_name = _("campaign of judging")
        verbose_name_plural = _("campaigns of judging")
        ordering = ("-created_at", "-pk")

    def __str__(self) -> str:
        return self.title

    @property
    def key(self) -> str:
        """The name of the campaign in a bundle."""
        return self.name or f"campaign-{self.pk}"

    @property
    def has_begun(self) -> bool:
        return self.units.exists()

    @property
    def by_account(self) -> bool:
        return self.access == self.Admission.SIGNED_IN

    @property
    def has_checks(self) -> bool:
        """Whether judges get what tells how they judge."""
        return bool(self.controls or self.spoiled or self.training or self.known)

    @property
    def by_invitation(self) -> bool:
        """Whether judges are those alone whom organizers made links for."""
        return self.access == self.Admission.OWN_LINK

    @property
    def in_pairs(self) -> bool:
        return self.kind == CampaignKind.PAIRS

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the table that votes become."""
        if self.in_pairs:
            return RATING, WINS
        columns = tuple(column for column, _text in self.questions)
        return (PENALTY, *columns) if self.marks_errors else columns

    @property
    def marks_errors(self) -> bool:
        return self.kind == CampaignKind.SPANS

    def penalty(self, spans: Sequence[Mapping[str, Any]]) -> float:
        """The sum of the weights of marked errors."""
        weights = dict(self.severities)
        return float(sum(weights.get(span["severity"], 0) for span in spans))

    @property
    def marks(self) -> Sequence[tuple[int, str]]:
        """Values of a scale with their words, from 1."""
        return list(enumerate(self.steps, 1))

    def values_in(
        self, raw: Mapping[str, Any], words: int = 0
    ) -> dict[str, Any] | None:
        """The values of a vote, by `choice`, `spans` or column; None where they are not
        whole or no such. `words` are those of the answer."""
        if self.in_pairs:
            choice = raw.get("choice")
            return {"choice": choice} if choice in Choice.values else None
        low, high = (
            (1, len(self.steps)) if self.kind == CampaignKind.SCALE else (0, HIGHEST)
        )
        values: dict[str, Any] = {}
        if self.marks_errors:
            values["spans"] = spans.check_spans(self, raw.get("spans"), words)
            if values["spans"] is None:
                return None
        for column, _text in self.questions:
            text = str(raw.get(column, ""))
            if not (text.isascii() and text.isdecimal() and len(text) < 4):
                return None
            if not low <= int(text) <= high:
                return None
            values[column] = int(text)
        return values

    @property
    def wording_version(self) -> str:
        """The version of what judges are told and asked: a hash of its words."""
        severities = [name for name, _weight in self.severities]
        wordings = [self.kind, self.questions, self.steps, self.categories, severities]
        text = json.dumps([self.instructions, *wordings])
        return sha256(text.encode()).hexdigest()[:12]

    def get_absolute_url(self) -> str:
        return reverse("judge", args=[self.token])


class JudgedUnit(models.Model):
    """A unit of the test set, with what judges see of the input. `taken` is a tally
    (`tallies`), as that of an answer."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="units")
    name = models.CharField(max_length=200)
    shown = models.JSONField(default=list)
    taken = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["campaign", "name"], name="one_judged_unit"
            ),
        )
        indexes = (
            models.Index(fields=["campaign", "taken", "id"], name="judged_least"),
        )

    def __str__(self) -> str:
        return self.name


class JudgedAnswer(models.Model):
    """A submission's answer in a unit, or one of a known answer, which has none."""

    unit = models.ForeignKey(JudgedUnit, models.CASCADE, related_name="answers")
    submission = models.ForeignKey(
        Submission, models.CASCADE, null=True, related_name="+"
    )
    text = models.TextField(blank=True)
    taken = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["unit", "submission"], name="one_judged_answer"
            ),
        )

    def __str__(self) -> str:
        return self.text[:60]


class KnownAnswer(models.Model):
    """An answer of which it is known what judges have to say: that it is better than
    `worse` or, where it stands alone, a first value from `low` to `high`."""

    unit = models.ForeignKey(JudgedUnit, models.CASCADE, related_name="known")
    better = models.ForeignKey(JudgedAnswer, models.CASCADE, related_name="+")
    worse = models.ForeignKey(JudgedAnswer, models.CASCADE, null=True, related_name="+")
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)

    def __str__(self) -> str:
        return str(self.better)


class JudgedPair(models.Model):
    """How often two systems were compared (`tallies`), `low` before `high` by key."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="+")
    low = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    high = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    taken = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["campaign", "low", "high"], name="one_judged_pair"
            ),
        )

    def __str__(self) -> str:
        return f"{self.low_id}, {self.high_id}"


class Judge(models.Model):
    """A person who judges in a campaign, by number; `key` is their link to come back.

    Nothing here says who it is. Votes of an excluded judge are kept and not counted,
    and so are those of a judge model, which `model` names. Organizers made the link of
    one who is `invited`.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judges")
    number = models.PositiveIntegerField()
    key = models.UUIDField(default=uuid.uuid4, unique=True)
    model = models.CharField(
        _("judge model"), max_length=80, blank=True, default="", db_default=""
    )
    began_at = models.DateTimeField(default=timezone.now)
    invited = models.BooleanField(default=False, db_default=False)
    excluded_at = models.DateTimeField(_("excluded at"), null=True)
    excluded_by = models.ForeignKey(
        User,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("excluded by"),
    )
    excluded_why = models.CharField(_("excluded why"), max_length=500, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        verbose_name = _("judge")
        verbose_name_plural = _("judges")
        constraints = (
            models.UniqueConstraint(fields=["campaign", "number"], name="one_judge"),
        )
        ordering = ("number",)

    def __str__(self) -> str:
        return f"judge {self.number}"

    def get_absolute_url(self) -> str:
        """The link of their own."""
        return reverse("judge-back", args=[self.campaign.token, self.key])


class JudgeAccount(models.Model):
    """The account of a judge; the row goes with the account, and votes stay."""

    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    judge = models.OneToOneField(Judge, models.CASCADE, related_name="account")
    began_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return str(self.judge)


class JudgeModels(models.Model):
    """An account that asked to let judge models judge, or was let in."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="judge_models")
    user = models.ForeignKey(User, models.CASCADE, related_name="+")
    asked_at = models.DateTimeField(default=timezone.now)
    allowed_at = models.DateTimeField(null=True)
    allowed_by = models.ForeignKey(User, models.SET_NULL, null=True, related_name="+")

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=["campaign", "user"], name="judge_models_of_account"
            ),
        )
        ordering = ("asked_at", "pk")

    def __str__(self) -> str:
        return f"{self.user} in {self.campaign}"


class Assignment(models.Model):
    """One thing to judge: an answer, or two in the order in which they are shown.

    `control_of` is the earlier assignment of the same judge that it repeats, with sides
    changed where there are two. `spoiled` is the place of an answer that was spoiled on
    purpose, in the `training` round or as a control, 0 for none. Of a `known` answer
    nothing counts for a system. Its `key` is all that
    a page says of it. `voted_at` is when the first of its votes came. `counted` is
    whether it is in the tallies. `own_team` says that it shows an answer of a team in
    which the judge was, whose account is gone.
    """

    judge = models.ForeignKey(Judge, models.CASCADE, related_name="assignments")
    unit = models.ForeignKey(JudgedUnit, models.CASCADE, related_name="+")
    first = models.ForeignKey(JudgedAnswer, models.CASCADE, related_name="+")
    second = models.ForeignKey(
        JudgedAnswer, models.CASCADE, null=True, related_name="+"
    )
    control_of = models.ForeignKey("self", models.CASCADE, null=True, related_name="+")
    spoiled = models.PositiveSmallIntegerField(default=0, db_default=0)
    training = models.BooleanField(default=False, db_default=False)
    known = models.ForeignKey(KnownAnswer, models.CASCADE, null=True, related_name="+")
    key = models.UUIDField(default=uuid.uuid4, unique=True)
    at = models.DateTimeField(default=timezone.now)
    voted_at = models.DateTimeField(null=True)
    counted = models.BooleanField(default=False, db_default=False)
    own_team = models.BooleanField(default=False, db_default=False)

    class Meta:
        indexes = (
            models.Index(fields=["judge", "unit"], name="assignment_of_unit"),
            models.Index(
                fields=["at"],
                condition=Q(voted_at=None, counted=True),
                name="assignment_under_way",
            ),
        )
        ordering = ("pk",)

    def __str__(self) -> str:
        return str(self.key)

    @property
    def is_check(self) -> bool:
        """Whether it says something of the judge alone."""
        checks = (self.control_of_id, self.known_id)
        return self.spoiled > 0 or any(check is not None for check in checks)


class Vote(models.Model):
    """A judge's answer, written once. `values` is empty where they could not tell.

    `key` is that of the page it was sent from: sent again, it is the same vote. `told`
    is the version of the instructions then, "" of votes from elsewhere. One that the
    judge changed is kept and says when it was replaced.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="votes")
    key = models.UUIDField()
    values = models.JSONField(default=dict)
    seconds = models.PositiveIntegerField(null=True)
    told = models.CharField(max_length=12, blank=True, default="", db_default="")
    at = models.DateTimeField(default=timezone.now)
    replaced_at = models.DateTimeField(null=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["assignment", "key"], name="one_sending"),
            models.UniqueConstraint(
                fields=["assignment"], condition=Q(replaced_at=None), name="one_vote"
            ),
        )
        ordering = ("pk",)

    def __str__(self) -> str:
        return str(self.values)
