"""The web application around the scoring engine."""

from leaderboard.celery import app as celery_app

__all__ = ["celery_app"]
