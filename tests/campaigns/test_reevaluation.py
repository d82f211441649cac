"""Corrected gold under a thousand submissions, while workers are killed."""

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connections

from leaderboard.embedded.processes import dies_with_parent
from leaderboard.organize import gold_preview
from leaderboard.submissions import accept
from leaderboard.submissions.gold import check, publish, rescore
from leaderboard.submissions.management.commands.work import QueuelessWorker
from leaderboard.submissions.models import (
    FINAL,
    Evaluation,
    EvaluationState,
    Event,
    QuotaCounter,
    QuotaEntry,
    Submission,
)
from leaderboard.tasks.models import GoldRevision, Participation, Phase
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.campaigns.chaos import everything_ended, report
from tests.campaigns.conftest import TEAMS, sizes
from tests.campaigns.copies import copies_of
from tests.campaigns.invariants import violations
from tests.campaigns.test_crash_points import killed_at
from tests.leaderboard.small import both, one_wrong, perfect, scored, upload
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.databases("locks", by_day="postgresql"),
]
WORKERS = 2


@pytest.fixture(autouse=True)
def impatient(settings: Any) -> None:
    """A worker's death is noticed within a second."""
    settings.LEASE_SECONDS = 1
    settings.SWEEP_SECONDS = 0.2
    settings.BACK_OFF_SECONDS = 0.1
    settings.MOST_ATTEMPTS = 10


@contextmanager
def workers() -> Iterator[None]:
    """Processes that do what `manage.py work` does, until they are killed."""
    connections.close_all()
    pids, die_with_us = [], dies_with_parent()
    for _ in range(WORKERS):
        pid = os.fork()
        if pid == 0:
            if die_with_us:
                die_with_us()
            work_until_killed()
        pids.append(pid)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def work_until_killed() -> NoReturn:
    worker, pause = QueuelessWorker(), threading.Event()
    try:
        while True:
            if not worker.step():
                pause.wait(0.02)
    finally:
        os._exit(1)


def corrected(phase: Phase) -> GoldRevision:
    """A draft in which the first word of the north hangs elsewhere."""
    ada = User.objects.get(email="ada@example.org")
    north = phase.task.test_sets.get(name="north")
    file = SimpleUploadedFile("north.conllu", one_wrong())
    return check.propose(phase.task, {north: file}, ada)


def charges() -> tuple[list[Any], list[Any]]:
    return (
        list(QuotaCounter.objects.order_by("pk").values()),
        list(QuotaEntry.objects.order_by("pk").values()),
    )


def ended(draft: GoldRevision) -> int:
    return publish.progress_of(draft).ended


def scored_before(
    phase: Phase, teams: list[Participation], size: int
) -> dict[str, Any]:
    """`size` scored submissions of all teams; everything that must stay as it is."""
    phase.daily_limit = math.ceil(size / TEAMS) + 1
    phase.save()
    for number, team in enumerate(teams):
        files = both({"north": perfect() if number % 2 else one_wrong()})
        first = scored(phase, team, files)
        copies_of(first, size // TEAMS + (number < size % TEAMS) - 1)
    assert Submission.objects.count() == size and violations() == []
    return {
        "charges": charges(),
        "sent": list(Submission.objects.order_by("pk").values()),
    }


@sizes(60, 1000)
def test_scoring_again_survives_the_death_of_web_and_workers(
    size: int, open_phase: Phase, teams: list[Participation]
) -> None:
    before = scored_before(open_phase, teams, size)
    began = time.monotonic()
    # The web process dies in the middle of making the evaluations.
    killed_at((rescore, "_one_batch"), lambda: corrected(open_phase))
    draft = GoldRevision.objects.get(number=2)
    assert draft.evaluations.count() == 0 and violations() == []
    for share in (0.2, 0.5):
        with workers():
            wait_until(lambda s=share: ended(draft) >= s * size, size, "it goes on")
        assert violations() == []
        with pytest.raises(Refusal):
            make_live(draft)
    with workers():
        wait_until(everything_ended, 180 + size, "everything ended")
    report("P20", size, time.monotonic() - began)
    assert before == {
        "charges": charges(),
        "sent": list(Submission.objects.order_by("pk").values()),
    }
    once_each(draft, size, teams[1::2])
    make_live(draft)
    assert violations() == []


def once_each(draft: GoldRevision, size: int, odd_teams: list[Participation]) -> None:
    """Every submission was scored once under the draft, with the right result."""
    states = list(draft.evaluations.values_list("state", "background"))
    assert states == [(EvaluationState.SCORED, True)] * size
    assert Evaluation.objects.count() == 2 * size
    for number, mended in ((1, 1.0), (2, 0.875)):
        of_one = Evaluation.objects.filter(gold_revision__number=number)
        odd = of_one.filter(submission__participation__in=odd_teams)
        assert {north(one) for one in odd} == {mended}
        assert {north(one) for one in of_one.difference(odd)} == {1.875 - mended}


def north(one: Evaluation) -> float:
    """LAS on the test set whose gold is corrected."""
    found: float = one.results["test_sets"]["north"]["measures"]["las"]["value"]
    return found


def make_live(draft: GoldRevision) -> None:
    by = User.objects.get(email="ada@example.org")
    summary = gold_preview.in_public(draft)
    publish.make_live(draft, by, "Mended.", summary=summary)


@sizes(30, 300)
def test_what_is_sent_meanwhile_does_not_wait_for_the_rest(
    size: int, open_phase: Phase, teams: list[Participation]
) -> None:
    scored_before(open_phase, teams, size)
    draft = corrected(open_phase)
    with workers():
        wait_until(lambda: ended(draft) >= 2, 60, "it has begun")
        sent = accept.submit(upload(open_phase, teams[0], both()))
        shown = sent.evaluations.filter(background=False)
        wait_until(lambda: shown.get().state in FINAL, 60, "the new one is scored")
        wait_until(everything_ended, 180 + size, "everything ended")
    assert overtaking(shown.get()) <= WORKERS
    assert violations([str(sent.pk)]) == []


def overtaking(fresh: Evaluation) -> int:
    """How much background work was begun between its acceptance and its start."""
    accepted, begun = fresh.events.order_by("pk")[:2]
    return Event.objects.filter(
        pk__gt=accepted.pk,
        pk__lt=begun.pk,
        new=EvaluationState.RUNNING,
        evaluation__background=True,
    ).count()
