"""manage.py import_task PATH: create a task from a bundle folder or zip."""

from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.organize.bundle import import_opened, import_plan, unnamed_files
from leaderboard.tasks.bundle.create import Draft, Opened, open_bundle
from leaderboard.tasks.bundle.files import bundle_of
from leaderboard.tasks.bundle.load import declared_plan, load, with_units
from leaderboard.tasks.bundle.schema import TaskPlan
from leaderboard.tasks.models import Task
from leaderboard.tasks.organizer_quota import OverQuota
from leaderboard.teams.models import User
from leaderboard.web.extras import importer_of
from scoring.errors import SetupError

DRAFT = "It is a draft: only its organizers see it until they publish it."
PUBLIC = (
    "It is public, without a check: its bundle says 'draft: false'. Everybody sees it "
    "now, and it cannot be deleted any more."
)


def _converted_bundle(path: Path) -> Opened | None:
    """The bundle made of another site's; None for one of ours. Raises SetupError.

    A zip is read in the sandbox, where it cannot take more than the limits.
    """
    if path.is_dir():
        files = bundle_of(path).files
        if not (importer := importer_of(files)):
            return None
        bundle, rows = importer.convert(files, None)
        return Opened(with_units(declared_plan(bundle)), importer, rows)
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
    except BadZipFile:
        return None  # what is wrong with it is said where it is read
    if importer_of(names) is None:
        return None
    with path.open("rb") as file:
        return open_bundle(path.name, file, None)


def _require_claims(plan: TaskPlan) -> None:
    """Raise for a plan whose boards can tell no two systems apart, so that nobody
    publishes it by mistake."""
    least = settings.LEAST_HEADLINE_UNITS
    # 0: only the task's program can tell, which has not run.
    few = [test_set for test_set in plan.test_sets if 0 < test_set.units < least]
    if plan.draft is False and few:
        raise CommandError(
            f"Units ({plan.scoring.unit}) of {few[0].title}: {few[0].units}. Of fewer "
            f"than {least} none tell two systems apart. Take smaller units, or publish "
            "it with --few-units."
        )


class Command(BaseCommand):
    help = (
        "Create a task from a bundle: a folder or zip with task.yaml. It is a draft "
        "unless the bundle says 'draft: false'. A bundle of another site that can be "
        "imported becomes a draft, with a report of what was not taken."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path, help="the folder or zip")
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
            if (moved := _converted_bundle(path)) is not None:
                draft = import_opened(moved, organizer)
                task = draft.task
                self._report(draft)
            else:
                task = self._import(path, organizer, options["few_units"])
        except SetupError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        except OverQuota as refusal:
            raise CommandError(refusal.sentence) from None
        self.stdout.write(f"created {task.slug}: {task.get_absolute_url()}")
        if task.draft:
            self.stdout.write(DRAFT)
        else:
            self.stdout.write(self.style.WARNING(PUBLIC))

    def _import(self, path: Path, organizer: User | None, few_units: bool) -> Task:
        plan = load(bundle_of(path))
        if unnamed := unnamed_files(plan):
            self.stdout.write(self.style.WARNING(unnamed))
        if not few_units:
            _require_claims(plan)
        return import_plan(plan, organizer, publish=True)

    def _report(self, draft: Draft) -> None:
        lists = {"Taken": draft.taken, "Not imported as it was": draft.left}
        for title, lines in lists.items():
            self.stdout.write(f"{title}:")
            for line in lines or ["nothing"]:
                self.stdout.write(f"- {line}")

    def _organizer(self, email: str | None) -> User | None:
        if email is None:
            return None
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            raise CommandError(f"nobody has the address {email}")
        return user
