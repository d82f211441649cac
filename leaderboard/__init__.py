"""The web application around the scoring engine."""

import os

# Before NumPy is loaded: on a busy machine its threads wait for each other for longer
# than our products take. A worker is a process, there are as many as are wanted.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
