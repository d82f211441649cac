"""The tests' settings with a day's upkeep in minutes, for a site that runs for long."""

from tests.settings import *  # noqa: F403

COLLECT_SECONDS = 20
# Everybody is one program here.
API_RATES = dict.fromkeys(("read", "write", "anonymous_read", "anonymous_write"), 10**9)
