"""The cast of the tests of the site plays here too."""

from collections.abc import Callable, Iterator

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.confinement.errands import Runner
from leaderboard.organizing import trials
from leaderboard.submissions import correcting, gold_check, proposing
from leaderboard.submissions.models import Submission
from leaderboard.tasks.joining import join as join_task
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Task
from leaderboard.teams.models import Team, User
from tests.leaderboard.conftest import (
    ada,
    as_user,
    ben,
    channel,
    cy,
    entry,
    over,
    phase,
    task,
    upcoming,
)
from tests.leaderboard.small import one_wrong
from tests.organizing.drafts import SCORING, TEXTS
from tests.organizing.sheets import two_systems, with_sheet

Made = Callable[..., GoldRevision]

__all__ = [
    "ada", "as_user", "ben", "channel", "cy", "entry", "over", "phase", "task",
    "upcoming",
]  # fmt: skip


class _KeptRunner(Runner):
    """Survives the errand: a new process for every test takes long."""

    def stop(self) -> None:
        pass


@pytest.fixture(scope="session")
def kept_runner() -> Iterator[Runner]:
    runner = _KeptRunner(gold_check.WORK)
    yield runner
    Runner.stop(runner)


@pytest.fixture
def gold_runner(kept_runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    """Corrected gold is checked by one process, whichever test asks."""
    monkeypatch.setattr(correcting, "Runner", lambda work: kept_runner)


@pytest.fixture(scope="session")
def kept_trials() -> Iterator[dict[str, _KeptRunner]]:
    runners: dict[str, _KeptRunner] = {}
    yield runners
    for runner in runners.values():
        Runner.stop(runner)


@pytest.fixture(autouse=True)
def trial_runners(
    kept_trials: dict[str, _KeptRunner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What organizers upload is tried by one process per kind of work."""

    def kept(work: str) -> _KeptRunner:
        return kept_trials.setdefault(work, _KeptRunner(work))

    monkeypatch.setattr(trials, "Runner", kept)


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return join_task(task, Team.found("Cys", cy))


@pytest.fixture
def propose(task: Task, ada: User) -> Made:
    """Corrected gold for the north, in which the first word hangs elsewhere."""

    def propose(data: bytes = one_wrong(), name: str = "north") -> GoldRevision:
        test_set = task.test_sets.get(name=name)
        file = SimpleUploadedFile(f"{name}.conllu", data)
        return proposing.propose(
            proposing.Correction(task, {test_set: file}, ada, "found by ben", "s1")
        )

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
    with_sheet(task)
    return two_systems(phase, entry)
