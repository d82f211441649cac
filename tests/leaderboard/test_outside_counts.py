"""What is counted outside the site, where no extra keeps any of it."""

from typing import Any

import pytest

from leaderboard.organize.checklist import remarks
from leaderboard.results.status import receipt_of
from leaderboard.submissions import outside_counts
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.teams.models import User
from tests.joined import leave_extras_out
from tests.leaderboard.judged import LABELS, entry_of, judged_task, sent, task_beside

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("nobody_keeps")]


@pytest.fixture
def nobody_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside_counts, "keepers", list)


def test_what_nobody_else_counts_waits(ada: User, ben: User) -> None:
    task = judged_task(ada)
    sent(task, entry_of(task, ben))
    assert Evaluation.objects.get().state == EvaluationState.AWAITING
    assert not outside_counts.any_of(task)


def test_a_scorer_counts_by_itself_what_is_declared_beside_it(
    ada: User, ben: User
) -> None:
    task = task_beside(ada)
    sent(task, entry_of(task, ben), LABELS)
    evaluation = Evaluation.objects.get()
    overall = evaluation.results["overall"]
    assert overall["accuracy"]["value"] == 1
    assert overall["adequacy"]["value"] is None
    receipt = receipt_of(evaluation, task.test_sets.get())
    assert receipt.counted_elsewhere is None


def test_a_task_that_waits_for_what_nobody_takes_in_is_not_published(
    ada: User, settings: Any
) -> None:
    leave_extras_out(settings)
    said = "This site takes in nothing that is counted elsewhere."
    found = [
        (str(one.weight), one.text)
        for task in (judged_task(ada), task_beside(ada))
        for one in remarks(task, None)
        if one.text == said
    ]
    assert found == [("blocks", said), ("warning", said)]
