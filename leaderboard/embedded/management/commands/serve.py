"""`manage.py serve`: the whole site on this machine until Ctrl-C."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from leaderboard.demo.story import LOGINS
from leaderboard.embedded.directories import AlreadyRunning, NotPrivate
from leaderboard.embedded.site import LocalSite, NoBroker, running
from leaderboard.embedded.supervisor import ChildFailed, StopRequested
from leaderboard.embedded.web_server import NoPort
from leaderboard.startup import require_safe

CANNOT_START = (AlreadyRunning, ChildFailed, NoBroker, NoPort, NotPrivate)


class Command(BaseCommand):
    """Starts broker, worker, sweeper and web server, and stops them again."""

    help = "Run the whole site on this machine, without any other service."
    requires_system_checks: list[str] = []  # `migrate` runs them for new code

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options of the command; all other settings come from the environment."""
        parser.add_argument(
            "--demo", action="store_true", help="load the demonstration data first"
        )
        parser.add_argument(
            "--program-packages",
            action="store_true",
            help="install what scoring programs may import, as programs_environment "
            "does, beside the site",
        )

    def handle(
        self, *args: Any, demo: bool, program_packages: bool, **options: Any
    ) -> None:
        """Run until a signal; a start that fails is one clear message."""
        require_safe()
        if demo and not settings.LOCAL:
            raise CommandError("The demonstration is for this machine alone.")
        site = LocalSite(settings.DATA, demo, self._say, program_packages)
        try:
            with running(site) as (supervisor, address):
                self._announce(address, demo)
                supervisor.watch()
        except StopRequested:
            self._say("stopped")
        except CANNOT_START as problem:
            raise CommandError(str(problem)) from problem

    def _announce(self, address: str, demo: bool) -> None:
        self._say(f"\nPlumbline is at {address}\n")
        for role, email, password in LOGINS if demo else ():
            self._say(f"  {role:<14} {email:<28} {password}")
        if not settings.EMAIL_HOST:
            self._say(f"\nMail is written to files in {settings.DATA}/mail.")
        self._say(f"\nLogs are in {settings.DATA}/logs. Ctrl-C stops everything.")

    def _say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
