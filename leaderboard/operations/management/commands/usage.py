"""`manage.py usage`: what each organizer's tasks take, beside the quotas."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.template.defaultfilters import filesizeformat

from leaderboard.tasks.models import Organizer
from leaderboard.tasks.organizer_quota import usage_of
from leaderboard.teams.models import User

HEAD = ("tasks", "gold etc.", "submissions", "of quota", "owner")


class Command(BaseCommand):
    help = "List owners of tasks with the number and size of these, the largest first."

    def handle(self, *args: Any, **options: Any) -> None:
        owners = Organizer.objects.filter(role=Organizer.Role.OWNER)
        people = User.objects.filter(pk__in=owners.values("user")).order_by("email")
        by_usage = [(usage_of(user), user) for user in people]
        by_usage.sort(key=lambda line: -line[0].bytes)
        most = settings.STORAGE_PER_ORGANIZER
        rows = [
            (
                str(usage.tasks),
                _size(usage.own_bytes),
                _size(usage.sent_bytes),
                f"{usage.bytes / most:.0%}" if most and not user.is_superuser else "-",
                user.email,
            )
            for usage, user in by_usage
        ]
        for row in (HEAD, *rows):
            *numbers, email = row
            self.stdout.write(
                " ".join(f"{number:>12}" for number in numbers) + f"  {email}"
            )
        tasks = settings.TASKS_PER_ORGANIZER or "any number of"
        size = _size(most) if most else "any size"
        self.stdout.write(f"Each may own {tasks} tasks, in all of {size}.")


def _size(number: int) -> str:
    return filesizeformat(number).replace("\xa0", " ")
