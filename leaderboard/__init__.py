"""The web application around the scoring engine."""

import os

from leaderboard import garbage

garbage.put_off()  # `embedded.apps` begins with it when all is loaded

# Before NumPy is loaded: on a busy machine its threads wait for each other for longer
# than our products take. A worker is a process, there are as many as are wanted.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from leaderboard.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
