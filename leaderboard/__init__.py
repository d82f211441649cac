"""The web application around the scoring engine."""

import gc
import os

# To look for garbage in what is being loaded takes a third of a start, and all of it
# stays. When it is loaded, `look_for_garbage` begins.
gc.disable()

# Before NumPy is loaded: on a busy machine its threads wait for each other for longer
# than our products take. A worker is a process, there are as many as are wanted.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from leaderboard.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]


def look_for_garbage() -> None:
    """Garbage is collected from now on, among new objects: what this process has loaded
    stays."""
    gc.freeze()
    gc.enable()
