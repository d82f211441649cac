"""Accounts and the teams they form."""

import unicodedata
from datetime import timedelta
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.teams.names import (
    MOST_AFFILIATIONS,
    NAME_LENGTH,
    check_display_name,
    check_seen,
    name_key,
)

__all__ = [
    "NAME_LENGTH",
    "CreationRequest",
    "Membership",
    "Team",
    "TeamInvitation",
    "User",
    "check_display_name",
    "check_seen",
    "name_key",
]


RESERVED = name_key("Anonymous")  # with a number: a team that hides its name


class UserManager(BaseUserManager["User"]):
    def create_user(
        self, email: str, password: str | None = None, **fields: Any
    ) -> "User":
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str, **fields: Any) -> "User":
        return self.create_user(
            email, password, is_staff=True, is_superuser=True, **fields
        )


class User(AbstractBaseUser, PermissionsMixin):
    """Somebody with a mail address; there are no user names."""

    email = models.EmailField(unique=True)
    name = models.CharField(
        max_length=NAME_LENGTH, blank=True, validators=[check_display_name]
    )
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)
    wants_messages = models.BooleanField(
        default=True, help_text="Mail of organizers that is not marked as important."
    )
    wants_results = models.BooleanField(
        default=True, help_text="Mail when something one sent is scored or failed."
    )
    language = models.CharField(
        max_length=10, blank=True, help_text="Of mail; empty while nothing is known."
    )

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email.partition("@")[0]

    @property
    def name_and_address(self) -> str:
        """Name and address, for those who may write; a person who was forgotten has an
        address that no mail can reach."""
        reached = not self.email.endswith(".invalid")
        return f"{self} <{self.email}>" if reached else str(self)


class TeamQuerySet(models.QuerySet):
    def of(self, user: User) -> "TeamQuerySet":
        return self.filter(memberships__user=user)


class Team(models.Model):
    """A group that enters tasks together; one person may be a team."""

    name = models.CharField(
        max_length=NAME_LENGTH, unique=True, validators=[check_display_name]
    )
    key = models.CharField(max_length=NAME_LENGTH * 4, unique=True, editable=False)
    # As papers print them beside the name; not shown where the name is hidden.
    affiliations = models.CharField(
        max_length=MOST_AFFILIATIONS,
        blank=True,
        default="",
        db_default="",
        validators=[check_seen],
    )
    created_at = models.DateTimeField(default=timezone.now)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    objects = TeamQuerySet.as_manager()

    def __str__(self) -> str:
        return self.name

    @classmethod
    def found(cls, name: str, user: User) -> "Team":
        """Create a team with its first member.

        Raises ValidationError when the name is taken or looks like another one.
        """
        team = cls.build(name)
        team.save()
        Membership.objects.create(team=team, user=user, role=Membership.TeamRole.LEADER)
        return team

    @classmethod
    def build(cls, name: str) -> "Team":
        """A new team that is not saved yet. Raises ValidationError as `found` does."""
        team = cls(name=_normal_form(name))
        team.full_clean(exclude=("key",), validate_unique=False)
        return team

    def clean(self) -> None:
        """Set the key by the name.

        Raises ValidationError when the name is taken or looks like another one.
        """
        self.name = _normal_form(self.name)
        self.key = name_key(self.name)
        if not self.key:
            raise ValidationError({"name": _("The name needs a letter or a digit.")})
        if self.key.startswith(RESERVED):
            message = _("Teams that hide their names are called so; choose another.")
            raise ValidationError({"name": message})
        like = Team.objects.filter(key=self.key).exclude(pk=self.pk).first()
        if like is not None:
            message = _("There is a team “%(name)s”; choose a name that differs more.")
            raise ValidationError({"name": message % {"name": like}})


def _normal_form(name: str) -> str:
    """A name in one form, with single spaces."""
    return unicodedata.normalize("NFC", " ".join(name.split()))


class Membership(models.Model):
    """A person in a team, with a role."""

    class TeamRole(models.TextChoices):
        LEADER = "leader", gettext_lazy("Leader")
        MEMBER = "member", gettext_lazy("Member")

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=TeamRole, default=TeamRole.MEMBER)
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["team", "user"], name="one_membership"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class TeamInvitation(models.Model):
    """Lets one person into one team by a signed link, once and for some days."""

    EXPIRES = timedelta(days=14)

    team = models.ForeignKey(Team, models.CASCADE, related_name="invitations")
    by = models.ForeignKey(User, models.CASCADE, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-at", "-pk")

    def __str__(self) -> str:
        return f"{self.team}, {self.at:%Y-%m-%d}"

    @property
    def is_open(self) -> bool:
        """Whether it is neither taken, nor taken back, nor too old."""
        ended = self.accepted_at or self.revoked_at
        return not ended and timezone.now() < self.expires_at


class CreationRequest(models.Model):
    """A person's request to create tasks, and the answer of an administrator.

    `about` is empty where an administrator let somebody who had not asked.
    """

    class RequestAnswer(models.TextChoices):
        GRANTED = "granted", gettext_lazy("Granted")
        DECLINED = "declined", gettext_lazy("Declined")

    user = models.ForeignKey(User, models.CASCADE, related_name="creation_requests")
    about = models.TextField(
        gettext_lazy("What would you like to organize?"), max_length=1000
    )
    at = models.DateTimeField(default=timezone.now)
    answer = models.CharField(max_length=10, choices=RequestAnswer, blank=True)
    reason = models.CharField(gettext_lazy("Reason"), max_length=300, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    answered_by = models.ForeignKey(
        User, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        ordering = ("-at", "-pk")
        constraints = (
            models.UniqueConstraint(
                fields=["user"],
                condition=models.Q(answer=""),
                name="one_open_creation_request",
            ),
        )

    def __str__(self) -> str:
        return f"{self.user}, {self.at:%Y-%m-%d}"


class DailyCount(models.Model):
    """How much of something there was on a day, of a task, a person or an address.

    Nothing refers to it, and nothing but time takes it away (`teams.limits`).
    """

    what = models.CharField(max_length=80)
    day = models.DateField(db_index=True)
    number = models.PositiveIntegerField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["what", "day"], name="one_count_a_day"),
        )

    def __str__(self) -> str:
        return f"{self.what}, {self.day}: {self.number}"
