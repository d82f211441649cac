"""P14: on a large site pages and regular jobs cost what they cost on a small one.

The rows of the site are copied by SQL, on a PostgreSQL of its own; `make campaigns` has
the size that docs/evidence/scale.md speaks of.
"""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest
from django.conf import settings
from pytest_django import DjangoDbBlocker

from benchmarks.growth.jobs import Run, first_minutes, jobs, plans_of
from benchmarks.growth.large_site import LargeSite, Size, build
from benchmarks.growth.pages import LIMIT, PLAIN, Cost, statements_of
from tests.campaigns.restarts import Restartable, postgres_site

SMALL = Size(tasks=60, submissions=10_000, large=4_000)
# On slower cores, or beside other programs, the limit is as many times what a page
# takes that reads almost nothing, 0.02 s where it was set
# (docs/evidence/scale.md); that page keeps half of it.
TIMES = 20
LOOKS = 3
# As measured on any size: none grows with tasks, teams or submissions.
QUERIES = {
    "front page": 25,
    "search for a system": 24,
    "front page of a participant": 49,
    PLAIN: 4,
    "feed of the site": 31,
    "feed of the large task": 14,
    "own submission": 22,
    "own submissions": 20,
    "own submissions, best first": 20,
    "own submissions, API": 20,
    "page of a system": 15,
    "board": 7,
    "every entry": 7,
    "board, API": 5,
    "every entry, API": 5,
    "comparison of two systems": 15,
    "form of a phase": 12,
    "organizers' page": 13,
    "submissions in the admin site": 4,
    "evaluations in the admin site": 4,
    "metrics": 15,
    "kit for the paper": 6,
    "files of the kit": 13,
    "preview of corrected gold": 36,
    "files to judge": 8,
}
# Of the jobs after an upgrade, for each board
STATEMENTS = {
    "boards, from nothing": 50,
    "boards, each changed once": 30,
    "records of rows, from nothing": 20,
    "records of rows, each changed once": 20,
}
LARGEST_ANSWER = 200_000  # bytes, compressed where pages are


def measured(benchmark: str, database: Restartable, *options: str) -> list[str]:
    """The lines that a benchmark of benchmarks/growth prints of this database."""
    asked = ["-m", f"benchmarks.growth.{benchmark}", "--database", database.url]
    done = subprocess.run(
        [sys.executable, *asked, *options],
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def database(django_db_blocker: DjangoDbBlocker) -> Iterator[Restartable]:
    with django_db_blocker.unblock(), postgres_site() as server:
        yield server


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(SMALL, id="small"),
        pytest.param(Size(), id="full", marks=pytest.mark.campaign),
    ],
)
def site(request: pytest.FixtureRequest, database: Restartable) -> LargeSite:
    return build(request.param)


def test_no_page_costs_more_on_a_large_site(
    site: LargeSite, database: Restartable
) -> None:
    """Asked of a process of its own, as a web process is: what other tests left behind
    in this one, its threads and its heap, would be counted too."""
    printed = measured("pages", database, "--keep", "--json", f"--looks={LOOKS}")
    costs = {cost.name: cost for cost in (Cost(**json.loads(line)) for line in printed)}
    assert set(costs) == set(QUERIES)
    assert {cost.status for cost in costs.values()} == {200}
    plain = costs[PLAIN].seconds
    limit = max(LIMIT, TIMES * plain)
    assert plain <= LIMIT / 2
    slow = {c.name: c.seconds for c in costs.values() if c.seconds > limit}
    asking = {c.name: c.queries for c in costs.values() if c.queries > QUERIES[c.name]}
    large = {c.name: c.size for c in costs.values() if c.size > LARGEST_ANSWER}
    assert (slow, asking, large) == ({}, {}, {})


def test_memory_of_a_web_process_levels_off(
    site: LargeSite, database: Restartable
) -> None:
    """Ten boards of thousands of entries, shown again and again."""
    lines = measured("memory", database)
    *_before, second, third, last = (int(line.partition(": ")[2]) for line in lines)
    assert max(third, last) <= 1.1 * second


@pytest.fixture(scope="module")
def upgraded(site: LargeSite) -> dict[str, list[Run]]:
    return first_minutes()


def test_the_first_minutes_after_an_upgrade_take_so_many_statements_a_board(
    upgraded: dict[str, list[Run]],
) -> None:
    each = {
        name: sum(run.asked for run in runs) / sum(run.done for run in runs)
        for name, runs in upgraded.items()
    }
    assert set(each) == set(STATEMENTS)
    assert {n: asked for n, asked in each.items() if asked > STATEMENTS[n]} == {}


@pytest.mark.usefixtures("upgraded")
@pytest.mark.parametrize("name", jobs())
def test_no_regular_job_reads_a_whole_growing_table(site: LargeSite, name: str) -> None:
    statements = statements_of(jobs()[name])
    assert statements
    assert plans_of(statements) == set()
