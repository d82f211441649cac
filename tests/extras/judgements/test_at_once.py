"""Tables of two organizers at the same moment: one after the other, none lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connections

from leaderboard.extras.judgements import judgements
from leaderboard.extras.judgements.models import JudgementTable
from leaderboard.submissions.models import Evaluation
from leaderboard.teams.models import User
from scoring import Source
from tests.extras.judgements.judged import table
from tests.leaderboard.judged import UNITS, entry_of, judged_task, run_all, sent
from tests.leaderboard.small import inline

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.databases("locks")]


def at_once(*acts: Callable[[], object]) -> None:
    start = Barrier(len(acts))

    def run(act: Callable[[], object]) -> None:
        try:
            start.wait(timeout=10)
            act()
        finally:
            connections.close_all()

    with inline, ThreadPoolExecutor(len(acts)) as pool:
        list(pool.map(run, acts))


def test_two_tables_at_once_leave_one_that_counts(ada: User, ben: User) -> None:
    task = judged_task(ada)
    submission, phase = sent(task, entry_of(task, ben)), task.phases.get()
    texts = [table(), table(dict.fromkeys(UNITS, 1))]
    at_once(
        *(
            lambda text=text: judgements.take(
                phase, ada, Source.of_bytes("t.csv", text.encode()), submission
            )
            for text in texts
        )
    )
    run_all()
    current = JudgementTable.objects.get(replaced_at=None)
    assert JudgementTable.objects.count() == 2
    first, second = Evaluation.objects.order_by("table_version")
    assert (first.state, second.state) == ("scored", "scored")
    assert list(second.tables.all()) == [current]
    counted = second.results["overall"]["adequacy"]["value"]
    assert f",{counted}".removesuffix(".0") in current.source().single().decode()


def test_a_worker_that_scores_an_earlier_table_does_not_hide_the_later(
    ada: User, ben: User
) -> None:
    task = judged_task(ada)
    submission, phase = sent(task, entry_of(task, ben)), task.phases.get()
    with inline:
        for value in (0.25, 0.75):
            text = table(dict.fromkeys(UNITS, value))
            source = Source.of_bytes("t.csv", text.encode())
            judgements.take(phase, ada, source, submission)
    # Whichever of the two is scored last.
    from leaderboard.results.status import evaluation_of
    from leaderboard.submissions import evaluation

    for pk in Evaluation.objects.order_by("-pk").values_list("pk", flat=True):
        assert evaluation.run(pk)
    shown = evaluation_of(submission)
    assert shown is not None
    assert shown.results["overall"]["adequacy"]["value"] == 0.75
