"""`python -m benchmarks.growth.mail`: what a mail about a result costs.

The site is a new one with the demonstration on SQLite. Mail about all its results is
ordered and sent to a mail server that takes everything, several rounds of it: one mail
for each result, and then as a site sends them, one for what a person is told of a task
in a round. Printed are milliseconds of a processor and statements for each result; the
first row also has what a process loads once.
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

ROUNDS = 5


class Cost(NamedTuple):
    """The cost of one round: processor time in seconds."""

    what: str
    results: int
    mails: int
    seconds: float
    asked: int


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-growth-") as data:
        os.environ["PLUMBLINE_DATA"] = data
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "leaderboard.settings")
        import django

        django.setup()
        print("| what | results | mails | ms | statements |\n|---|--:|--:|--:|--:|")
        for cost in _costs():
            each = f"{1e3 * cost.seconds / cost.results:.1f}"
            asked = f"{cost.asked / cost.results:.1f}"
            row = (cost.what, cost.results, cost.mails, each, asked)
            print("|", " | ".join(map(str, row)), "|", flush=True)
    return 0


def _costs() -> Iterator[Cost]:
    from django.conf import settings
    from django.core.management import call_command

    from leaderboard.results import mail

    call_command("migrate", "--noinput", verbosity=0)
    call_command("load_demo", verbosity=0)
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    yield _round("together, in a new process")
    yield min(
        (_round("together") for _ in range(ROUNDS)), key=lambda cost: cost.seconds
    )
    # It takes the place of the kind that it is made of.
    replace(mail.outbox.KINDS[mail.RESULT], topic=None)
    yield min(
        (_round("one by one") for _ in range(ROUNDS)), key=lambda cost: cost.seconds
    )


def _round(what: str) -> Cost:
    """All results of people told once; raises RuntimeError where none was."""
    from django.core import mail as server
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from leaderboard.mail import outbox
    from leaderboard.mail.models import Mail
    from leaderboard.results.mail import RESULT, order
    from leaderboard.submissions.models import EvaluationState, Event

    Mail.objects.all().delete()
    order(list(Event.objects.filter(new=EvaluationState.SCORED)))
    server.outbox = []
    with CaptureQueriesContext(connection) as asked:
        began = time.process_time()
        results = outbox.send(RESULT)
        seconds = time.process_time() - began
    if not results:
        raise RuntimeError("the demonstration has no result of which mail tells")
    return Cost(what, results, len(server.outbox), seconds, len(asked))


if __name__ == "__main__":
    sys.exit(main())
