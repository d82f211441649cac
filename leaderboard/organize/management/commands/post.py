"""manage.py post: send the mail that is due, where no worker runs."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.organize import messages
from leaderboard.submissions import result_mail
from leaderboard.tasks import creation_mail


class Command(BaseCommand):
    help = "Send messages and results that are due; for cron where no worker runs."

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write(f"{messages.send_due()} messages sent")
        self.stdout.write(f"{result_mail.post()} results sent")
        self.stdout.write(f"{creation_mail.post()} mails about requests sent")
