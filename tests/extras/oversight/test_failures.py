"""Failures by cause and day: what is counted, and that nothing private is kept."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone, translation

from leaderboard.extras.oversight.failures import causes_of, days_of, failures_of
from leaderboard.extras.oversight.models import RefusedUpload
from leaderboard.submissions import accept
from leaderboard.submissions.models import Evaluation, EvaluationState
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.errors import Problem
from scoring.messages import Messages
from tests.leaderboard.small import both, scored, upload

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("time"),
]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/failures/"
SECRET = "kanarieword"
SAID = Messages({"odd": "the word is '%(word)s'; 100%% of it"})


def refused(phase: Phase, entry: Participation, data: bytes) -> None:
    with pytest.raises(accept.Unfit):
        accept.submit(upload(phase, entry, {"north": data, "south": data}))


def failed(phase: Phase, entry: Participation, *problems: Problem) -> Evaluation:
    made = scored(phase, entry, both(), system="mole").evaluations.get()
    made.state, made.problems = EvaluationState.INVALID, [p.as_row() for p in problems]
    made.state_since = timezone.now()
    made.save()
    return made


def test_a_refused_upload_leaves_its_kinds_of_problems_and_nothing_of_its_text(
    phase: Phase, entry: Participation
) -> None:
    refused(phase, entry, f"1\t{SECRET}\t_\n\n".encode())
    rows = list(RefusedUpload.objects.all())
    assert rows and len({row.code for row in rows}) == len(rows)
    assert len({row.at for row in rows}) == 1
    assert not any(SECRET in row.template for row in rows)


def test_a_check_without_sending_counts_too_and_a_good_file_does_not(
    phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    assert not RefusedUpload.objects.exists()


def test_failures_are_grouped_by_cause_with_teams_and_the_last_time(
    task: Task, phase: Phase, entry: Participation, other: Participation
) -> None:
    for team in (entry, entry, other):
        refused(phase, team, b"no table\n")
    failed(phase, other, Problem("odd", SAID("odd", word=SECRET)))
    since = timezone.now() - timedelta(days=1)
    first, *rest = causes_of(failures_of(task, None, since))
    assert (first.stage, first.number, first.teams) == ("refused", 3, 2)
    assert first.sentence
    (odd,) = (cause for cause in rest if cause.stage == "invalid")
    assert (odd.code, odd.number, odd.teams, odd.is_listed) == ("odd", 1, 1, True)
    assert odd.sentence == "the word is '…'; 100% of it"
    assert odd.last == Evaluation.objects.get().state_since
    (day,) = days_of(failures_of(task, None, since))
    assert dict(day.causes)["odd"] == 1


def test_the_page_shows_no_word_of_a_file_and_links_the_list(
    phase: Phase, entry: Participation, as_user: Login, ada: User
) -> None:
    failed(phase, entry, Problem("odd", SAID("odd", word=SECRET), hint=SECRET))
    refused(phase, entry, f"{SECRET}\n".encode())
    reader = as_user(ada)
    page = reader.get(PAGE).content.decode()
    assert SECRET not in page
    assert "/organize/submissions/?cause=odd" in page
    listed = reader.get("/tasks/otters/organize/submissions/?cause=odd")
    assert ">mole</a>" in listed.content.decode()


def test_a_failure_without_problems_is_named_by_its_state(
    task: Task, phase: Phase, entry: Participation, as_user: Login, ada: User
) -> None:
    failed(phase, entry)
    Evaluation.objects.update(state=EvaluationState.TIMEOUT)
    (cause,) = causes_of(failures_of(task, phase, timezone.now() - timedelta(days=1)))
    assert (cause.code, cause.sentence) == (
        "timeout",
        "Scoring took longer than the published limit.",
    )
    listed = as_user(ada).get("/tasks/otters/organize/submissions/?cause=timeout")
    assert ">mole</a>" in listed.content.decode()


def test_what_is_older_than_the_time_asked_for_is_left_out(
    phase: Phase, entry: Participation, as_user: Login, ada: User
) -> None:
    refused(phase, entry, b"no table\n")
    RefusedUpload.objects.update(at=timezone.now() - timedelta(days=10))
    reader = as_user(ada)
    assert "Nothing failed" in reader.get(f"{PAGE}?days=7").content.decode()
    assert "Nothing failed" not in reader.get(f"{PAGE}?days=x").content.decode()


def test_the_sentence_is_in_the_language_of_the_reader(
    task: Task, phase: Phase, entry: Participation
) -> None:
    refused(phase, entry, b"")
    (first, *_rest) = causes_of(
        failures_of(task, None, timezone.now() - timedelta(days=1))
    )
    with translation.override("de"):
        german = first.sentence
    assert german != first.sentence


def test_the_page_asks_as_often_for_many_failures_as_for_few(
    phase: Phase, entry: Participation, other: Participation, as_user: Login, ada: User
) -> None:
    reader = as_user(ada)
    refused(phase, entry, b"no table\n")
    reader.get(PAGE)
    with CaptureQueriesContext(connection) as few:
        reader.get(PAGE)
    for data in (b"", b"no table\n", b"1\ta\n\n"):
        refused(phase, other, data)
    with CaptureQueriesContext(connection) as many:
        reader.get(PAGE)
    assert len(many) == len(few)
