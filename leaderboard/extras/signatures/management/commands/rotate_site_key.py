"""Make a new key for the site; the old one says that it is the next, and is retired."""

from typing import Any

from django.core.management.base import BaseCommand

from leaderboard.extras.signatures import keys


class Command(BaseCommand):
    help = "Make a new key that the site signs with."

    def handle(self, *_args: Any, **_options: Any) -> None:
        key = keys.rotate()
        self.stdout.write(f"The site signs with {key.public} from now on.")
