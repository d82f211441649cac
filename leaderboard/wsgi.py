"""Entry point for WSGI servers."""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application

from leaderboard.sandbox.kernel import close_memory

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")

# Nobody else under this account reads or writes what this process has in memory.
close_memory()
application = get_wsgi_application()

# Loaded once Django is set up; pages too, before this process is copied.
from leaderboard import startup, urls  # noqa: E402, F401

startup.require_safe()

# While one thread makes a page anew, others hand out pages that are made: they ask for
# their turn a dozen times each, and turns of five milliseconds would add up.
sys.setswitchinterval(0.0005)

# What is loaded by now stays: to look through all of it for garbage, whenever a board
# makes many objects, took a third of the time of a member's front page. What is made
# later is looked through after 20,000 new objects, not 700: that saves a quarter of the
# time of a board of 10,000.
gc.freeze()
gc.set_threshold(20_000)
