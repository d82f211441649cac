"""Entry point for WSGI servers."""

import os

from django.core.wsgi import get_wsgi_application

from scoring.sandbox.kernel import close_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# Nobody else under this account reads or writes what this process has in memory.
close_memory()
application = get_wsgi_application()

# Loaded once Django is set up; pages too, before this process is copied.
from leaderboard import startup, urls  # noqa: E402, F401

startup.require_safe()
