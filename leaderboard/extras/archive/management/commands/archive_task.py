"""manage.py archive_task SLUG: one zip with everything that is shown of a task."""

from contextlib import suppress
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from leaderboard.extension.models import Task
from leaderboard.extras.archive.contents import ArchiveOptions, NotOver, write
from leaderboard.extras.archive.download import file_name


class Command(BaseCommand):
    help = "Write a task with its boards, exports and receipts as one zip."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="the task in addresses")
        parser.add_argument(
            "-o", "--output", type=Path, help="a name that ends in .zip"
        )
        parser.add_argument(
            "--with-submissions", action="store_true", help="what the teams sent, too"
        )
        parser.add_argument("--with-gold", action="store_true", help="the gold, too")

    def handle(self, *args: Any, **options: Any) -> None:
        task = Task.objects.filter(slug=options["slug"]).first()
        if task is None:
            raise CommandError(f"there is no task {options['slug']}")
        path = options["output"] or Path(file_name(task))
        parts = ArchiveOptions(options["with_submissions"], options["with_gold"])
        try:
            with path.open("x+b") as file:
                if parts.gold or parts.submissions:
                    path.chmod(0o600)
                digest = write(task, parts, file)
        except FileExistsError:
            raise CommandError(f"{path} is there already") from None
        except NotOver:
            path.unlink()
            raise CommandError("no phase of the task is over yet") from None
        except OSError as error:
            with suppress(OSError):  # what was begun is in the way of the next attempt
                path.unlink()
            raise CommandError(f"{path} cannot be written: {error.strerror}") from error
        self.stdout.write(f"wrote {path}\n{digest}")
