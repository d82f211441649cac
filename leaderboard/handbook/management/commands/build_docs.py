"""`manage.py build_docs`: the pages of this version, older ones removed."""

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.handbook.pages import NotInHandbook, build, built, pages


class Command(BaseCommand):
    help = "Build the handbook that the site serves at /docs/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", nargs="?", type=Path, help="build it there for another server"
        )

    def handle(self, *args: Any, folder: Path | None, **options: Any) -> None:
        """Raises CommandError for a page that names a file which is not there."""
        try:
            target = folder or built()
            if folder:
                build(folder)
            else:
                for other in target.parent.iterdir():
                    if other != target:
                        shutil.rmtree(other)
        except NotInHandbook as missing:
            raise CommandError(f"a page names {missing}, which is not there") from None
        self.stdout.write(f"{len(pages())} pages in {target}")
