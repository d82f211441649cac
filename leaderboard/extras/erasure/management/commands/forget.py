"""`manage.py forget`: deletion of personal data when somebody asks for it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from leaderboard.extension.models import User
from leaderboard.extras.erasure.erasure import OnlyOwner, Report, forget


class Command(BaseCommand):
    help = "Delete what is known of a person; their submissions stay under a number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("mail", help="the address of the account")
        parser.add_argument(
            "--dry-run", action="store_true", help="say what would go, change nothing"
        )
        parser.add_argument(
            "--name",
            action="append",
            default=[],
            help="one more name of the person, to be taken out everywhere; repeatable",
        )

    def handle(
        self, *args: Any, mail: str, dry_run: bool, name: list[str], **options: Any
    ) -> None:
        user = User.objects.filter(email__iexact=mail).first()
        if user is None:
            raise CommandError(f"there is no account of {mail}")
        try:
            with transaction.atomic():
                report = forget(user, name)
                transaction.set_rollback(dry_run)
        except OnlyOwner as tasks:
            raise CommandError(
                f"nothing was changed: make somebody else an owner of {tasks} first"
            ) from tasks
        self._say(report, "would go" if dry_run else "gone")

    def _say(self, report: Report, verb: str) -> None:
        for label, number in sorted(report.removed.items()):
            self.stdout.write(f"{number} {label}: {verb}")
        for label, number in sorted(report.changed.items()):
            self.stdout.write(f"{number} {label}: named the person, {verb}")
        for old, new in report.renamed:
            self.stdout.write(f"team {old}: {new}")
        for name in report.kept:
            self.stdout.write(f"stays in the frozen ranking {name}")
        self.stdout.write(f"the account is former participant {report.number}")
