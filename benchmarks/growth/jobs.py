"""The statements of regular jobs, and which growing tables they read as a whole."""

from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import Any, NamedTuple

from django.db import connection

from benchmarks.growth.large_site import make_boards_due
from leaderboard.boards import computation
from leaderboard.mail import outbox
from leaderboard.operations import garbage_collection, incidents, retention
from leaderboard.submissions import (
    dispatch,
    evaluation,
    leases,
)
from leaderboard.submissions.gold import rescore
from leaderboard.submissions.models import (
    ComputedBoards,
    Evaluation,
    Event,
    QuotaCounter,
    QuotaEntry,
    StoredBoard,
    StoredCounts,
    StoredStatistics,
    Submission,
    SubmittedFile,
)
from leaderboard.tasks import blobs

# They grow with every submission. Tables of tasks and people are small beside them, and
# mail about results is removed when it is old.
GROWING = (
    Submission,
    SubmittedFile,
    Evaluation,
    StoredCounts,
    Event,
    QuotaCounter,
    QuotaEntry,
)
READS = ("SELECT", "UPDATE", "DELETE", "WITH")


def jobs() -> dict[str, Callable[[], object]]:
    """Jobs of the scheduler by name."""
    return {
        "leases": leases.reap,
        "upkeep of gold": rescore.upkeep,
        "hints": dispatch.hint_waiting,
        "boards": computation.compute_due,
        "summaries of older engines": _summaries,
        "unused files": _unused_files,
        "retention": retention.clear,
        "incidents": incidents.look,
        "mail": _mail,
    }


def _summaries() -> int:
    evaluation._next_look = 0.0
    return evaluation.summarise_outdated()


def _unused_files() -> int:
    blobs.keep(b"somebody's upload that has no row yet")
    return garbage_collection.collect()


def _mail() -> None:
    outbox.send()


class BoardsRun(NamedTuple):
    """One job of the scheduler: how many phases it computed, its statements, and
    processor seconds."""

    done: int
    asked: int
    seconds: float


def first_minutes() -> dict[str, list[BoardsRun]]:
    """The jobs that compute every board of a site of which none is stored, as after an
    upgrade; then those after something happened to each."""
    StoredStatistics.objects.all().delete()
    StoredBoard.objects.all().delete()
    ComputedBoards.objects.all().delete()
    times = {}
    for name in ("none is stored", "each changed once"):
        make_boards_due()
        ComputedBoards.objects.update(seconds=0.0)  # none rests
        times[name] = list(_until_none_is_due())
    return times


def _until_none_is_due() -> Iterator[BoardsRun]:
    while True:
        asked = 0

        def note(execute: Any, *rest: Any) -> Any:
            nonlocal asked
            asked += 1
            return execute(*rest)

        start = process_time()
        with connection.execute_wrapper(note):
            done = computation.compute_due()
        if not done:
            return
        yield BoardsRun(done, asked, process_time() - start)


def plans_of(statements: Iterable[tuple[str, Any]]) -> set[str]:
    """Growing tables that PostgreSQL would read from end to end."""
    tables = {model._meta.db_table for model in GROWING}
    whole: set[str] = set()
    for sql, values in statements:
        if not sql.lstrip("( ").upper().startswith(READS):
            continue
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN (FORMAT JSON) {sql}", values)
            ((plans,),) = cursor.fetchall()
        for plan in plans:
            whole |= tables & set(_read_whole(plan["Plan"]))
    return whole


def _read_whole(plan: dict[str, Any]) -> Iterator[str]:
    if plan["Node Type"] == "Seq Scan":
        yield plan["Relation Name"]
    for part in plan.get("Plans", ()):
        yield from _read_whole(part)
