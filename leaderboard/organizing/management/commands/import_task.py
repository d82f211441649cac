"""manage.py import_task PATH: create a task from a bundle folder or zip."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.organizing.bundles import import_bundle
from leaderboard.tasks.creation import bundle_of
from leaderboard.teams.models import User
from scoring.errors import SetupError


class Command(BaseCommand):
    help = "Create a task from a bundle: a folder or zip with task.yaml."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--organizer", help="mail address of the organizer")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"there is no {path}")
        organizer = self._organizer(options["organizer"])
        try:
            task = import_bundle(bundle_of(path), organizer)
        except SetupError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        self.stdout.write(f"created {task.slug}: {task.get_absolute_url()}")

    def _organizer(self, email: str | None) -> User | None:
        if email is None:
            return None
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            raise CommandError(f"nobody has the address {email}")
        return user
