"""A worker that is killed in the middle of runs of code loses and doubles nothing."""

import pytest

from leaderboard.extras.code.models import CodeRun
from leaderboard.submissions import dispatch, leases
from leaderboard.submissions.models import FINAL, Evaluation, EvaluationState, Event
from leaderboard.teams.models import User
from tests.extras.code.code_task import (
    HEAD,
    RULE,
    accuracies,
    code,
    code_task,
    newest,
    submitted,
)
from tests.leaderboard.small import attempts_left
from tests.waiting import wait_until
from tests.worker import Worker

# The real sandbox
pytestmark = [pytest.mark.django_db, pytest.mark.thorough, pytest.mark.broker]
# The first test set is done at once; in the second a processor works for seconds.
SLOW = HEAD + (
    "import time\n"
    "end = time.process_time() + (3 if len(rows) == 2 else 0)\n"
    "while time.process_time() < end: pass\n"
)


def test_what_a_killed_worker_began_is_finished_by_the_next_and_counts_once(
    worker: Worker, ada: User
) -> None:
    task = code_task(ada)
    submission = submitted(task, code(SLOW + RULE.removeprefix(HEAD)))
    done = CodeRun.objects.exclude(output_sha256="")
    wait_until(lambda: done.count() == 1, 60, "the first test set")
    first = done.get()
    worker.kill()
    assert newest(submission).state == EvaluationState.RUNNING
    worker.start()
    # As if the lease had run out, and the pause after it.
    Evaluation.objects.update(lease_until=submission.received_at)
    assert leases.reap() == 1
    Evaluation.objects.update(not_before=submission.received_at)
    dispatch.hint_waiting()
    wait_until(lambda: newest(submission).state in FINAL, 120, "it is scored")
    one = submission.evaluations.get()
    assert one.state == EvaluationState.SCORED, one.problems
    assert accuracies(one) == {"north": 0.75, "south": 0.5}
    runs = list(CodeRun.objects.order_by("pk"))
    assert [run.test_set.name for run in runs] == ["north", "south"]
    assert (runs[0].pk, runs[0].at) == (first.pk, first.at)  # it did not run again
    scored = Event.objects.filter(evaluation=one, new=EvaluationState.SCORED)
    assert (scored.count(), one.attempt) == (1, 2)
    left = attempts_left(
        submission.phase, submission.participation, submission.received_at
    )
    assert left == 2
