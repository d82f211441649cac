"""manage.py import_task PATH: create a task from a bundle folder or zip."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.organize.bundle import import_plan
from leaderboard.tasks.bundle.files import bundle_of
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.teams.models import User
from scoring.errors import SetupError

DRAFT = "It is a draft: only its organizers see it until they publish it."
PUBLIC = (
    "It is public, without a check: its bundle says 'draft: false'. Everybody sees it "
    "now, and it cannot be deleted any more."
)


def _require_claims(plan: TaskPlan) -> None:
    """Nobody publishes by mistake what can tell no two systems apart."""
    least = settings.LEAST_HEADLINE_UNITS
    few = [one for one in plan.test_sets if one.units < least]
    if plan.draft is False and few:
        raise CommandError(
            f"{few[0].title} has {few[0].units} units ({plan.scoring.unit}), fewer "
            f"than {least}: no two systems can be told apart. Take smaller units, or "
            "publish it with --few-units."
        )


class Command(BaseCommand):
    help = (
        "Create a task from a bundle: a folder or zip with task.yaml. It is a draft "
        "unless the bundle says 'draft: false'."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument("--organizer", help="mail address of the organizer")
        parser.add_argument(
            "--few-units",
            action="store_true",
            help="publish although a test set has fewer than 10 units",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["path"]
        if not path.exists():
            raise CommandError(f"there is no {path}")
        organizer = self._organizer(options["organizer"])
        try:
            plan = load(bundle_of(path))
            if not options["few_units"]:
                _require_claims(plan)
            task = import_plan(plan, organizer, publish=True)
        except SetupError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        self.stdout.write(f"created {task.slug}: {task.get_absolute_url()}")
        if task.draft:
            self.stdout.write(DRAFT)
        else:
            self.stdout.write(self.style.WARNING(PUBLIC))

    def _organizer(self, email: str | None) -> User | None:
        if email is None:
            return None
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            raise CommandError(f"nobody has the address {email}")
        return user
