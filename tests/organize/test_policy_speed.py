"""A board of two hundred submissions: below a second when cold, at once when warm."""

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.results import stored_counts
from leaderboard.submissions import evaluation
from leaderboard.submissions.models import (
    Evaluation,
    StoredBoard,
    StoredCounts,
    StoredStatistics,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase, TestSet
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from scoring import VERSION, Counts
from tests.organize.disclosing import API, BOARD, unrevealed

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
SENT, TEAMS, UNITS = 200, 40, 1000
# Seconds of processor time; the machine of the tests may be a slow one.
COLD, WARM = 1.5, 0.1
Made = dict[TestSet, Counts]


def made(phase: Phase, number: int) -> Made:
    """Counts of a system that is the better, the later it comes."""
    random = np.random.default_rng(number)
    names = tuple(f"s{i:05}" for i in range(UNITS))
    groups = {"document": tuple(f"d{i // 20}" for i in range(UNITS))}
    words = np.random.default_rng(0).integers(5, 30, UNITS)
    right = 0.7 + 0.2 * number / SENT * random.random()
    columns = {name: random.binomial(words, right) for name in needed(phase)}
    table = np.stack(list((columns | {"words": words}).values()), axis=1)
    counts = Counts(names, (*columns, "words"), table.astype(float), groups)
    return {test_set: counts for test_set in phase.test_sets.all()}


def needed(phase: Phase) -> list[str]:
    measures = phase.task.scorer.measures(())
    names = {name for measure in measures for name in measure.columns}
    return sorted(names - {"words"})


@pytest.fixture
def crowded(phase: Phase) -> Phase:
    people = [User.objects.create_user(f"t{i}@example.org") for i in range(TEAMS)]
    teams = [Team.found(f"T{i}", user) for i, user in enumerate(people)]
    entries = [join(phase.task, team) for team in teams]
    for number in range(SENT):
        keep(phase, entries[number % TEAMS], number)
    return phase


def keep(phase: Phase, entry: Participation, number: int) -> None:
    """A scored submission, as if a worker had written it."""
    sent = Submission.objects.create(
        phase=phase,
        participation=entry,
        sender=entry.team.members.get(),
        key=str(number),
        system=f"system {number}",
        received_at=timezone.now() - timedelta(minutes=SENT - number),
    )
    counts = made(phase, number)
    results = evaluation.estimates_of(phase, list(counts), counts, {})
    done = Evaluation.objects.create(
        submission=sent,
        gold_revision=phase.gold_revision,
        engine=VERSION,
        state="scored",
        complete=True,
        results=results,
    )
    StoredCounts.objects.bulk_create(
        StoredCounts(evaluation=done, test_set=test_set, data=found.save())
        for test_set, found in counts.items()
    )


def forget() -> None:
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    stored_counts._counts.clear()


def seconds(address: str) -> float:
    client = Client()
    before = time.process_time()
    assert client.get(address).status_code == 200
    return time.process_time() - before


def kinds() -> Iterator[dict[str, Any]]:
    yield {"policy": "open", "private_share": 0.5}
    yield {"policy": "best", "private_share": 0.7}
    yield {"policy": "best", "private_share": None}


def test_a_large_board_is_fast_under_every_policy(crowded: Phase) -> None:
    seconds(BOARD)  # templates and the draws of the bootstrap
    for kind in kinds():
        unrevealed(crowded, **kind)
        for address in (BOARD, f"{API}/board/"):
            forget()
            assert seconds(address) < COLD, (kind, address)
            assert min(seconds(address) for _ in range(3)) < WARM, (kind, address)
