"""Entry point for WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

application = get_wsgi_application()

# Loaded once Django is set up. It shall be ready before the first upload is.
from leaderboard.submissions import checking  # noqa: E402

checking.runner.start()
