"""Leases: who works on an evaluation, and for how long; claim, renew, release, reap."""

import logging
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, transaction
from django.db.models import BigAutoField, QuerySet, UUIDField
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.submissions import quota
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationQuerySet,
    EvaluationState,
    QuotaKind,
    Sweep,
)
from leaderboard.web.statements import statement
from scoring.errors import Problem
from scoring.sandbox.fork import Abandoned, JobFailed, describe_error

log = logging.getLogger(__name__)

RESTORED = "a backup was restored"  # why evaluations were put back then


@dataclass(frozen=True)
class Lease:
    """The right to finish one evaluation, as long as nobody else was given it."""

    evaluation_id: int
    token: uuid.UUID

    @property
    def mine(self) -> EvaluationQuerySet:
        return Evaluation.objects.filter(pk=self.evaluation_id, lease_token=self.token)

    def renew(self) -> bool:
        """Say that we are still at it (T5); False when it was given to another."""
        return bool(
            self.mine.filter(state=EvaluationState.RUNNING).update(lease_until=_until())
        )

    def finish(self, state: EvaluationState, why: str = "", **fields: Any) -> bool:
        """The final move (T6); False, and nothing written, when the lease is lost."""
        moved = Evaluation.objects.advance(
            EvaluationState.RUNNING,
            state,
            why,
            locked=lambda: _running(pk=self.evaluation_id, token=self.token),
            finished_at=Now(),
            lease_token=None,
            lease_until=None,
            **fields,
        )
        if not moved:
            log.warning("evaluation %s: stale result discarded", self.evaluation_id)
        return bool(moved)

    def postpone(self, why: str, seconds: float) -> None:
        """Let it wait again for that long: the attempt does not count."""
        later = Now() + timedelta(seconds=seconds)
        put_back(self.mine, why, not_before=later, last_error=why[:600])


def claim(evaluation_id: int) -> Lease | None:
    """Take a waiting evaluation (T4); None if it is gone.

    The attempt is counted here, before any work: a file that kills its worker cannot
    be tried for ever.
    """
    lease = Lease(evaluation_id, uuid.uuid4())
    moved = Evaluation.objects.advance(
        EvaluationState.QUEUED,
        EvaluationState.RUNNING,
        attempts=1,
        locked=lambda: _waiting(pk=evaluation_id),
        lease_token=lease.token,
        lease_until=_until(),
    )
    return lease if moved else None


@statement(pk=BigAutoField())
def _waiting(pk: int) -> QuerySet:
    ready = Evaluation.objects.ready().filter(pk=pk)
    return ready.to_advance(EvaluationState.QUEUED)


@statement(pk=BigAutoField(), token=UUIDField())
def _running(pk: int, token: uuid.UUID) -> QuerySet:
    return Lease(pk, token).mine.to_advance(EvaluationState.RUNNING)


def _until() -> Any:
    return Now() + timedelta(seconds=settings.LEASE_SECONDS)


@contextmanager
def attempt_guard(lease: Lease) -> Iterator[None]:
    """While this block runs an error is ours: it is noted and the next attempt set.

    Everything is caught, because whatever a strange file provokes in us must neither
    end the worker nor keep the evaluation waiting for its lease to run out. What ends
    the process on purpose passes through.
    """
    try:
        yield
    except Abandoned:
        pass
    except BaseException as error:
        why = str(error) if isinstance(error, JobFailed) else describe_error(error)
        log.error("evaluation %s failed: %s", lease.evaluation_id, why)
        try:
            release(lease.mine, why)
        except DatabaseError as problem:  # the lease runs out by itself
            log.error("not released: %s", describe_error(problem))
        if not isinstance(error, Exception):
            raise


def release(running: EvaluationQuerySet, why: str) -> int:
    """End an attempt that failed by our fault; how many were released.

    Waiting again after a pause, or final after the last attempt, which is given back
    within the day's bound.
    """
    freed = 0
    for pk, attempt in list(running.values_list("pk", "attempt")):
        same = running.filter(pk=pk, attempt=attempt)
        last = attempt >= settings.MOST_ATTEMPTS
        freed += (_give_up if last else _put_back)(same, attempt, why)
    return freed


def _put_back(same: EvaluationQuerySet, attempt: int, why: str) -> int:
    pause = settings.BACK_OFF_SECONDS * 4 ** (attempt - 1)
    return same.advance(
        EvaluationState.RUNNING,
        EvaluationState.QUEUED,
        why,
        not_before=Now() + timedelta(seconds=pause),
        published_at=None,
        lease_token=None,
        lease_until=None,
        last_error=why[:600],
    )


def _give_up(same: EvaluationQuerySet, attempt: int, why: str) -> int:
    failed = same.select_related("submission__phase", "submission__participation")
    with transaction.atomic():
        evaluation = failed.select_related("submission__sender").first()
        moved = same.advance(
            EvaluationState.RUNNING,
            EvaluationState.FAILED_SYSTEM,
            f"{attempt} attempts failed",
            finished_at=Now(),
            lease_token=None,
            lease_until=None,
            last_error=why[:600],
        )
        if moved and evaluation is not None:
            submission = evaluation.submission
            # Scoring it anew was nobody's attempt: there is nothing to give back.
            if not evaluation.background and not quota.give_back(
                submission, QuotaKind.GIVEN_BACK
            ):
                rows = Evaluation.objects.filter(pk=evaluation.pk)
                rows.update(problems=[_attempt_kept().as_dict()])
            log.critical("evaluation of %s given up: %s", submission.pk, why)
    return moved


def _attempt_kept() -> Problem:
    message = _(
        "The attempt was not given back: %(limit)d a day are, which is the limit."
    )
    return Problem(
        Evaluation.ATTEMPT_KEPT, message % {"limit": settings.REFUNDS_PER_DAY}
    )


def put_back(rows: EvaluationQuerySet, why: str, **fields: Any) -> int:
    """Let what was running wait again as if it had not been begun; how many.

    For work that ended without anybody's fault: the attempt does not count.
    """
    return rows.advance(
        EvaluationState.RUNNING,
        EvaluationState.QUEUED,
        why,
        attempts=-1,
        published_at=None,
        lease_token=None,
        lease_until=None,
        **{"not_before": Now(), **fields},
    )


def put_back_after_restoration() -> None:
    """Let all that ran in the database of a backup wait again: no worker has it, and
    what the queue was told is not in the backup."""
    put_back(Evaluation.objects.all(), RESTORED)
    Evaluation.objects.filter(state=EvaluationState.QUEUED).update(published_at=None)


def reap() -> int:
    """Free evaluations whose worker is gone (T7); how many were freed."""
    Sweep.note()
    return release(Evaluation.objects.expired(), "the worker stopped answering")
