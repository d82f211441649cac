"""`manage.py programs_environment`: packages for organizers' scoring programs."""

import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.sandbox import program_environment
from leaderboard.sandbox.program_environment import NotMade, inventory

AGAIN = (
    "The packages for scoring programs could not be installed; until they are, "
    "programs have those of the site, NumPy among them. With a network, `manage.py "
    "programs_environment` tries again."
)


class Command(BaseCommand):
    help = (
        "Install the packages that organizers' scoring programs may import into an "
        "environment of their own below PLUMBLINE_DATA."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--background", action="store_true", help="give way to all other work"
        )

    def handle(self, *args: Any, background: bool, **options: Any) -> None:
        """Say where the environment is and what it holds."""
        if background:
            os.nice(19)
        try:
            python = program_environment.make()
        except NotMade as problem:
            raise CommandError(f"{problem}\n{AGAIN}") from None
        if settings.PROGRAM_PYTHON:
            self.stdout.write(
                "PLUMBLINE_PROGRAM_PYTHON is set and wins: programs run with "
                f"{settings.PROGRAM_PYTHON}, not with {python}"
            )
            return
        packages = inventory()
        self.stdout.write(
            f"scoring programs run with Python {packages.version}, packages: "
            f"{len(packages.listed)} ({python})"
        )
