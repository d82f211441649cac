"""Accounts and the teams they form."""

import unicodedata
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.core.exceptions import ValidationError
from django.db import models
from django.utils import timezone

NAME_LENGTH = 60
INVISIBLE = {"Cc", "Cf", "Zl", "Zp", "Co", "Cn", "Cs"}


def check_display_name(name: str) -> None:
    """Refuse names with invisible or direction-changing characters."""
    if any(unicodedata.category(character) in INVISIBLE for character in name):
        raise ValidationError("The name holds a character that cannot be seen.")


def name_key(name: str) -> str:
    """What two names share when they look alike: case, width and separators."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


class UserManager(BaseUserManager):
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
    wants_letters = models.BooleanField(
        default=True, help_text="Mail of organizers that is not marked as important."
    )
    wants_results = models.BooleanField(
        default=True, help_text="Mail when something one sent is scored or failed."
    )

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    objects = UserManager()

    def __str__(self) -> str:
        return self.name or self.email.partition("@")[0]


class TeamQuerySet(models.QuerySet):
    def of(self, user: User) -> "TeamQuerySet":
        return self.filter(memberships__user=user)


class Team(models.Model):
    """A group that enters tasks together; one person may be a team."""

    name = models.CharField(
        max_length=NAME_LENGTH, unique=True, validators=[check_display_name]
    )
    key = models.CharField(max_length=NAME_LENGTH * 4, unique=True, editable=False)
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
        name = unicodedata.normalize("NFC", " ".join(name.split()))
        team = cls(name=name, key=name_key(name))
        if not team.key:
            raise ValidationError({"name": "The name needs a letter or a digit."})
        team.full_clean(validate_unique=False)
        like = Team.objects.filter(key=team.key).first()
        if like is not None:
            message = f"There is a team “{like}”; choose a name that differs more."
            raise ValidationError({"name": message})
        team.save()
        Membership.objects.create(team=team, user=user, role=Membership.Role.LEADER)
        return team


class Membership(models.Model):
    class Role(models.TextChoices):
        LEADER = "leader"
        MEMBER = "member"

    team = models.ForeignKey(Team, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role, default=Role.MEMBER)
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=["team", "user"], name="one_membership"),
        )

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"
