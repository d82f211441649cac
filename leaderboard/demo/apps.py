"""The demonstration, and the check that no public site has its passwords."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.db import DatabaseError

from leaderboard.demo.story import LOGINS


@register(Tags.security, deploy=True)
def demo_logins(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """An error for each account of the demonstration that anybody can log in to."""
    if settings.LOCAL:
        return []
    return [
        Error(
            f"{email} has the password of the demonstration.",
            hint="Delete the account or change its password; a public site is never "
            "loaded with the demonstration.",
            id="plumbline.E001",
        )
        for email in open_to_all()
    ]


def open_to_all() -> list[str]:
    """Accounts of the demonstration that still have its passwords."""
    from leaderboard.teams.models import User

    passwords = {email: password for _, email, password in LOGINS}
    try:
        users = list(User.objects.filter(email__in=passwords, is_active=True))
    except DatabaseError:  # no tables yet: nobody either
        return []
    return [user.email for user in users if user.check_password(passwords[user.email])]


class DemoConfig(AppConfig):
    """An app for its command and its check; it has no models."""

    name = "leaderboard.demo"
    label = "demo"
