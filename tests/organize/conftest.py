"""Another team, systems on the board, and a corrected gold; files are read inline."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.submissions.gold import check
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.tasks.participation import join as join_task
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import one_wrong
from tests.organize.drafts import SCORING, TEXTS
from tests.organize.sheets import two_sent

Made = Callable[..., GoldRevision]


@pytest.fixture(autouse=True)
def everything_inline(sandbox_inline: None) -> None:
    """In all tests here."""


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return join_task(task, Team.found("Cys", cy))


@pytest.fixture
def propose(task: Task, ada: User) -> Made:
    """Corrected gold for the north, in which the first word hangs elsewhere."""

    def propose(data: bytes = one_wrong(), name: str = "north") -> GoldRevision:
        test_set = task.test_sets.get(name=name)
        file = SimpleUploadedFile(f"{name}.conllu", data)
        return check.propose(task, {test_set: file}, ada, "found by ben", "s1")

    return propose


@pytest.fixture
def ada_s(client: Client, ada: User) -> Client:
    client.force_login(ada)
    return client


@pytest.fixture
def draft(ada_s: Client) -> Task:
    """A task that was just made by form."""
    answer = ada_s.post(
        "/tasks/new/form/?scorer=attachment", {**TEXTS, **SCORING, "slug": "beavers"}
    )
    assert answer.status_code == 302, answer.context["texts"].errors
    return Task.objects.get(slug="beavers")


@pytest.fixture
def sent(task: Task, phase: Phase, entry: Participation) -> tuple[Submission, ...]:
    """As `one_stage(then=two_sent)` has sent them, or now."""
    if not Submission.objects.exists():
        two_sent(phase, entry)
    return tuple(Submission.objects.order_by("received_at"))
