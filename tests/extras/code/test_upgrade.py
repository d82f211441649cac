"""A site of the version before, with a task of code that ran, keeps all of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from leaderboard.extras.code.models import CodeRule, CodeRun
from leaderboard.extras.code.rules import rule_of, seconds_left
from leaderboard.extras.code.runs import facts
from leaderboard.extras.programs.models import ProgramRun
from leaderboard.submissions.models import EvaluationState, Submission
from leaderboard.tasks.bundle.create import create_task
from leaderboard.teams.models import User
from tests.extras.code.test_code_before_programs import code, code_bundle
from tests.extras.programs.test_programs import ended, send
from tests.operations.old_sites import note_all_migrations, set_back
from tests.operations.test_migrating import migrated, newest

# The real sandbox
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
BEFORE = [
    ("code", None),
    ("programs", "0001_initial"),
    ("tasks", "0044_bounded_markdown"),
]
FACTS = {"code_sha256": "c0de", "seconds": 7.5}


@pytest.fixture
def sent(ada: User, settings: Any) -> Submission:
    settings.PROGRAMS = "everyone"
    return send(create_task(code_bundle(), ada), code())


@pytest.fixture
def rows_of_before(sent: Submission, settings: Any) -> Iterator[None]:
    """The rows of code as the version before kept them, and its tables."""
    settings.MIGRATION_MODULES = {}  # which the tests have switched off
    CodeRun.objects.all().delete()
    recorder = note_all_migrations()
    try:
        old = set_back(*BEFORE)
        rules = old.get_model("programs", "CodeRule")
        runs = old.get_model("programs", "CodeRun")
        rules.objects.create(phase_id=sent.phase_id, seconds_a_day=60, show_log=True)
        run = ProgramRun.objects.get()
        runs.objects.create(run_id=run.pk, seconds=7.5, facts=FACTS)
        migrated(newest())
        yield
    finally:
        migrated(newest())
        recorder.flush()


@pytest.mark.usefixtures("rows_of_before")
def test_rules_runs_receipts_and_scores_of_code_stay(
    sent: Submission, client: Client
) -> None:
    evaluation = ended(sent)
    assert evaluation.state == EvaluationState.SCORED
    rule = rule_of(sent.phase)
    assert (rule.seconds_a_day, rule.show_log) == (60, True)
    assert CodeRule.objects.count() == CodeRun.objects.count() == 1
    left = seconds_left(rule, sent.participation, sent.received_at)
    assert left == pytest.approx(60 - 7.5)
    test_set = sent.phase.test_sets.get()
    assert facts(evaluation, test_set, 1) == FACTS
    address = reverse("api-board", args=[sent.phase.task.slug, sent.phase.name])
    board = client.get(address)
    (row,) = board.json()["rows"]
    assert row["scores"]["accuracy"]["value"] == 0.75
