"""A token for somebody, printed once: manage.py make_token EMAIL --scope submit."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.api.models import Scope, Token
from leaderboard.tasks.models import Task
from leaderboard.teams.models import User

MOST_DAYS = 3650


class Command(BaseCommand):
    help = "Make a token for a program and print it; it is never shown again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", help="mail address of whom it speaks for")
        parser.add_argument(
            "--scope",
            action="append",
            choices=Scope.values,
            dest="scopes",
            help="what it may do, repeatable; read if not given",
        )
        parser.add_argument("--task", help="slug of the only task it is good for")
        parser.add_argument("--days", type=int, default=90, help="0: until revoked")
        parser.add_argument(
            "--name", default="made by an operator", help="as its owner reads it"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise CommandError(f"nobody has the address {options['email']}")
        days, longest = options["days"], Token._meta.get_field("name").max_length or 0
        if not 0 <= days <= MOST_DAYS:
            raise CommandError(f"--days takes a number from 0 to {MOST_DAYS}")
        if not 0 < len(options["name"]) <= longest:
            raise CommandError(f"--name takes up to {longest} characters")
        try:
            _token, text = tokens.make(
                user,
                options["name"],
                options["scopes"] or [Scope.READ],
                self._task(options["task"]),
                timezone.now() + timedelta(days=days) if days else None,
            )
        except tokens.TooManyTokens:
            raise CommandError("this person has too many tokens") from None
        self.stdout.write(text)

    def _task(self, slug: str | None) -> Task | None:
        if slug is None:
            return None
        task: Task | None = Task.objects.filter(slug=slug).first()
        if task is None:
            raise CommandError(f"there is no task {slug}")
        return task
