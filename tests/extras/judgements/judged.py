"""Tables for the tasks that organizers judge (`tests.leaderboard.judged`)."""

from collections.abc import Mapping
from typing import Any

from leaderboard.extras.judgements.judgements import Taken, take
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Phase
from leaderboard.teams.models import User
from scoring.source import Source
from tests.leaderboard.judged import UNITS, run_all
from tests.leaderboard.small import inline


def table(values: Mapping[str, Any] | None = None, **of_submission: Any) -> str:
    """A table for one submission: adequacy by unit, no errors."""
    found = {unit: 0.5 for unit in UNITS} | dict(values or {})
    lines = [f"{unit},{value},0\n" for unit, value in found.items()]
    return "id,adequacy,errors\n" + "".join(lines)


def long_table(values: Mapping[Submission, float]) -> str:
    """A table for several submissions: the same adequacy for all units of each."""
    lines = [
        f"{one.pk},{unit},{value},1\n"
        for one, value in values.items()
        for unit in UNITS
    ]
    return "submission,id,adequacy,errors\n" + "".join(lines)


def judge(
    phase: Phase, by: User, text: str, submission: Submission | None = None
) -> Taken:
    """The table taken in, and everything scored that it lets be scored."""
    with inline:
        taken = take(
            phase, by, Source.of_bytes("judged.csv", text.encode()), submission
        )
    run_all()
    return taken
