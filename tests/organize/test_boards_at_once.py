"""Several who ask for a board at once: one job computes it, and one reader waits."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import close_old_connections
from django.utils import timezone

from leaderboard.boards import computation, stored_board
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import NotComputed, board, newest_board
from leaderboard.results.board_sample import BoardSample
from leaderboard.submissions.models import StoredBoard
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.web.site_locks import try_lock
from tests.organize.disclosing import three_sent

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]


def test_many_who_ask_at_once_make_one_job_and_its_worker_is_waited_for_by_one(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_sent(phase, entry)
    monkeypatch.setattr(stored_board, "WAIT_SECONDS", 60)
    together, hints = Barrier(8), []

    def worker() -> None:
        computation.compute_wanted(timezone.now())
        close_old_connections()

    def ask(_number: int) -> int | None:
        try:
            together.wait()
            return len(board(BoardQuery(phase, measure="uas")).rows)
        except NotComputed:
            return None
        finally:
            close_old_connections()

    with ThreadPoolExecutor(1) as lane, ThreadPoolExecutor(8) as threads:
        monkeypatch.setattr(
            stored_board, "ask", lambda _task: hints.append(lane.submit(worker))
        )
        numbers = list(threads.map(ask, range(8)))
    assert len(hints) == 1
    assert set(numbers) <= {None, 1} and 1 in numbers
    assert StoredBoard.objects.filter(replaced_at=None).count() == 1


def test_who_asks_waits_for_a_second_and_then_is_told(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_sent(phase, entry)
    monkeypatch.setattr(stored_board, "WAIT_SECONDS", 0.1)
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)
    with pytest.raises(NotComputed):
        board(BoardQuery(phase))
    assert StoredBoard.objects.filter(wanted_at__isnull=False).count() == 1


def test_a_board_that_another_worker_computes_is_left_to_it(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    three_sent(phase, entry)
    monkeypatch.setattr(stored_board, "WAIT_SECONDS", 0)
    monkeypatch.setattr(stored_board, "ask", lambda _task: None)
    with pytest.raises(NotComputed):
        board(BoardQuery(phase))
    with try_lock(f"boards-of-{phase.pk}"), ThreadPoolExecutor(1) as thread:
        thread.submit(computation.compute_wanted, timezone.now()).result(60)
        thread.submit(close_old_connections)
    with pytest.raises(NotComputed):
        board(BoardQuery(phase))
    computation.compute_wanted(timezone.now())
    assert board(BoardQuery(phase)).rows


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
            shown = newest_board(BoardQuery(phase, everything=everything))
            return [row.rank for row in shown.rows]
        finally:
            close_old_connections()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(ask, range(4)))
    assert found == [found[0]] * 4
    assert computed == ["pairs"]
