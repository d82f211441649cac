"""`manage.py build_docs FOLDER`: the handbook as files, for another web server."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from leaderboard.handbook.pages import NotInHandbook, build, pages
from leaderboard.web.written import written_to


class Command(BaseCommand):
    help = "Write the handbook that the site serves at /docs/ as files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="where they go; pages that are there are replaced"
        )

    def handle(self, *args: Any, folder: Path, **options: Any) -> None:
        """Raises CommandError for a page that names a file which is not there."""
        try:
            with written_to(folder):
                build(folder)
        except NotInHandbook as missing:
            raise CommandError(f"a page names {missing}, which is not there") from None
        self.stdout.write(f"{len(pages())} pages in {folder}")
