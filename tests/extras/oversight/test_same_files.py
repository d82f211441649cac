"""Marks in the organizers' list of submissions: of files that another team sent, and of
teams that are out of the task."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.extras.oversight.submission_list import senders_of_same_files
from leaderboard.submissions.models import Submission
from leaderboard.tasks import participation
from leaderboard.tasks.models import Participation, Phase, Task
from leaderboard.teams.models import User
from tests.leaderboard.small import both, one_wrong, scored

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
LIST = "/tasks/otters/organize/submissions/"


def marks(task: Task) -> dict[str, list[str]]:
    sent = Submission.objects.filter(phase__task=task)
    found = senders_of_same_files(task, sent)
    return {one.system: found[one.pk] for one in sent}


def test_a_file_that_another_team_sent_is_marked_in_the_list(
    phase: Phase,
    entry: Participation,
    other: Participation,
    ada: User,
    as_user: Callable[[User], Client],
) -> None:
    scored(phase, entry, both(), system="mole")
    scored(phase, entry, both(), system="vole")
    wrong = {name: one_wrong(name) for name in ("north", "south")}
    scored(phase, entry, both(wrong), system="hare")
    assert "Same file as" not in as_user(ada).get(LIST).text
    scored(phase, other, both(), system="shrew")
    assert marks(phase.task) == {
        "mole": [str(other.team)],
        "vole": [str(other.team)],
        "hare": [],
        "shrew": ["Bens"],
    }
    page = as_user(ada).get(LIST).text
    assert page.count("Same file as") == 3 and "Same file as Bens" in page


@pytest.mark.parametrize("decision", ["withdraw", "disqualify"])
def test_what_a_team_sent_that_is_out_is_marked_in_the_list(
    phase: Phase,
    entry: Participation,
    ada: User,
    as_user: Callable[[User], Client],
    decision: str,
) -> None:
    scored(phase, entry, both())
    assert "Off the board with its team" not in as_user(ada).get(LIST).text
    participation.decide(entry, decision, ada, "copied the otters")
    assert "Off the board with its team" in as_user(ada).get(LIST).text


def test_one_file_of_several_is_enough_and_teams_that_merged_are_one(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    scored(phase, entry, both({"north": one_wrong()}), system="mole")
    scored(phase, other, both(), system="shrew")
    assert marks(phase.task) == {"mole": [str(other.team)], "shrew": ["Bens"]}
    Participation.objects.filter(pk=other.pk).update(merged_into=entry)
    assert marks(phase.task) == {"mole": [], "shrew": []}


def test_one_query_marks_any_number_of_submissions(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    for of in (entry, other, entry):
        scored(phase, of, both())
    sent = list(Submission.objects.all())
    with CaptureQueriesContext(
        connection,
    ) as asked:
        senders_of_same_files(phase.task, sent)
    assert len(asked) == 1
