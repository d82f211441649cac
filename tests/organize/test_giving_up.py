"""A draft that is given up goes with all it holds; anything else stays."""

import pytest
from django.test import Client

from leaderboard.organize.bundle import import_plan
from leaderboard.organize.task import delete_draft
from leaderboard.submissions.models import Evaluation, Submission
from leaderboard.tasks.bundle.load import load
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.teams.models import Team, User
from leaderboard.teams.refusal import Refusal
from tests.organize.bundles import full_bundle

pytestmark = pytest.mark.django_db
PAGE = "/tasks/beavers/organize/delete/"
START = "/tasks/beavers/organize/"


def test_a_draft_goes_and_its_address_is_free(ada: User, ada_s: Client) -> None:
    task = import_plan(load(full_bundle(slug="beavers")), ada)
    assert Submission.objects.filter(phase__task=task, baseline=True).exists()
    assert PAGE in ada_s.get(START).content.decode()
    assert "Delete the draft" in ada_s.get(PAGE).content.decode()
    answer = ada_s.post(PAGE, follow=True)
    assert f"{task.title} is deleted." in answer.content.decode()
    for model in (Task, Phase, Submission, Evaluation, Participation, Team):
        assert not model.objects.exists(), model
    import_plan(load(full_bundle(slug="beavers")), ada)


def test_a_published_task_stays(draft: Task, ada_s: Client) -> None:
    Task.objects.update(draft=False)
    assert ada_s.post(PAGE).status_code == 422
    assert "What was published stays" in ada_s.get(PAGE).content.decode()
    with pytest.raises(Refusal):
        delete_draft(draft)
    assert Task.objects.get() == draft
    assert PAGE not in ada_s.get(START).content.decode()


def test_a_draft_that_a_team_has_entered_stays(
    draft: Task, ada_s: Client, ben: User
) -> None:
    team = Team.found("Bens", ben)
    Participation.objects.create(task=draft, team=team)
    assert ada_s.post(PAGE).status_code == 422
    assert Task.objects.get() == draft


def test_only_an_owner_gives_a_draft_up(draft: Task, ben: User, client: Client) -> None:
    Organizer.objects.create(task=draft, user=ben, role=Organizer.Role.EDITOR)
    client.force_login(ben)
    assert PAGE not in client.get(START).content.decode()
    assert client.post(PAGE).status_code == 404
    assert Task.objects.get() == draft
