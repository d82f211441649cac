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
                f"nothing was changed: make somebody else an owner of {tasks} first, "
                "or have what is a draft deleted"
            ) from tasks
        if dry_run:
            self.stdout.write("dry run, nothing was changed:")
        for line in lines_of(report):
            self.stdout.write(line)


def lines_of(report: Report) -> list[str]:
    """Lines about what was deleted, changed and left, counts first."""
    return [
        *(f"{label}: {n} deleted" for label, n in sorted(report.removed.items())),
        *(
            f"{label}: personal data taken out of {n}"
            for label, n in sorted(report.changed.items())
        ),
        *(f"team {old}: renamed {new}" for old, new in report.renamed),
        *(f"frozen ranking {name}: left as it was" for name in report.frozen_pages),
        f"the account: former participant {report.number}",
    ]
