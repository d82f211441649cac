"""Who is in a team: links, roles, leaving, and what happens in the tasks."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from urllib.parse import quote

import pytest
from django.core import signing
from django.db import close_old_connections, connections
from django.test import Client
from django.utils import timezone

from leaderboard.organize import messages
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participant, Participation, Phase, Task
from leaderboard.tasks.participation import (
    join,
    participation_of,
    standing_of,
)
from leaderboard.teams import membership
from leaderboard.teams.models import Membership, Team, TeamInvitation, User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.small import both, scored

pytestmark = [pytest.mark.django_db, pytest.mark.databases("locks")]
Login = Callable[[User], Client]
Role = Membership.TeamRole


@pytest.fixture
def team(ben: User) -> Team:
    return Team.found("Bens", ben)


def own(team: Team, user: User) -> Membership:
    return Membership.objects.get(team=team, user=user)


def test_a_link_lets_one_person_in_once(team: Team, ben: User, cy: User) -> None:
    link = membership.invite(team, ben)
    membership.accept(link, cy)
    assert own(team, cy).role == Role.MEMBER
    dee = User.objects.create_user("dee@example.org", "x", name="dee")
    with pytest.raises(Refusal, match="was used"):
        membership.accept(link, dee)
    assert dee not in team.members.all()


def test_a_member_does_not_use_a_link_up(team: Team, ben: User) -> None:
    link = membership.invite(team, ben)
    with pytest.raises(Refusal, match="already"):
        membership.accept(link, ben)
    link.refresh_from_db()
    assert link.is_open


def test_an_old_link_or_one_taken_back_lets_nobody_in(
    team: Team, ben: User, cy: User
) -> None:
    old, revoked = membership.invite(team, ben), membership.invite(team, ben)
    past = timezone.now() - timedelta(seconds=1)
    TeamInvitation.objects.filter(pk=old.pk).update(expires_at=past)
    membership.revoke(team, revoked.pk)
    for link in (old, revoked):
        with pytest.raises(Refusal):
            membership.accept(link, cy)
    with pytest.raises(Refusal):
        membership.revoke(team, revoked.pk)


def test_no_more_links_are_open_than_somebody_can_look_after(
    team: Team, ben: User
) -> None:
    made = [membership.invite(team, ben) for _ in range(membership.MOST_OPEN)]
    with pytest.raises(Refusal, match="take some back"):
        membership.invite(team, ben)
    membership.revoke(team, made[0].pk)
    membership.invite(team, ben)


def test_a_link_of_one_team_is_no_link_of_another(team: Team, cy: User) -> None:
    others = Team.found("Cys", cy)
    link = membership.invite(others, cy)
    with pytest.raises(Refusal):
        membership.revoke(team, link.pk)


@pytest.mark.parametrize(
    "forged",
    [
        # Named here: a signature tells the second of its making.
        pytest.param(signing.dumps(1), id="signed for something else"),
        pytest.param(signing.dumps(1, salt="x"), id="with another salt"),
        pytest.param("1", id="not signed"),
    ],
)
def test_nobody_else_makes_links(client: Client, team: Team, forged: str) -> None:
    membership.invite(team, team.members.get())
    assert client.get(f"/teams/invitations/{forged}/").status_code == 404


def test_the_page_of_a_link_shows_what_one_joins_before_one_does(
    team: Team, ben: User, cy: User, as_user: Login
) -> None:
    address = membership.address(membership.invite(team, ben))
    stranger = Client()
    text = stranger.get(address).text
    assert "ben invites you to join the team Bens" in text
    assert f"/accounts/signup/?next={quote(address)}" in text
    browser = as_user(cy)
    browser.get(address)
    assert cy not in team.members.all()
    assert browser.post(address).url == f"/teams/{team.pk}/"
    assert as_user(ben).get(address).status_code == 410


def test_an_invitation_is_found_again_after_signing_in_elsewhere(
    team: Team, ben: User, cy: User
) -> None:
    browser = Client()
    address = membership.address(membership.invite(team, ben))
    browser.get(address)
    browser.force_login(cy)
    assert address in browser.get("/accounts/").text
    browser.post(address)
    assert address not in browser.get("/accounts/").text


def test_the_page_of_a_team_is_for_its_members(
    team: Team, ben: User, cy: User, as_user: Login
) -> None:
    assert as_user(cy).get(f"/teams/{team.pk}/").status_code == 404
    assert (
        as_user(cy).post(f"/teams/{team.pk}/", {"action": "leave"}).status_code == 404
    )
    assert "Make an invitation link" in as_user(ben).get(f"/teams/{team.pk}/").text


def test_a_member_neither_invites_nor_removes_nor_sees_links(
    team: Team, ben: User, cy: User, as_user: Login
) -> None:
    link = membership.invite(team, ben)
    membership.enter(team, cy)
    browser, page = as_user(cy), f"/teams/{team.pk}/"
    acts = (
        {"action": "invite"},
        {"action": "revoke", "pk": link.pk},
        {"action": "remove", "pk": own(team, ben).pk},
        {"action": "role", "pk": own(team, cy).pk, "role": "leader"},
    )
    for act in acts:
        answer = browser.post(page, act, follow=True)
        assert "Only a leader" in answer.text
    assert membership.address(link) not in browser.get(page).text
    assert own(team, cy).role == Role.MEMBER and membership.open_invitations(team) == [
        link
    ]


def test_the_last_leader_hands_over_before_leaving(
    team: Team, ben: User, cy: User
) -> None:
    membership.enter(team, cy)
    with pytest.raises(Refusal, match="needs a leader"):
        membership.leave(team, ben)
    with pytest.raises(Refusal, match="needs a leader"):
        membership.give_role(team, ben, own(team, ben).pk, Role.MEMBER)
    membership.give_role(team, ben, own(team, cy).pk, Role.LEADER)
    membership.leave(team, ben)
    assert list(team.members.all()) == [cy]


def test_the_page_offers_the_only_leader_no_other_role(
    team: Team, ben: User, cy: User, as_user: Login
) -> None:
    membership.enter(team, cy)
    page, offer = f"/teams/{team.pk}/", f"Make {ben} a member"
    alone = as_user(ben).get(page).text
    assert f"Make {cy} a leader" in alone
    assert offer not in alone
    membership.give_role(team, ben, own(team, cy).pk, Role.LEADER)
    assert offer in as_user(ben).get(page).text


def test_a_leader_is_told_what_was_done(
    team: Team, ben: User, cy: User, as_user: Login
) -> None:
    membership.enter(team, cy)
    client, page, cys = as_user(ben), f"/teams/{team.pk}/", own(team, cy).pk
    for data, words in (
        ({"action": "role", "role": "leader"}, f"{cy}: Leader."),
        ({"action": "role", "role": "member"}, f"{cy}: Member."),
        ({"action": "remove"}, f"{cy} is no longer in the team."),
    ):
        assert words in client.post(page, {**data, "pk": cys}, follow=True).text


def test_whoever_is_alone_leaves_unless_something_was_sent(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    alone = Team.found("Cys", cy)
    membership.leave(alone, cy)
    assert not alone.members.exists()
    scored(phase, entry, both())
    with pytest.raises(Refusal, match="take it over"):
        membership.leave(entry.team, ben)


def left(entry: Participation, user: User, ben: User) -> None:
    membership.enter(entry.team, user)
    assert participation_of(user, entry.task) == entry
    membership.remove(entry.team, ben, own(entry.team, user).pk)


def test_who_left_sees_nothing_of_the_team_and_joins_no_other_where_it_sent_something(
    phase: Phase, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    task, sent = phase.task, scored(phase, entry, both())
    left(entry, cy, ben)
    page = f"/submissions/{sent.pk}/"
    assert as_user(ben).get(page).status_code == 200
    assert as_user(cy).get(page).status_code == 404
    assert participation_of(cy, task) is None
    assert not standing_of(cy, task).may_join
    refusal = as_user(cy).get(f"/tasks/{task.slug}/join/").text
    assert 'href="/teams/">Your teams' in refusal
    assert "Your mail addresses" not in refusal
    with pytest.raises(Refusal, match="already takes part"):
        join(task, Team.found("Cys", cy))
    assert Submission.objects.get().participation == entry
    assert set(messages.readers_of(task, messages.ALL)) == {ben}
    membership.accept(membership.invite(entry.team, ben), cy)
    assert participation_of(cy, task) == entry
    assert as_user(cy).get(page).status_code == 200


def test_who_left_before_anything_was_sent_is_free(
    task: Task, entry: Participation, ben: User, cy: User
) -> None:
    left(entry, cy, ben)
    assert join(task, Team.found("Cys", cy)).participants.get().user == cy


def test_who_is_with_another_team_in_a_task_stays_with_it(
    task: Task, entry: Participation, ben: User, cy: User, as_user: Login
) -> None:
    cys = join(task, Team.found("Cys", cy))
    link = membership.invite(entry.team, ben)
    assert task.title in as_user(cy).get(membership.address(link)).text
    membership.accept(link, cy)
    assert participation_of(cy, task) == cys
    assert Participant.objects.filter(task=task, user=cy).count() == 1


def test_links_are_made_no_faster_than_people_send_them(
    team: Team, ben: User, as_user: Login, settings: object
) -> None:
    settings.ACCOUNT_RATE_LIMITS = {"team_invitation": "2/h/user"}  # type: ignore[attr-defined]
    browser = as_user(ben)
    for _ in range(3):
        answer = browser.post(f"/teams/{team.pk}/", {"action": "invite"}, follow=True)
    assert "wait a little" in answer.text
    assert len(membership.open_invitations(team)) == 2


def test_pages_of_teams_take_as_many_queries_for_many_as_for_one(
    team: Team, ben: User, as_user: Login, django_assert_max_num_queries: Callable
) -> None:
    browser = as_user(ben)
    for number in range(6):
        membership.invite(team, ben)
        one = User.objects.create_user(f"m{number}@example.org", "x", name=f"m{number}")
        membership.enter(team, one)
        Team.found(f"More {number}", ben)
    with django_assert_max_num_queries(8):
        browser.get(f"/teams/{team.pk}/")
    with django_assert_max_num_queries(6):
        browser.get("/teams/")
    with django_assert_max_num_queries(7):
        browser.get("/accounts/")


def at_once(*acts: Callable[[], object]) -> list[object]:
    """All of them from threads of their own; what each answers or raises."""
    start = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        close_old_connections()
        start.wait(timeout=60)
        try:
            return act()
        except Refusal as refusal:
            return refusal
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.mark.django_db(transaction=True)
def test_of_two_who_use_a_link_at_once_one_gets_in(
    team: Team, ben: User, cy: User, ada: User
) -> None:
    for _round in range(3):
        link = membership.invite(team, ben)
        answers = at_once(*(partial(membership.accept, link, one) for one in (cy, ada)))
        assert [type(answer) for answer in answers if answer] == [Refusal]
        assert team.members.count() == 2
        Membership.objects.exclude(user=ben).delete()


@pytest.mark.django_db(transaction=True)
def test_of_two_leaders_who_leave_at_once_one_stays(
    team: Team, ben: User, cy: User
) -> None:
    membership.enter(team, cy)
    Membership.objects.update(role=Role.LEADER)
    dee = User.objects.create_user("dee@example.org", "x", name="dee")
    membership.enter(team, dee)
    answers = at_once(*(partial(membership.leave, team, one) for one in (ben, cy)))
    assert [type(answer) for answer in answers if answer] == [Refusal]
    assert team.memberships.filter(role=Role.LEADER).count() == 1
