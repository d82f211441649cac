"""`manage.py backup`: database and files of the running site in one file."""

from argparse import ArgumentParser
from contextlib import suppress
from os import listdir
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from leaderboard.extension.upkeep import BackupRun
from leaderboard.extras.backup import creation
from leaderboard.extras.backup.archive import in_words
from leaderboard.extras.backup.postgres import NoProgram


class Command(BaseCommand):
    help = "Write database and files to one sealed file, while the site runs."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", type=Path, help="new file, or a folder, where it gets a dated name"
        )
        parser.add_argument(
            "--keep",
            type=int,
            help="dated backups to keep in the folder",
        )

    def handle(self, *args: Any, file: Path, keep: int | None, **options: Any) -> None:
        if keep is not None and keep < 1:
            raise CommandError(f"--keep takes a number from 1 on, not {keep}")
        dated = file.is_dir()
        path = creation.dated_path(file, timezone.now()) if dated else file
        try:
            if keep:
                listdir(file)  # what is kept is kept in a folder
            manifest = creation.make(path)
        except (OSError, NoProgram) as error:
            _note(f"none was made: {getattr(error, 'strerror', None) or error}")
            raise CommandError(f"no backup was made: {in_words(error)}") from error
        except Exception as error:
            _note(f"none was made: {type(error).__name__}")
            raise
        self.stdout.write(f"{path}: database and {manifest['files']} files")
        missing = manifest["missing"]
        _note(f"{len(missing)} files are gone or damaged" if missing else "")
        if missing:
            raise CommandError(
                f"the backup is made, but {len(missing)} files that it should hold are "
                f"gone or damaged, the first {missing[0]}"
            )
        for old in creation.prune(file, keep) if keep else ():
            self.stdout.write(f"{old}: removed")


def _note(problem: str) -> None:
    """Keep how it went, so that operators are told of a failure."""
    with suppress(DatabaseError):  # a database that is away is told of otherwise
        BackupRun.objects.create(problem=" ".join(problem.split())[:300])
