"""What organizers upload, read and tried at arm's length."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.sandbox import client
from leaderboard.sandbox.client import QueueFull
from leaderboard.sandbox.codec import Request
from leaderboard.sandbox.fork import JobFailed, LimitExceeded
from leaderboard.submissions.format_check import QUEUE
from leaderboard.tasks.bundle.schema import TaskPlan, TestSetPlan
from scoring.errors import Problem, Refused, ScoringError, SetupError
from scoring.formats.bundle import as_one_file, is_zip, members
from scoring.source import Source


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
    request = request_for(plan, own=own is not None)
    request.add(own or gold, gold)
    values, (blind,) = answer("gold", request, gold.name)
    return values["unit"], TestSetPlan(
        name=given.name,
        title=given.title,
        gold=gold,
        blind=Source.of_bytes(values["name"], blind),
        units=int(values["units"]),
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


def request_for(plan: TaskPlan, /, **values: Any) -> Request:
    return Request.scoring(
        plan.scoring.name, plan.scoring.options, unit=plan.scoring.unit, **values
    )


def answer(job: str, request: Request, name: str) -> tuple[dict[str, Any], list[bytes]]:
    """What the sandbox answers about the file called `name`. Raises SetupError."""
    try:
        return client.run(job, request, slot=QUEUE.slot())
    except LimitExceeded as limit:
        raise SetupError(replace(limit.problems[0], file=name)) from None
    except Refused as refusal:
        raise SetupError(refusal.problems) from None
    except QueueFull:
        message = _("too many files wait to be checked; send it again in a minute")
        raise SetupError(Problem("busy", message, name)) from None
    except JobFailed:
        message = _("trying the file failed on our side; the operators can see why")
        raise SetupError(Problem("check_failed", message, name)) from None
