"""A statement whose SQL is made once answers as the query set that it is made of."""

from collections.abc import Callable, Collection
from contextlib import suppress
from datetime import timedelta
from threading import Barrier, BrokenBarrierError, Thread
from typing import Any
from uuid import UUID

import pytest
from django.contrib.sessions.backends import db
from django.db import connection, transaction
from django.db.models import BigAutoField, CharField, DurationField, QuerySet, UUIDField
from django.db.models.functions import Now
from django.db.transaction import TransactionManagementError
from django.test.utils import CaptureQueriesContext

from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.policy import with_neighbours
from leaderboard.web import sessions
from leaderboard.web.locks import lock_rows
from leaderboard.web.statements import Statement, statement
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.databases("sql")]


@statement(slug=CharField(), name=CharField())
def phases(slug: str, name: str) -> QuerySet[Phase]:
    rows = with_neighbours(Phase.objects.select_related("task", "gold_revision"))
    return rows.filter(task__slug=slug, name=name)


@statement(submission=UUIDField(), age=DurationField())
def evaluations(submission: UUID, age: Any) -> QuerySet[Evaluation]:
    younger = Evaluation.objects.filter(created_at__gte=Now() - age)
    rows = younger.filter(submission=submission).prefetch_related("counts")
    return rows.order_by("-pk")[:1]


@statement(submission=UUIDField())
def numbers(submission: UUID) -> QuerySet[Submission]:
    sent = Submission.objects.filter(pk=submission)
    return sent.values_list("received_at", "facts", "phase__name")


@pytest.fixture
def sent(phase: Phase, entry: Participation) -> Submission:
    scored(phase, entry, both({"north": one_wrong()}))
    return scored(phase, entry, both())


def values(row: Any) -> dict[str, Any]:
    """The columns of a row, of those read with it, and what was annotated."""
    own = dict(vars(row)["_state"].fields_cache)
    columns = {k: v for k, v in vars(row).items() if not k.startswith("_")}
    return columns | {name: values(other) for name, other in own.items() if other}


def same(asked: Statement, **names: Any) -> list[Any]:
    """The rows by both ways."""
    rows = asked(**names)
    plain = list(asked.make(**names))
    if rows and hasattr(rows[0], "_state"):
        assert [*map(values, rows)] == [*map(values, plain)]
    assert rows == plain
    return rows


def test_rows_and_what_is_read_with_them_are_the_same(sent: Submission) -> None:
    assert phases(slug="otters", name="none") == []
    (phase,) = same(phases, slug="otters", name="test")
    assert same(phases, slug="badgers", name="test") == []
    with CaptureQueriesContext(connection) as queries:
        assert phase.task.slug == "otters" and phase.gold_revision.number == 1
    assert not queries


def test_values_keep_their_types(sent: Submission) -> None:
    day, nothing = timedelta(days=1), timedelta(0)
    (row,) = same(evaluations, submission=sent.pk, age=day)
    assert row.submission_id == sent.pk and row.results["overall"]
    with CaptureQueriesContext(connection) as queries:
        assert len(row.counts.all()) == 2
    assert not queries
    assert same(evaluations, submission=sent.pk, age=nothing) == []
    ((moment, facts, name),) = same(numbers, submission=sent.pk)
    assert (moment, facts, name) == (sent.received_at, {}, "test")


@pytest.mark.django_db(transaction=True)
def test_rows_are_locked_within_a_transaction_alone(phase: Phase) -> None:
    @statement(task=BigAutoField())
    def locked(task: int) -> QuerySet[Phase]:
        return lock_rows(Phase.objects.filter(task=task))

    for _ in range(2):
        with pytest.raises(TransactionManagementError):
            locked(task=phase.task_id)
        with transaction.atomic(), CaptureQueriesContext(connection) as queries:
            assert locked(task=phase.task_id) == [phase]
        if connection.vendor == "postgresql":
            assert "FOR NO KEY UPDATE OF" in queries[0]["sql"]


def test_a_value_that_is_not_named_is_missed(phase: Phase) -> None:
    ask: Callable[..., Any] = phases
    with pytest.raises(KeyError):
        ask(slug="otters")


@statement(keys=[UUIDField()], names=[CharField()])
def by_keys(keys: Collection[UUID], names: Collection[str]) -> QuerySet:
    sent = Submission.objects.filter(pk__in=keys, phase__name__in=names)
    return sent.order_by("pk").values_list("pk", flat=True)


@statement(phases=[BigAutoField()])
def by_phase(phases: Collection[int]) -> QuerySet[Submission]:
    return Submission.objects.filter(phase__in=phases).select_related("phase")


def test_keys_may_be_any_number(sent: Submission, phase: Phase) -> None:
    both_keys = set(Submission.objects.values_list("pk", flat=True))
    assert same(by_keys, keys=both_keys, names=["test"]) == sorted(both_keys)
    assert same(by_keys, keys=[sent.pk, sent.pk], names=["a", "test"]) == [sent.pk]
    assert same(by_keys, keys=[], names=["test"]) == []
    assert same(by_keys, keys=both_keys, names=["'\"]"]) == []
    assert {row.pk for row in same(by_phase, phases=[phase.pk, 0])} == both_keys
    assert same(by_phase, phases=()) == []


@pytest.mark.parametrize("seconds", [60, -1])
def test_a_session_of_another_store_is_read_until_it_ends(seconds: int) -> None:
    old = db.SessionStore()
    old["otter"] = 3
    old.set_expiry(seconds)
    old.save()
    new = sessions.SessionStore(old.session_key)
    assert new.get("otter") == (3 if seconds > 0 else None)
    assert (new.session_key == old.session_key) is (seconds > 0)


def test_threads_that_ask_first_at_once_do_not_compile_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meeting, met = Barrier(2, timeout=0.3), []

    def compile_slowly(statement: Statement) -> None:
        with suppress(BrokenBarrierError):
            meeting.wait()
            met.append(statement)
        raise LookupError

    monkeypatch.setattr(Statement, "_compile", compile_slowly)
    asked = Statement(phases.make, phases.fields)

    def ask() -> None:
        with pytest.raises(LookupError):
            asked(slug="otters", name="test")

    threads = [Thread(target=ask) for _number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert met == []
