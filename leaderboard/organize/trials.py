"""What organizers upload, read and tried at arm's length."""

import json
import logging
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.organize import gold_trial
from leaderboard.sandbox import problems
from leaderboard.sandbox.client import SandboxJob, SandboxServer
from leaderboard.sandbox.fork import JobFailed, LimitExceeded
from leaderboard.submissions import verdicts
from leaderboard.submissions.check_queue import QueueFull
from leaderboard.submissions.checking import QUEUE, check_limits
from leaderboard.submissions.packing import Packed
from leaderboard.tasks.manifest import as_one_file
from leaderboard.tasks.plans import TaskPlan, TestSetPlan
from scoring.errors import Problem, ScoringError, SetupError
from scoring.formats.bundle import is_zip, members
from scoring.source import Source

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Given:
    """A test set as somebody uploads it; without a blind file one is made."""

    name: str
    title: str
    position: int
    gold: Source
    blind: Source | None = None


def tried(plan: TaskPlan, given: Given) -> tuple[str, TestSetPlan]:
    """The test set, its gold scored against itself and the blind file.

    Before it the unit that was counted: the plan's, or the finest that this gold
    knows where the plan states none. Raises SetupError with every problem, its file,
    line and column.
    """
    gold = as_stored(given.gold)
    own = as_stored(given.blind) if given.blind else None
    packed = packed_for(plan)
    packed.head["own"] = own is not None
    packed.add(own or gold, gold)
    answer, blind = asked(gold_trial.WORK, packed, gold.name)
    return answer["unit"], TestSetPlan(
        name=given.name,
        title=given.title,
        gold=gold,
        blind=Source.of_bytes(answer["name"], blind),
        units=int(answer["units"]),
        position=given.position,
    )


def as_stored(source: Source) -> Source:
    """One plain file, or a zip as we write it, whatever wrote the one given.

    Raises SetupError for a zip that is not plain.
    """
    if not is_zip(source):
        return source
    try:
        return as_one_file(Source(source.name, members(source)))
    except ScoringError as error:
        raise SetupError(error.problems) from None


def packed_for(plan: TaskPlan) -> Packed:
    packed = Packed(plan.scorer.name, plan.raw_options)
    packed.head["unit"] = plan.unit
    return packed


def asked(work: str, packed: Packed, name: str) -> tuple[dict[str, Any], bytes]:
    """What the work answered: a line of JSON, and what follows it.

    Raises SetupError with the problems it found, or because of a limit; `name` is
    what the file is called then.
    """
    job = SandboxJob(packed.head, packed.files, check_limits())
    server = SandboxServer(work)  # setting a task up is rare: it ends with the job
    try:
        with QUEUE.slot():
            line, _newline, rest = server.run(job).partition(b"\n")
        answer = json.loads(line)
        received = problems.received(answer.get("problems", []))
    except LimitExceeded as limit:
        problem = replace(verdicts.over_limit(limit.what, job.limits), file=name)
        raise SetupError(problem) from None
    except JobFailed as fault:
        # The kind of the error without its text, in which gold could stand.
        log.error("%s failed: %s", work, str(fault).partition(":")[0][:80])
        message = _("trying the file failed on our side; the operators can see why")
        raise SetupError(Problem("check_failed", message, name)) from None
    except QueueFull:
        message = _("too many files wait to be checked; send it again in a minute")
        raise SetupError(Problem("busy", message, name)) from None
    finally:
        server.stop()
    if received:
        raise SetupError(received)
    return answer, rest
