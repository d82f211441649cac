"""manage.py import_submissions TASK PHASE LIST.csv: bring past submissions along."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.extension.blobs import OverQuota
from leaderboard.extension.models import Phase, User
from leaderboard.extension.policy import Power, can
from leaderboard.extras.moving.past_submissions import (
    ImportResult,
    folder_reader,
    import_list,
)
from scoring.errors import SetupError

CHECKED = "Nothing was changed: call it once more with --apply to bring them along."


class Command(BaseCommand):
    help = (
        "Bring submissions along that were sent to another site, by a CSV with the "
        "columns team, system, time, file, and perhaps test_set, email, description. "
        "Without --apply the list and its files are only checked."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("task", help="slug of the task")
        parser.add_argument("phase", help="name of the phase")
        parser.add_argument("path", type=Path, metavar="LIST.csv")
        parser.add_argument(
            "--organizer",
            required=True,
            help="mail address of the organizer who brings them",
        )
        parser.add_argument(
            "--apply", action="store_true", help="bring them along, all or none"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        phase = self._phase(options["task"], options["phase"])
        organizer = self._organizer(options["organizer"], phase)
        path: Path = options["path"]
        if not path.is_file():
            raise CommandError(f"there is no file {path}")
        try:
            imported = import_list(
                phase,
                organizer,
                path.name,
                path.read_bytes(),
                folder_reader(path.parent),
                apply=options["apply"],
            )
        except SetupError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        except OverQuota as refusal:
            raise CommandError(refusal.sentence) from None
        self._report(imported, options["apply"])

    def _report(self, imported: ImportResult, applied: bool) -> None:
        verb = "imported" if applied else "would be imported"
        self.stdout.write(f"{len(imported.new)} submissions {verb}")
        if imported.there:
            self.stdout.write(f"{len(imported.there)} are there already")
        if imported.teams:
            self.stdout.write(f"new teams, without members: {len(imported.teams)}")
        if imported.again:
            names = ", ".join(imported.again)
            self.stdout.write(f"teams of other tasks of yours, taken again: {names}")
        if not applied:
            self.stdout.write(CHECKED)

    def _phase(self, slug: str, name: str) -> Phase:
        phases = Phase.objects.filter(task__slug=slug).select_related("task")
        phase = phases.filter(name=name).first()
        if phase is None:
            names = ", ".join(phases.values_list("name", flat=True))
            if not names:
                raise CommandError(f"there is no task {slug} with phases")
            raise CommandError(f"{slug} has no phase {name}; it has {names}")
        return phase

    def _organizer(self, email: str, phase: Phase) -> User:
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            raise CommandError(f"nobody has the address {email}")
        if not can(user, phase.task, Power.EDIT):
            raise CommandError(f"{email} may not edit {phase.task.slug}")
        return user
