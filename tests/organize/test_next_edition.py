"""A task is copied as its next edition: rules and people, and nothing of the past."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.organize.bundle import export_bundle
from leaderboard.organize.next_edition import _ahead, next_edition
from leaderboard.submissions.models import Submission
from leaderboard.tasks.canary import canary_of
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.teams.models import User
from scoring.errors import SetupError
from tests.leaderboard.small import both, scored

pytestmark = pytest.mark.django_db
PAGE = "/tasks/otters/organize/bundle/next/"


@pytest.fixture
def last(task: Task, phase: Phase, entry: Participation, ben: User) -> Task:
    """A task with a paused, frozen, private phase that is over, and submissions."""
    scored(phase, entry, both())
    now = timezone.now()
    Phase.objects.filter(pk=phase.pk).update(
        opens=now - timedelta(days=400),
        closes=now - timedelta(days=390),
        reveal_at=now - timedelta(days=380),
        freeze_from=now - timedelta(days=395),
        daily_limit=3,
        paused=True,
        paused_note="Back soon.",
    )
    Task.objects.filter(pk=task.pk).update(
        paper="https://example.org/paper", terms="Be fair.", draft=False
    )
    Organizer.objects.create(task=task, user=ben, role=Organizer.Role.REVIEWER)
    task.refresh_from_db()
    return task


def test_the_copy_is_a_draft_with_rules_and_people_and_without_a_past(
    last: Task, ada: User, ben: User
) -> None:
    before = export_bundle(last).single()
    made = next_edition(last, "otters-2", "Otters again", ada)
    old, new = last.phases.get(), made.phases.get()
    assert made.draft and (made.slug, made.title) == ("otters-2", "Otters again")
    assert (made.paper, made.terms) == ("", "Be fair.")
    assert new.closes is new.reveal_at is new.freeze_from is None
    assert new.opens > timezone.now() and not new.paused and not new.paused_note
    assert new.daily_limit == 3 and new.policy == old.policy
    assert len(new.salt) == 32 and new.salt != old.salt
    assert canary_of(made) != canary_of(last)
    assert not Submission.objects.filter(phase__task=made).exists()
    assert not made.participations.exists()
    people = dict(made.organizer_set.values_list("user__email", "role"))
    assert people == dict(last.organizer_set.values_list("user__email", "role"))
    for one in made.test_sets.all():
        same = last.test_sets.get(name=one.name)
        assert one.blind_name == f"{one.name}.conllu"
        assert one.blind().single() == same.blind().single()
    # The task itself stays what it was.
    assert export_bundle(last).single() == before


def test_the_page_asks_first_and_leads_to_the_dates(
    last: Task, ada: User, as_user: Any
) -> None:
    client: Client = as_user(ada)
    assert PAGE in client.get("/tasks/otters/organize/bundle/").text
    assert "Teams, submissions and baselines stay here" in client.get(PAGE).text
    assert Task.objects.count() == 1
    for slug, said in (
        ("otters", "otters"),
        ("Otters-2", "Small letters"),
        ("new", "address of the site"),
        ("", "required"),
    ):
        refused = client.post(PAGE, {"title": "Next", "slug": slug})
        assert refused.status_code == 422 and said in refused.text
    answer = client.post(PAGE, {"title": "Next", "slug": "otters-2"})
    assert answer.url == "/tasks/otters-2/organize/phases/"
    assert "Set the dates of its phases" in client.get(answer.url).text


def test_an_address_that_is_taken_makes_nothing(last: Task, ada: User) -> None:
    with pytest.raises(SetupError):
        next_edition(last, "otters", "Otters", ada)
    assert Task.objects.count() == 1 and Organizer.objects.count() == 2


@pytest.mark.parametrize(
    "wrong", [{"title": "x" * 121}, {"slug": "x" * 61}, {"slug": "new"}]
)
def test_what_no_task_may_be_called_is_refused_in_the_form(
    last: Task, ada: User, wrong: dict[str, str]
) -> None:
    client = Client()
    client.force_login(ada)
    answer = client.post(PAGE, {"title": "Otters again", "slug": "again", **wrong})
    assert answer.status_code == 422
    assert Task.objects.count() == 1


def test_days_are_those_of_a_year_to_come() -> None:
    leap = datetime(2024, 2, 29, 12, tzinfo=UTC)
    now = timezone.now()
    assert _ahead(leap) > now and (_ahead(leap).month, _ahead(leap).day) in (
        (2, 28),
        (2, 29),
    )
    for days in (-800, -1, 0, 1, 300):
        moment = now + timedelta(days=days)
        found = _ahead(moment)
        assert found > max(now, moment + timedelta(days=364))
        assert found.time() == moment.time()
