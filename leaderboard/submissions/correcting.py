"""Whether corrected gold can be used, and which units it changes: checked at once."""

import json
import logging
from dataclasses import dataclass, replace

from leaderboard.sandbox import problems
from leaderboard.sandbox.client import SandboxJob, SandboxServer
from leaderboard.sandbox.fork import JobFailed, LimitExceeded
from leaderboard.submissions import gold_check, verdicts
from leaderboard.submissions.check_queue import QueueFull
from leaderboard.submissions.checking import (
    QUEUE,
    CannotCheck,
    CheckQueueFull,
    check_limits,
)
from leaderboard.submissions.packing import Packed
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from scoring import Problem
from scoring.source import Source

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Examined:
    """Corrected gold of one test set: how many units it has, and those it changes."""

    units: int
    changed: int
    named: list[str]


def examine(
    task: Task, test_set: TestSet, old: GoldFile, new: Source
) -> Examined | list[Problem]:
    """Check corrected gold like a first one, and compare it with what it replaces.

    The published blind file stays as it is and must still match. Every problem has
    its file, and line and column where they are known. Done by a sandbox server, like
    all reading of what was uploaded. Raises CannotCheck.
    """
    if new.sha256 == old.sha256:
        message = "this is, byte for byte, the gold that boards show now"
        hint = "Leave the field empty to take it over."
        return [Problem("same_gold", message, new.name, hint=hint)]
    job = _job(task, test_set, old, new)
    server = SandboxServer(
        gold_check.WORK
    )  # corrections are rare: it ends with the job
    try:
        with QUEUE.slot():
            answer = json.loads(server.run(job))
        if "problems" in answer:
            return problems.received(answer["problems"])
    except LimitExceeded as limit:
        return [replace(verdicts.over_limit(limit.what, job.limits), file=new.name)]
    except JobFailed as fault:
        # The kind of the error without its text, in which gold could stand.
        kind = str(fault).partition(":")[0][:80]
        log.error("gold of test set %s not checked: %s", test_set.pk, kind)
        raise CannotCheck("the check failed on our side") from None
    except QueueFull:
        raise CheckQueueFull("too many files wait to be checked") from None
    finally:
        server.stop()
    return Examined(**answer)


def _job(task: Task, test_set: TestSet, old: GoldFile, new: Source) -> SandboxJob:
    packed = Packed(task.scorer_name, raw_options(task.options))
    packed.head |= {"unit": task.unit, "headline": task.headline}
    blind = test_set.blind()
    packed.add(blind, new)
    packed.add(blind, old.source())
    return SandboxJob(packed.head, packed.files, check_limits())
