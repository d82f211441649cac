"""Signed addresses under which a person switches mail off, without signing in."""

from django.core.signing import dumps

from leaderboard.teams.models import User
from leaderboard.web.addresses import address

SALT = "letters of organizers"  # of links in mail that was sent long ago too
RESULTS_SALT = "mail about results"


def off_address(user: User) -> str:
    """The path under which messages to that person can be switched off."""
    return address("messages-off", dumps(user.pk, salt=SALT))


def results_off_address(user: User) -> str:
    """The same for mail about results."""
    return address("results-off", dumps(user.pk, salt=RESULTS_SALT))
