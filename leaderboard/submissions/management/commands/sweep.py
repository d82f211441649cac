"""`manage.py sweep`: one sweep by hand or from cron, where no scheduler runs."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.submissions import garbage_collection, jobs, leases


class Command(BaseCommand):
    help = "Free stuck evaluations, tell the queue what waits, remove unused files."

    def handle(self, *args: Any, **options: Any) -> None:
        freed, told, removed = (
            leases.reap(),
            jobs.dispatch(),
            garbage_collection.collect(),
        )
        self.stdout.write(f"freed {freed}, told {told}, removed {removed} files")
