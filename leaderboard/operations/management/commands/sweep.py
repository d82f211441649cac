"""`manage.py sweep`: one sweep by hand or from cron, where no scheduler runs."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.operations import garbage_collection
from leaderboard.submissions import dispatch, leases


class Command(BaseCommand):
    help = "Free stuck evaluations, tell the queue what waits, remove unused files."

    def handle(self, *args: Any, **options: Any) -> None:
        freed, hinted, removed = (
            leases.reap(),
            dispatch.hint_waiting(),
            garbage_collection.collect(),
        )
        self.stdout.write(f"freed {freed}, told {hinted}, removed {removed} files")
