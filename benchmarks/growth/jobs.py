"""The statements of regular jobs, and which growing tables they read as a whole."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import connection

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
    Evaluation,
    Event,
    QuotaCounter,
    QuotaEntry,
    StoredCounts,
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
