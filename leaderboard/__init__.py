"""The web application around the scoring engine."""

import gc
import os

# Before NumPy is loaded: on a busy machine its threads wait for each other for longer
# than our products take. A worker is a process, there are as many as are wanted.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Garbage is looked for after 20,000 new objects, not 700: that saves a tenth of the
# time of each start, and a quarter of that of a board of 10,000.
gc.set_threshold(20_000)

from leaderboard.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
