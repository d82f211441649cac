"""People of a task: those who organize it and those who take part."""

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from leaderboard.tasks.models.changes import AuditedQuerySet
from leaderboard.tasks.models.task import Phase, Task
from leaderboard.teams.models import Membership, Team, User


class Organizer(models.Model):
    """A person with a role in a task; what each role may do is in `policy`."""

    class Role(models.TextChoices):
        OWNER = "owner", _("Owner: everything, roles included")
        EDITOR = "editor", _("Editor: the task, its gold and its participants")
        REVIEWER = (
            "reviewer",
            _("Reviewer: sees scores and submissions, changes nothing"),
        )

    task = models.ForeignKey(Task, models.CASCADE)
    user = models.ForeignKey(User, models.CASCADE)
    role = models.CharField(max_length=10, choices=Role, default=Role.OWNER)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_organizer"),
        )

    def __str__(self) -> str:
        return f"{self.user} organizes {self.task}"


class Invitation(models.Model):
    """Asks whoever reads mail at an address to take a role in a task.

    Its link is signed; it works once, for an account with that address, until
    `EXPIRES` has passed or it is taken back.
    """

    EXPIRES = timedelta(days=14)

    task = models.ForeignKey(Task, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Organizer.Role)
    by = models.ForeignKey(User, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.email} for {self.task}"

    @property
    def is_open(self) -> bool:
        """Whether it is neither taken, nor taken back, nor too old."""
        ended = self.accepted_at or self.revoked_at
        return not ended and timezone.now() < self.at + self.EXPIRES


class ParticipationQuerySet(AuditedQuerySet):
    def of(self, user: Any) -> "ParticipationQuerySet":
        """Entries a person takes part in; a team's newest members are in it too.

        Whoever is in a task with one team sees nothing of another team there.
        """
        participants = Participant.objects.filter(user=user.pk)
        own = Q(pk__in=participants.filter(left_at=None).values("participation"))
        teams = Membership.objects.filter(user=user.pk).values("team")
        joined_later = Q(team__in=teams) & ~Q(task__in=participants.values("task"))
        return self.filter(own | joined_later)


class Participation(models.Model):
    """A team that takes part in a task. `reason` is given with every status but active.

    Of merged teams one stays; the other's entry points to it and keeps its history.
    `status_by_team` says that the team itself chose the status. `alias` is the number
    by which others know it while it is `anonymous`: drawn by lot, kept for good.
    `ranks_anyway`: an owner lets it rank although organizers are in it. `answers` are
    those to the registration questions, by name; only the team and organizers see them.
    """

    class Status(models.TextChoices):
        ACTIVE = "active", _("Takes part")
        PENDING = "pending", _("Waits for admission")
        REFUSED = "refused", _("Not admitted")
        WITHDRAWN = "withdrawn", _("Withdrew")
        DISQUALIFIED = "disqualified", _("Disqualified")
        MERGED = "merged", _("Merged into another team")

    task = models.ForeignKey(Task, models.CASCADE, related_name="participations")
    team = models.ForeignKey(Team, models.CASCADE, related_name="participations")
    joined_at = models.DateTimeField(default=timezone.now)
    status = models.CharField(max_length=20, choices=Status, default=Status.ACTIVE)
    reason = models.CharField(max_length=500, blank=True)
    status_at = models.DateTimeField(default=timezone.now)
    status_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    status_by_team = models.BooleanField(default=False)
    merged_into = models.ForeignKey(
        "self", models.PROTECT, null=True, blank=True, related_name="merged"
    )
    ranks_anyway = models.BooleanField(default=False, db_default=False)
    anonymous = models.BooleanField(default=False)
    terms_accepted_at = models.DateTimeField(null=True, blank=True)
    answers = models.JSONField(default=dict, db_default={}, blank=True, editable=False)
    alias = models.PositiveIntegerField(null=True, blank=True, editable=False)

    objects = ParticipationQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "team"], name="one_participation"),
            models.UniqueConstraint(fields=["task", "alias"], name="one_alias"),
        )

    def __str__(self) -> str:
        return f"{self.team} in {self.task}"

    @property
    def is_active(self) -> bool:
        """Whether the team takes part: what it sent can be on a board."""
        return self.status == self.Status.ACTIVE

    def with_merged(self) -> list[int]:
        """Keys of the entry and of all that were ever merged into it."""
        keys, new = [self.pk], [self.pk]
        while new:
            merged = Participation.objects.filter(merged_into__in=new)
            new = list(merged.values_list("pk", flat=True))
            keys += new
        return keys


class Participant(models.Model):
    """A person in a task: at most one team each, which the database enforces.

    Who left the team since (`left_at`) sees nothing of it and joins no other here.
    """

    task = models.ForeignKey(Task, models.CASCADE, related_name="participants")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="participants"
    )
    participation = models.ForeignKey(
        Participation, models.CASCADE, related_name="participants"
    )
    left_at = models.DateTimeField(null=True, blank=True)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_team_per_task"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.participation}"


class Follower(models.Model):
    """A person who wants the announcements of a task by mail without taking part."""

    task = models.ForeignKey(Task, models.CASCADE, related_name="followers")
    user = models.ForeignKey(User, models.CASCADE, related_name="follows")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["task", "user"], name="one_follower"),
        )

    def __str__(self) -> str:
        return f"{self.user} follows {self.task}"


class Extension(models.Model):
    """A later end of a phase for one team.

    What is withheld of the phase stays withheld until the last one has passed, see
    `policy.reveal_of`.
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="extensions")
    participation = models.ForeignKey(
        Participation, models.CASCADE, related_name="extensions"
    )
    until = models.DateTimeField(_("Until"))
    by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(default=timezone.now)

    objects = AuditedQuerySet.as_manager()

    class Meta:
        ordering = ("until", "pk")
        verbose_name = _("Extension")
        constraints = (
            models.UniqueConstraint(
                fields=["phase", "participation"], name="one_extension"
            ),
        )

    def __str__(self) -> str:
        return f"{self.phase} for {self.participation.team}"
