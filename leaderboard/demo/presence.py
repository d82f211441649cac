"""Whether the demonstration is in the database."""

from leaderboard.demo.story import TASKS
from leaderboard.tasks.models import Task


def is_loaded() -> bool:
    return Task.objects.filter(slug__in=[task.slug for task in TASKS]).exists()
