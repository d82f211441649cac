"""Entry point for WSGI servers."""

import gc
import os
import sys

# All of what is loaded stays: looking for garbage in it took a fifth of the start.
gc.disable()

from django.core.wsgi import get_wsgi_application  # noqa: E402

from scoring.sandbox.kernel import close_memory  # noqa: E402

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# Nobody else under this account reads or writes what this process has in memory.
close_memory()
application = get_wsgi_application()

# Loaded once Django is set up; pages too, before this process is copied.
from leaderboard import startup, urls  # noqa: E402, F401
from leaderboard.web.memory import keep_loaded  # noqa: E402

startup.require_safe()

# While one thread makes a page anew, others hand out pages that are made: they ask for
# their turn a dozen times each, and turns of five milliseconds would add up.
sys.setswitchinterval(0.0005)

keep_loaded()
