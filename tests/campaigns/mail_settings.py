"""The tests' settings for a site with a mail server, which is met every two seconds."""

import os

from tests.settings import *  # noqa: F403
from tests.settings import CELERY_BEAT_SCHEDULE

CELERY_BEAT_SCHEDULE["mail"]["schedule"] = int(os.environ["POST_SECONDS"])
