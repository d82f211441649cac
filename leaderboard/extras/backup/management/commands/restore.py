"""`manage.py restore`: a backup in the place of what is here."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.extras.backup import restoration
from leaderboard.extras.backup.archive import Damaged, in_words
from leaderboard.extras.backup.postgres import NoProgram


class Command(BaseCommand):
    help = "Put a backup back; web processes and workers should be stopped."
    # It may be asked of a database that has no tables yet.
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="as backup wrote it")
        parser.add_argument(
            "--replace", action="store_true", help="even where there are data"
        )
        parser.add_argument(
            "--check", action="store_true", help="only look at the file, byte by byte"
        )

    def handle(
        self, *args: Any, file: Path, replace: bool, check: bool, **options: Any
    ) -> None:
        try:
            if check:
                manifest = restoration.looked_at(file)
            else:
                manifest = restoration.restore(file, replace)
        except Damaged as error:
            raise CommandError(
                f"nothing was done, {file} is damaged: {error}"
            ) from error
        except (restoration.RestoreRefused, NoProgram, OSError) as error:
            raise CommandError(f"not restored: {in_words(error)}") from error
        except restoration.Unsound as error:
            raise CommandError(f"not restored, it is not sound:\n{error}") from error
        done = "unharmed" if check else "restored"
        self.stdout.write(f"{file}: {done}, made at {manifest['made_at']}")
