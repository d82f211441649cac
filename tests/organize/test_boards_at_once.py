"""Several who ask for a board at once: it is computed once, and nobody waits long."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Barrier, BrokenBarrierError, Semaphore
from threading import enumerate as enumerate_threads
from typing import Any

import pytest
from django.core.cache import caches
from django.db import close_old_connections

from leaderboard.boards import stored_board
from leaderboard.boards.query import BoardQuery, BoardRequest
from leaderboard.boards.stored_board import board
from leaderboard.results import stored_statistics
from leaderboard.results.board_sample import BoardSample
from leaderboard.submissions import team_actions
from leaderboard.tasks.models import Participation, Phase, Task
from tests.leaderboard.small import both, scored
from tests.organize.disclosing import three_sent
from tests.organize.test_stored_boards import shown_systems

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]
HEAD_START = 0.5  # seconds in which a second thread would be there, too
WAIT_SECONDS = 60


def test_who_asks_while_somebody_computes_is_given_the_earlier_board(
    phase: Phase, entry: Participation
) -> None:
    three_sent(phase, entry)
    before, _waits = shown_systems(phase)
    scored(phase, entry, both(), system="gorse")
    fresh = Phase.objects.select_related("task").get(pk=phase.pk)
    asked = BoardRequest.of(BoardQuery(fresh, everything=True), None)
    claim = f"{asked.subject().key}-computing"
    caches["boards"].add(claim, 1, stored_statistics.CLAIM_SECONDS)
    assert shown_systems(phase) == (before, True)
    caches["boards"].delete(claim)
    assert shown_systems(phase) == (sorted([*before, "gorse"]), False)


def test_no_earlier_board_is_given_after_a_withdrawal_meanwhile(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody computes, and a row goes between the first look and the second."""
    sent = three_sent(phase, entry)
    before, _waits = shown_systems(phase)
    scored(phase, entry, both(), system="gorse")
    looked: list[str] = []

    class Claims:
        """Of another who computes: taken once, after which a row is withdrawn."""

        def add(self, key: str, *_asked: Any) -> bool:
            if not key.endswith("-computing") or looked:
                return True
            looked.append(key)
            team_actions.withdraw(sent[0])
            return False

        def get(self, _key: str) -> None:
            return None

        def set(self, *_asked: Any) -> None: ...

        def delete(self, *_asked: Any) -> None: ...

    monkeypatch.setattr(stored_statistics, "caches", {"boards": Claims()})
    shown, waits = shown_systems(phase)
    assert looked and sent[0].system in before
    assert sent[0].system not in shown and "gorse" in shown and not waits


def test_a_claim_is_renewed_while_its_holder_computes_and_by_nobody_after_a_kill(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    renewed, given_back = Semaphore(0), []

    class Claims:
        def touch(self, _key: str, seconds: float) -> None:
            assert seconds <= 10  # what a killed process leaves behind
            renewed.release()

        def delete(self, key: str) -> None:
            given_back.append(key)

    monkeypatch.setattr(stored_statistics, "caches", {"boards": Claims()})
    monkeypatch.setattr(stored_statistics, "RENEWAL_SECONDS", 0.001)
    with stored_statistics._renewal("board-computing"):
        assert all(renewed.acquire(timeout=WAIT_SECONDS) for _ in range(3))
        assert not given_back
    assert given_back == ["board-computing"]
    assert "claim" not in {thread.name for thread in enumerate_threads()}


@pytest.mark.parametrize("everything", [False, True])
def test_two_who_ask_at_once_do_not_compute_the_same(
    task: Task,
    entry: Participation,
    monkeypatch: pytest.MonkeyPatch,
    everything: bool,
) -> None:
    phase = task.phases.get()
    three_sent(phase, entry)
    computed: list[str] = []
    pairs_alone = BoardSample.pairs

    def counted(self: BoardSample, *asked: Any) -> Any:
        computed.append("pairs")
        return pairs_alone(self, *asked)

    monkeypatch.setattr(BoardSample, "pairs", counted)
    together = Barrier(4)

    def ask(_number: int) -> list[int | None]:
        try:
            together.wait()
            shown = board(BoardQuery(phase, everything=everything))
            return [row.rank for row in shown.rows]
        finally:
            close_old_connections()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert found == [found[0]] * 4
    assert computed == ["pairs"]


def test_a_process_computes_one_board_at_a_time(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes memory that threads together would multiply."""
    three_sent(phase, entry)
    meeting, met = Barrier(2), []
    ranked_alone = stored_board.ranked_board

    def met_or_alone(asked: BoardRequest) -> Any:
        with suppress(BrokenBarrierError):
            met.append(meeting.wait(HEAD_START))
        return ranked_alone(asked)

    monkeypatch.setattr(stored_board, "ranked_board", met_or_alone)

    def ask(everything: bool) -> int:
        try:
            return len(board(BoardQuery(phase, everything=everything)).rows)
        finally:
            close_old_connections()

    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(ask, [False, True]))
    assert met == [] and all(found)


def test_who_has_an_earlier_board_does_not_wait_for_another_one(
    phase: Phase, entry: Participation
) -> None:
    three_sent(phase, entry)
    before, _waits = shown_systems(phase)
    scored(phase, entry, both(), system="gorse")
    with ThreadPoolExecutor(1) as thread, stored_statistics._computing:
        found = thread.submit(shown_systems, phase).result(WAIT_SECONDS)
        thread.submit(close_old_connections)
    assert found == (before, True)
