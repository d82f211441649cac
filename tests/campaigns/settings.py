"""The tests' settings with short times, for workers that are killed all the time."""

from tests.settings import *  # noqa: F403

LEASE_SECONDS = 3
HINT_SECONDS = 2
BACK_OFF_SECONDS = 0.1
MOST_ATTEMPTS = 10
