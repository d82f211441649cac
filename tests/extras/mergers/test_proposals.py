"""Mergers that teams agree on, or that organizers give a reason for."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.extras.mergers import proposals
from leaderboard.extras.mergers.team_merger import merge
from leaderboard.organize.baselines import entry_of_organizers
from leaderboard.tasks.models import Merger, Organizer, Participation, Phase, Task
from leaderboard.tasks.participation import leads, own_team
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.small import both, scored
from tests.organize.crowd import entered, organizing, person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/people/merge/"
TEAM = "/tasks/otters/team/"
MERGE = f"{TEAM}merge/"


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return entered(task, "Cys", cy)


def test_without_both_leaders_the_organizer_says_why(
    entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    fields = {"stays": entry.pk, "leaves": other.pk, "why": " "}
    answer = as_user(ada).post(PAGE, fields)
    assert answer.status_code == 422
    assert "say why you merge them" in answer.content.decode()
    assert not Merger.objects.exists(), "a refused merger leaves nothing"
    as_user(ada).post(PAGE, fields | {"why": "one laboratory"})
    assert Merger.objects.get().why == "one laboratory"


def test_two_leaders_agree_and_the_organizer_needs_no_reason(
    entry: Participation, other: Participation, ada: User, ben: User, as_user: Login
) -> None:
    fields = {"action": "propose", "team": "CYS", "which": "theirs"}
    assert as_user(ben).post(MERGE, fields).url == TEAM
    asked = Merger.objects.get()
    assert (asked.stays, asked.leaves_agreed, asked.stays_agreed) == (other, ben, None)
    cy = other.participants.get().user
    assert 'value="agree"' not in as_user(ben).get(TEAM).text, "Bens agreed by asking"
    assert 'value="agree"' in as_user(cy).get(TEAM).text
    assert "asks yours to agree" in as_user(cy).get(TEAM).content.decode()
    as_user(cy).post(MERGE, {"action": "agree", "merger": asked.pk})
    as_user(ada).post(PAGE, {"stays": other.pk, "leaves": entry.pk})
    entry.refresh_from_db()
    assert entry.merged_into == other
    assert leads(ben, other), "leaders of both parts lead"


def test_leaders_of_a_team_merged_earlier_lead_what_its_team_became(
    entry: Participation,
    other: Participation,
    task: Task,
    ada: User,
    ben: User,
    as_user: Login,
) -> None:
    last = entered(task, "Dees", dee := person("dee@example.org"))
    for stays, leaves in ((other, entry), (last, other)):
        proposed = Merger.objects.create(
            task=task, stays=stays, leaves=leaves, why="one laboratory"
        )
        merge(proposed, ada, proposed.why)
    assert leads(ben, last)
    assert leads(dee, last)
    assert own_team(ben, last) == entry.team
    assert f"/teams/{entry.team.pk}/" in as_user(ben).get(TEAM).text


def test_a_declined_proposal_is_over(
    entry: Participation, other: Participation, ben: User, as_user: Login
) -> None:
    asked = proposals.propose(entry, "Cys", ben, stays=True)
    cy = other.participants.get().user
    as_user(cy).post(MERGE, {"action": "decline", "merger": asked.pk})
    assert not proposals.open_mergers(entry).exists()


def test_what_both_sides_say_at_once_is_kept(
    entry: Participation, other: Participation, ada: User, ben: User
) -> None:
    cy = other.participants.get().user
    pk = proposals.propose(entry, "Cys", ben, stays=True).pk
    seen, seen_too, seen_by_ada = (Merger.objects.get(pk=pk) for _ in range(3))
    proposals.agree(seen, other, cy)
    proposals.decline(seen_too, entry, ben)
    with pytest.raises(Refusal, match="no longer open"):
        proposals.agree(seen, other, cy)
    with pytest.raises(Refusal, match="no longer open"):
        merge(seen_by_ada, ada, "why")
    now = Merger.objects.get(pk=pk)
    assert (now.leaves_agreed, now.done_at) == (cy, None)
    assert now.declined_at is not None


@pytest.mark.parametrize("name", ["Nobody", "Bens", "Hidden"])
def test_only_another_team_that_shows_its_name_is_asked(
    task: Task, entry: Participation, ben: User, name: str
) -> None:
    hidden = entered(task, "Hidden", person("h@example.org"))
    Participation.objects.filter(pk=hidden.pk).update(anonymous=True)
    with pytest.raises(Refusal, match="No other team of that name"):
        proposals.propose(entry, name, ben, stays=True)


def test_a_third_team_cannot_agree_for_others(
    task: Task, entry: Participation, other: Participation, ben: User, as_user: Login
) -> None:
    asked = proposals.propose(entry, "Cys", ben, stays=True)
    dee = person("dee@example.org")
    entered(task, "Dees", dee)
    fields = {"action": "agree", "merger": asked.pk}
    assert as_user(dee).post(MERGE, fields).status_code == 404


def test_the_team_of_baselines_is_not_one_to_merge(
    phase: Phase, entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    baselines = entry_of_organizers(phase.task)
    scored(phase, baselines, both(), baseline=True, sender=ada)
    choices = as_user(ada).get(PAGE).context["form"].fields["stays"].queryset
    assert set(choices) == {entry, other}


def test_the_page_prints_the_rule_and_the_numbers(
    phase: Phase, entry: Participation, other: Participation, as_user: Login
) -> None:
    phase.daily_limit = 2
    phase.save()
    editor = organizing(entry.task, "ed@example.org", Organizer.Role.EDITOR)
    chosen = {"stays": entry.pk, "leaves": other.pk}
    asked = as_user(editor).post(PAGE, {**chosen, "show": "1"})
    assert asked.url == f"{PAGE}?stays={entry.pk}&leaves={other.pk}"
    page = as_user(editor).get(asked.url).content.decode()
    assert "at most the daily limit times the days since it opened" in page
    assert "4 days of 2 attempts" in page
