"""`python -m benchmarks.site.judges`: people judge 15 systems on ten thousand units.

Forty judges have judged already. Timed is processor time of one request, through every
layer but the network: on a core that nothing else wants it is what a judge waits.
Then forty new judges come at once to the site as one starts it, with its two web
processes, and vote for a while, each after as long as it takes to read two answers.
"""

import http.client
import itertools
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

UNITS, SYSTEMS, JUDGES, EACH, TURNS = 10_000, 15, 40, 250, 5
FORTY = "p95 150 ms"
SECONDS, READING = 40, (3.0, 7.0)  # of load, and between a page and its vote


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="plumbline-bench-") as folder:
        os.environ["PLUMBLINE_DATA"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "leaderboard.settings"
        from benchmarks.site import alone

        alone.prepare(0, SYSTEMS)
        for kind, name in (("pairs", "of two answers"), ("slider", "of one answer")):
            print(f"{JUDGES} judges {name} ...", file=sys.stderr, flush=True)
            print("\n".join(rows(kind, name)), flush=True)
        print(f"{JUDGES} judges at once ...", file=sys.stderr, flush=True)
        print("\n".join(at_once(Path(folder))))
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


def at_once(data: Path) -> list[str]:
    """Lines of a table, of judges at once on a running site."""
    from benchmarks.site import serving
    from benchmarks.site.alone import line
    from leaderboard.extras.judging.models import Campaign, Judge, Vote

    campaign = Campaign.objects.get(kind="pairs")
    Judge.objects.filter(campaign=campaign).update(model="gone")  # they are at home
    before = Vote.objects.count()
    with serving.site(data) as started:
        web = started.seconds()
        place = urlsplit(started.address)
        judges = [
            BusyJudge(place.netloc, campaign.get_absolute_url(), number)
            for number in range(JUDGES)
        ]
        for judge in judges:
            judge.start()
        for judge in judges:
            judge.join()
        web = started.seconds() - web
    acknowledged = sum(len(judge.votes) for judge in judges)
    failed = sum(judge.failed for judge in judges)
    lost = acknowledged - (Vote.objects.count() - before)
    looks = [x for judge in judges for x in judge.looks]
    votes = [x for judge in judges for x in judge.votes]
    many = f"{JUDGES} judges at once on the site, two web processes"
    each = web * 1000 / max(acknowledged, 1)
    return [
        line(f"next item, {many}", looks, FORTY),
        line(f"a vote, {many}", votes, FORTY),
        f"| of {acknowledged} votes lost or doubled; requests that failed "
        f"| {lost} | {failed} | 0 |",
        f"| processor time of a vote and the next item | {each:.1f} ms | | |",
    ]


class BusyJudge(threading.Thread):
    """A judge with a browser; milliseconds of each page and vote."""

    def __init__(self, host: str, address: str, number: int) -> None:
        super().__init__()
        self.host, self.address, self.dice = host, address, random.Random(number)
        self.cookies: dict[str, str] = {}
        self.looks: list[float] = []
        self.votes: list[float] = []
        self.failed = 0

    def run(self) -> None:
        self.connection = http.client.HTTPConnection(self.host, timeout=60)
        page = self.asked("GET")
        self.asked("POST", {"csrfmiddlewaretoken": hidden(page, "csrfmiddlewaretoken")})
        end = time.monotonic() + SECONDS
        time.sleep(self.dice.uniform(0, READING[1]))
        names = ("csrfmiddlewaretoken", "assignment", "key", "shown")
        while time.monotonic() < end:
            page = self.timed(self.looks, "GET")
            time.sleep(self.dice.uniform(*READING))
            sent = {name: hidden(page, name) for name in names} | {"choice": "left"}
            self.timed(self.votes, "POST", sent)

    def timed(self, into: list[float], *asked: Any) -> str:
        start, before = time.perf_counter(), self.failed
        page = self.asked(*asked)
        if self.failed == before:
            into.append((time.perf_counter() - start) * 1000)
        return page

    def asked(self, method: str, sent: Mapping[str, str] | None = None) -> str:
        """The page that is answered, redirects not followed."""
        headers = {"Cookie": "; ".join(f"{x}={y}" for x, y in self.cookies.items())}
        if sent is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        body = urlencode(sent) if sent is not None else None
        self.connection.request(method, self.address, body, headers)
        answer = self.connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _equals, kept = value.partition(";")[0].partition("=")
                self.cookies[cookie] = kept
        self.failed += answer.status not in (200, 302)
        return answer.read().decode()


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
        Vote(assignment=assignment, key=assignment.key, values=values)
        for assignment in given
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
