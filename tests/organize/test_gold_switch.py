"""No reader ever sees a board of two gold revisions, even while it is switched."""

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any
from urllib.error import HTTPError

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import newest_board
from leaderboard.organize import gold_preview
from leaderboard.submissions import dispatch, evaluation
from leaderboard.submissions.gold import publish, rescore
from leaderboard.submissions.gold.check import propose
from leaderboard.submissions.models import Evaluation
from leaderboard.tasks.models import GoldRevision, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.board_worker import board_worker
from tests.leaderboard.small import HEADS, conllu, scored
from tests.waiting import wait_until

pytestmark = [
    pytest.mark.usefixtures("no_queue"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.databases("locks"),
]
TEAMS = 6
TIMES_A_SECOND = 20
SWITCHES = 3
PAGE, API = "/tasks/otters/test/board/", "/api/v1/tasks/otters/test/board/"
CELL = re.compile(r'<span class="value">([0-9.]+)</span>')
NUMBER = re.compile(r"Version (\d+) of the answer key")


@pytest.fixture
def both_ready(phase: Phase, ada: User, live_server: Any) -> GoldRevision:
    """Six teams; under the second revision, which may go live, every score differs."""
    for number in range(TEAMS):
        user = User.objects.create_user(f"member{number}@example.org", "x")
        team = join(phase.task, Team.found(f"Team {number}", user))
        files = {name: wrong(name, number) for name in HEADS}
        scored(phase, team, files, system=f"system-{number}")
    draft = second_revision(phase.task, ada)
    rescore.catch_up(draft)
    while ids := dispatch.in_turn(Evaluation.objects.ready(), 9, count_hints=False):
        assert all(map(evaluation.run, ids))
    return draft


def wrong(name: str, number: int) -> bytes:
    """The first `number` words hang elsewhere."""
    heads = HEADS[name]
    others = (4, 4, 2, 1, 3, 4)
    return conllu((*others[:number], *heads[number:])).encode()


def second_revision(task: Task, ada: User) -> GoldRevision:
    """In which the second last word of both test sets hangs elsewhere."""
    files = {
        test_set: SimpleUploadedFile(
            f"{test_set.name}.conllu",
            conllu((*HEADS[test_set.name][:-2], 4, HEADS[test_set.name][-1])).encode(),
        )
        for test_set in task.test_sets.all()
    }
    return propose(task, files, ada)


class Reader(threading.Thread):
    """Asks for an address again and again; what it was told, each once."""

    def __init__(self, address: str, told: Callable[[str], Any]) -> None:
        super().__init__(daemon=True)
        self.address, self.told = address, told
        self.answers: list[Any] = []
        self.over = threading.Event()

    def run(self) -> None:
        while not self.over.wait(1 / TIMES_A_SECOND):
            with suppress(HTTPError):  # 503: the board is being computed
                answer = urllib.request.urlopen(self.address, timeout=60)
                with answer:
                    if answer.status == HTTPStatus.OK:
                        self.answers.append(self.told(answer.read().decode()))


def told_by_page(text: str) -> tuple[int, tuple[str, ...]]:
    """The revision it names, and all values of the table."""
    (number,) = set(NUMBER.findall(text))
    return int(number), tuple(CELL.findall(text))


def told_by_api(text: str) -> tuple[int, tuple[Any, ...]]:
    found = json.loads(text)
    rows = found["rows"]
    values = tuple((row["system"], row["scores"]["las"]["value"]) for row in rows)
    return found["gold_revision"], values


@contextmanager
def reading(home: str) -> Iterator[list[Reader]]:
    readers = [
        *(Reader(home + PAGE, told_by_page) for _ in range(2)),
        *(Reader(home + API, told_by_api) for _ in range(2)),
    ]
    for reader in readers:
        reader.start()
    try:
        yield readers
    finally:
        for reader in readers:
            reader.over.set()
        for reader in readers:
            reader.join()


def switch(revision: GoldRevision, by: User) -> None:
    summary = gold_preview.in_public(revision)
    publish.make_live(revision, by, "Mended.", summary=summary)


def test_every_answer_during_the_switch_is_of_one_revision(
    both_ready: GoldRevision, phase: Phase, ada: User, live_server: Any
) -> None:
    revisions = [both_ready, phase.gold_revision]
    expected = {one.number: must_be(phase, one) for one in revisions}
    assert expected[1] != expected[2]
    with board_worker(), reading(live_server.url) as readers:
        for turn in range(SWITCHES):
            seen = [len(reader.answers) for reader in readers]
            revision = revisions[turn % 2]
            if not revision.preparing:
                rescore.prepare_again(revision)
            switch(revision, ada)
            number = revision.number
            wait_until(
                lambda s=seen, n=number: more(readers, s) and all_read(readers, n),
                60,
                "all have read the board of the new revision",
            )
            revision.refresh_from_db()
    by_kind = pages_and_api(readers)
    for kind, answers in by_kind.items():
        assert {number for number, _ in answers} == {1, 2}, kind
        assert len(answers) == 2, f"{kind}: {answers}"
    assert dict(by_kind["api"]) == expected


def more(readers: list[Reader], seen: list[int]) -> bool:
    """Whether everybody has begun to read and ended since."""
    return all(len(r.answers) > n + 1 for r, n in zip(readers, seen, strict=True))


def all_read(readers: list[Reader], revision: int) -> bool:
    """Whether the newest answer of each, which may come from the cache, is of it."""
    return all(reader.answers[-1][0] == revision for reader in readers)


def must_be(phase: Phase, revision: GoldRevision) -> tuple[Any, ...]:
    """The API's answer that is due under that revision."""
    shown = Phase.objects.select_related("task").get(pk=phase.pk)
    shown.gold_revision = revision
    rows = newest_board(BoardQuery(shown)).rows
    return tuple((row.system, row.sorted_by.exact["value"]) for row in rows)


def pages_and_api(readers: list[Reader]) -> dict[str, set[tuple[int, Any]]]:
    return {
        "page": {answer for r in readers[:2] for answer in r.answers},
        "api": {answer for r in readers[2:] for answer in r.answers},
    }
