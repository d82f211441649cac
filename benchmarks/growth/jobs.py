"""The statements of regular jobs, and which growing tables they read as a whole."""

from collections.abc import Callable, Iterable, Iterator
from time import process_time
from typing import Any, NamedTuple

from django.db import connection

from benchmarks.growth.large_site import make_board_due, make_boards_due
from leaderboard.boards import computation
from leaderboard.extras.signatures import record
from leaderboard.extras.signatures.models import RecordedPhase, RecordEntry
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
    """Jobs of the scheduler by name, on a site that is past its first minutes."""
    return {
        "leases": leases.reap,
        "upkeep of gold": rescore.upkeep,
        "hints": dispatch.hint_waiting,
        "boards": _after_a_change(computation.compute_due),
        "records of rows": _after_a_change(record.update_due),
        "summaries of older engines": _summaries,
        "unused files": _unused_files,
        "retention": retention.clear,
        "incidents": incidents.look,
        "mail": _mail,
    }


def _after_a_change(work: Callable[[], int]) -> Callable[[], None]:
    """The job after something happened on one board of an ordinary task: it has to read
    that one, and the large one holds most rows of a small form."""

    def run() -> None:
        make_board_due()
        assert work()

    return run


def _summaries() -> int:
    evaluation._next_look = 0.0
    return evaluation.summarise_outdated()


def _unused_files() -> int:
    blobs.keep(b"somebody's upload that has no row yet")
    return garbage_collection.collect()


def _mail() -> None:
    outbox.send()


class Run(NamedTuple):
    """One job of the scheduler: the number of phases that it did, its statements, and
    processor seconds."""

    done: int
    asked: int
    seconds: float


def first_minutes() -> dict[str, list[Run]]:
    """The jobs of a site that stored no board and recorded no row, as after an
    upgrade; then those after something happened on each board."""
    for model in (StoredStatistics, StoredBoard, ComputedBoards):
        model._default_manager.all().delete()
    RecordedPhase.objects.all().delete()
    RecordEntry.objects.all().delete()
    runs = {}
    for when in ("from nothing", "each changed once"):
        make_boards_due()
        runs[f"boards, {when}"] = list(_until_none_is_due(computation.compute_due))
        runs[f"records of rows, {when}"] = list(_until_none_is_due(record.update_due))
    return runs


def _until_none_is_due(work: Callable[[], int]) -> Iterator[Run]:
    while True:
        asked = 0

        def note(execute: Any, *rest: Any) -> Any:
            nonlocal asked
            asked += 1
            return execute(*rest)

        start = process_time()
        with connection.execute_wrapper(note):
            done = work()
        if not done:
            return
        yield Run(done, asked, process_time() - start)


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
