"""P10: bad files get a verdict from the closed list; no 5xx, no worker ends."""

import logging
import os
import resource
import time
from collections.abc import Callable
from itertools import islice

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.sandbox import client
from leaderboard.submissions import evaluation
from leaderboard.submissions.accept import find_problems
from leaderboard.submissions.models import FINAL, Submission
from leaderboard.tasks.bundle.files import unzip
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.campaigns import hostile
from tests.campaigns.conftest import sizes
from tests.leaderboard.channels import Channel

pytestmark = pytest.mark.django_db
ANSWERS = {201, 302, 413, 422}
# In the campaign; in the suite other tests have the cores too.
MOST_SECONDS, PATIENCE = 5.0, 60.0
MOST_GROWTH = 24 << 20  # beyond what the first upload loads


def memory() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.fixture
def send(
    channel: Channel, entry: Participation, ben: User, settings: object
) -> Callable[[str, bytes], int]:
    """Upload a file as ben's team; what was accepted is scored at once."""
    settings.REFUSED_PER_DAY = 10**6  # type: ignore[attr-defined]

    def upload(name: str, data: bytes) -> int:
        file = SimpleUploadedFile(name, data)
        return channel.send(ben, {}, file_north=file).status

    return upload


def test_the_corpus_is_large_enough() -> None:
    assert len(hostile.corpus()) + len(hostile.NAMES) >= 400


@sizes(16, 1)
def test_every_hand_made_file_gets_an_answer_that_is_no_error(
    size: int, send: Callable[[str, bytes], int], caplog: pytest.LogCaptureFixture
) -> None:
    """`size` is how many files are passed over to the next one."""
    # pytest would keep the record of each refusal, and with it the request.
    caplog.set_level(logging.ERROR, "django.request")
    send("x.conllu", hostile.GOOD.encode())  # loads what pages and forms need
    before, pid = memory(), os.getpid()
    for said, data in hostile.corpus()[::size]:
        began = time.monotonic()
        assert send("x.conllu", data) in ANSWERS, said
        most = MOST_SECONDS if size == 1 else PATIENCE
        assert time.monotonic() - began < most, said
    for name in hostile.NAMES[::size]:
        assert send(name, hostile.GOOD.encode()) in ANSWERS, name
    assert send(hostile.NO_NAME, hostile.GOOD.encode()) == 400
    for sent in Submission.objects.all():
        waiting = sent.evaluations.get()
        evaluation.run(waiting.pk)
        waiting.refresh_from_db()
        assert waiting.state in FINAL
        assert not waiting.last_error
    assert os.getpid() == pid
    assert memory() - before < MOST_GROWTH


@sizes(60, 20_000)
def test_mutants_get_findings_from_the_closed_list(size: int, phase: Phase) -> None:
    known = hostile.codes()
    north = phase.test_sets.get(name="north")
    before, refused, began = memory(), 0, time.monotonic()
    link = client.server.start()
    for data in islice(hostile.mutants(seed=size), size):
        file = SimpleUploadedFile("x.conllu", data)
        problems = find_problems(phase, {north: file})
        refused += bool(problems)
        assert {problem.code for problem in problems} <= known
    took = time.monotonic() - began
    print(f"P10: {size} mutants, {refused} refused, {1000 * took / size:.0f} ms each")
    assert client.server.start() is link, "no file ended the process that forks"
    assert refused > size / 2
    assert memory() - before < MOST_GROWTH


def test_archives_that_lie_are_refused_with_a_reason() -> None:
    import io

    for said, data in hostile.archives():
        try:
            unzip("a.zip", io.BytesIO(data))
        except SetupError as refusal:
            assert refusal.problems, said
