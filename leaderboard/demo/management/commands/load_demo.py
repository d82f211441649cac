"""manage.py load_demo: the synthetic demo tasks, once."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from leaderboard.demo.loader import load


class Command(BaseCommand):
    help = "Load the synthetic demo tasks; doing it again changes nothing."
    requires_system_checks = ()  # `migrate` has just made them

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.LOCAL:
            raise CommandError("The demonstration is for this machine alone.")
        loaded = load(timezone.now())
        self.stdout.write("demo data loaded" if loaded else "demo data was there")
