"""manage.py post: send the mail that is due, where no worker runs."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.mail import outbox


class Command(BaseCommand):
    help = "Send mail that is due; for cron where no worker runs."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{outbox.send()} mails sent")
