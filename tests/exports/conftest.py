"""A board with everything on it."""

import pytest

from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import Team
from tests.leaderboard.small import set_boards
from tests.organize import sheets

# Everything that one of the formats takes for its own.
NASTY = (
    "=1+1",
    "a;=cmd|x",
    "{\\x} %&$#_^~",
    "<script>alert(1)</script>",
    "a|b *c* [d](e)",
    "]]> \" ' </title>",
    "www.evil.example",
    "@misc{x,",
    "`code` \\\\ ~~x~~",
)


def two_sent(phase: Phase, entry: Participation) -> None:
    """Two teams with answers; only the second of them has a mistake."""
    set_boards(
        phase.task,
        [
            {
                "name": "n",
                "title": "North only",
                "measures": ["uas"],
                "headline": "uas",
                "test_sets": ["north"],
            }
        ],
    )
    sheets.two_sent(phase, entry)


@pytest.fixture
def sent(task: Task) -> list[Submission]:
    """The stage of `one_stage(then=two_sent)`."""
    return list(Submission.objects.order_by("received_at"))


def renamed(sent: Submission, name: str) -> None:
    """Past all forms, as an import or an older release might have left it."""
    Team.objects.filter(participations=sent.participation_id).update(name=f"T{name}")
    Submission.objects.filter(pk=sent.pk).update(system=name)
