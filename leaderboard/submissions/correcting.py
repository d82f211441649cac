"""Whether corrected gold can be used, and which units it changes: checked at once."""

from dataclasses import dataclass, replace

from leaderboard.sandbox import client
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import LimitExceeded
from leaderboard.submissions.checking import QUEUE
from leaderboard.tasks.models import GoldFile, Task, TestSet
from leaderboard.tasks.models.task import raw_options
from scoring import Problem, Refused
from scoring.source import Source


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
    all reading of what was uploaded. Raises JobFailed.
    """
    if new.sha256 == old.sha256:
        message = "this is, byte for byte, the gold that boards show now"
        hint = "Leave the field empty to take it over."
        return [Problem("same_gold", message, new.name, hint=hint)]
    values = {"unit": task.unit, "headline": task.headline}
    request = Request.scoring(task.scorer_name, raw_options(task.options), **values)
    blind = test_set.blind()
    request.add(blind, new)
    request.add(blind, old.source())
    try:
        answer, _files = client.run("correction", request, slot=QUEUE.slot())
    except LimitExceeded as limit:
        return [replace(problem, file=new.name) for problem in limit.problems]
    except Refused as refusal:
        return list(refusal.problems)
    return Examined(**answer)
