"""`python -m benchmarks.site.judges`: people judge 15 systems on ten thousand units.

Forty judges have judged already. Timed is processor time of one request, through every
layer but the network: on a core that nothing else wants it is what a judge waits.
"""

import itertools
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

UNITS, SYSTEMS, JUDGES, EACH, TURNS = 10_000, 15, 40, 250, 5
FORTY = "p95 150 ms"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        os.environ["PLUMBLINE_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from benchmarks.site import alone

        alone.prepare(0, SYSTEMS)
        for kind, name in (("pairs", "of two answers"), ("slider", "of one answer")):
            print(f"{JUDGES} judges {name} ...", file=sys.stderr, flush=True)
            print("\n".join(rows(kind, name)))
    return 0


def rows(kind: str, name: str) -> list[str]:
    """Lines of a table, of one kind of judging."""
    from django.conf import settings
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from benchmarks.site.alone import line
    from leaderboard.extras.judging.views import SESSION

    campaign = filled(kind)
    address = campaign.get_absolute_url()
    looks, votes, queries = [], [], []
    for judge in campaign.judges.all():
        client = Client()
        client.post(address)
        session: Any = client.session
        session[f"{SESSION}:{campaign.pk}"] = judge.pk
        session.save()
        client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
        for _turn in range(TURNS):
            with CaptureQueriesContext(connection) as seen:
                page = client.get(address).text
            queries.append(len(seen))
            sent = {x: hidden(page, x) for x in ("assignment", "key", "shown")}
            sent |= {"choice": "left", "value-score": "50"}
            votes.append(seconds(partial(client.post, address, sent)))
            looks.append(seconds(partial(client.get, address)))
    many = f"{UNITS:,} units, {SYSTEMS} systems"
    return [
        line(f"next item {name}, {many}", looks, FORTY),
        line(f"a vote {name}", votes, FORTY),
        f"| queries of a next item {name} | {max(queries)} | | constant |",
    ]


def filled(kind: str) -> Any:
    """A campaign with all that forty people have judged."""
    from leaderboard.extras.judging import assignment, tallies
    from leaderboard.extras.judging.models import (
        Assignment,
        Campaign,
        JudgedAnswer,
        JudgedUnit,
        Vote,
    )
    from leaderboard.submissions.models import Submission
    from leaderboard.tasks.models import Phase

    phase = Phase.objects.get()
    pairs = kind == "pairs"
    campaign = Campaign.objects.create(
        phase=phase,
        test_set=phase.test_sets.get(),
        title=kind,
        kind=kind,
        questions=[["rating" if pairs else "score", "Which is better?"]],
        daily=1000,
    )
    units = JudgedUnit.objects.bulk_create(
        JudgedUnit(campaign=campaign, name=str(number), shown=[["", "what was asked"]])
        for number in range(UNITS)
    )
    systems = list(Submission.objects.values_list("pk", flat=True))
    answers = JudgedAnswer.objects.bulk_create(
        JudgedAnswer(unit=unit, submission_id=pk, text="an answer of some words")
        for unit in units
        for pk in systems
    )
    dice = random.Random(7)
    two = list(itertools.permutations(range(SYSTEMS), 2))
    given = []
    for judge in [assignment.begin(campaign) for _ in range(JUDGES)]:
        for place in dice.sample(range(UNITS), EACH):
            first, second = (place * SYSTEMS + x for x in dice.choice(two))
            given.append(
                Assignment(
                    judge=judge,
                    unit=units[place],
                    first=answers[first],
                    second=answers[second] if pairs else None,
                    voted_at=campaign.created_at,
                )
            )
    given = Assignment.objects.bulk_create(given)
    values = {"choice": "left"} if pairs else {"score": 50}
    Vote.objects.bulk_create(
        Vote(assignment=one, key=one.key, values=values) for one in given
    )
    tallies.recount(campaign)
    return campaign


def hidden(page: str, name: str) -> str:
    return page.partition(f'name="{name}" value="')[2].partition('"')[0]


def seconds(work: Callable[[], object]) -> float:
    """Milliseconds of processor time."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


if __name__ == "__main__":
    sys.exit(main())
