"""Who may enter a task, who decides about it, and what each side is told."""

from collections.abc import Callable

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from leaderboard.mail import outbox
from leaderboard.organize import people
from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks import participation
from leaderboard.tasks.models import Organizer, Participation, Phase, Task
from leaderboard.tasks.participation import join
from leaderboard.teams import membership
from leaderboard.teams.models import Membership, User
from leaderboard.teams.refusal import Refusal
from tests.leaderboard.channels import Channel
from tests.leaderboard.small import both, scored, upload
from tests.organize.crowd import entered, organizing, person, team

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
Status = Participation.Status
PEOPLE = "/tasks/otters/organize/people/"
MINE = "/tasks/otters/submissions/"


@pytest.fixture
def by_approval(task: Task) -> Task:
    task.entry = Task.Entry.APPROVAL
    task.save()
    return task


@pytest.fixture
def waiting(by_approval: Task, ben: User) -> Participation:
    return join(by_approval, team("Bens", ben))


def test_where_teams_are_admitted_an_entry_waits(
    waiting: Participation, ben: User, as_user: Login
) -> None:
    assert waiting.status == Status.PENDING
    page = as_user(ben).get("/tasks/otters/").content.decode()
    assert "waits for the organizers to admit it" in page


def test_who_waits_cannot_send(
    channel: Channel, waiting: Participation, ben: User
) -> None:
    told = channel.send(ben)
    assert (told.code, told.stored) == ("not_taking_part", 0)


def test_organizers_admit_themselves_by_entering(by_approval: Task, ada: User) -> None:
    assert join(by_approval, team("Baselines", ada)).status == Status.ACTIVE


def test_an_admitted_team_takes_part_and_is_told_by_mail(
    waiting: Participation, ada: User, ben: User, as_user: Login
) -> None:
    answer = as_user(ada).post(f"{PEOPLE}{waiting.pk}/decide/", {"decision": "admit"})
    assert answer.url == f"{PEOPLE}{waiting.pk}/"
    waiting.refresh_from_db()
    assert (waiting.status, waiting.status_by) == (Status.ACTIVE, ada)
    assert outbox.send("message") == 1
    assert mail.outbox[0].to == [ben.email]
    assert mail.outbox[0].subject == "[Otter Parsing] Your team takes part"


def test_a_team_without_a_role_in_the_task_is_not_called_the_organizers(
    entry: Participation, ada: User, as_user: Login
) -> None:
    page = as_user(ada).get(f"{PEOPLE}{entry.pk}/").text
    assert "has a role in the task" not in page and "Rank it anyway" not in page


def test_a_refusal_needs_a_reason_and_the_team_reads_it(
    waiting: Participation, ada: User, ben: User, as_user: Login
) -> None:
    address = f"{PEOPLE}{waiting.pk}/decide/"
    answer = as_user(ada).post(address, {"decision": "refuse"})
    assert answer.status_code == 422
    assert "Say why" in answer.content.decode()
    as_user(ada).post(address, {"decision": "refuse", "reason": "A bot <b>"})
    page = as_user(ben).get("/tasks/otters/").content.decode()
    assert "did not admit Bens" in page
    assert "A bot &lt;b&gt;" in page


def test_all_that_wait_are_admitted_with_one_button(
    by_approval: Task, ada: User, as_user: Login
) -> None:
    for n in range(3):
        join(by_approval, team(f"Team {n}", person(f"p{n}@example.org")))
    as_user(ada).post(f"{PEOPLE}admit/")
    assert set(by_approval.participations.values_list("status", flat=True)) == {
        Status.ACTIVE
    }


def test_the_second_of_two_organizers_is_told_that_it_is_decided(
    waiting: Participation, ada: User
) -> None:
    participation.decide(waiting, "admit", ada)
    stale = Participation(pk=waiting.pk, status=Status.PENDING)
    with pytest.raises(Refusal, match="any more"):
        participation.decide(stale, "refuse", ada, "too late")


def test_a_team_leaves_by_itself_and_may_come_back(
    entry: Participation, ben: User, as_user: Login
) -> None:
    page = as_user(ben)
    assert page.post("/tasks/otters/team/", {"action": "withdraw"}).status_code == 422
    page.post("/tasks/otters/team/", {"action": "withdraw", "sure": "on"})
    entry.refresh_from_db()
    assert (entry.status, entry.status_by_team) == (Status.WITHDRAWN, True)
    page.post("/tasks/otters/join/", {"team": entry.team.pk})
    entry.refresh_from_db()
    assert entry.status == Status.ACTIVE


def test_only_a_leader_withdraws_the_team(
    entry: Participation, cy: User, as_user: Login
) -> None:
    Membership.objects.create(team=entry.team, user=cy)
    fields = {"action": "withdraw", "sure": "on"}
    answer = as_user(cy).post("/tasks/otters/team/", fields)
    assert "Only a leader" in answer.content.decode()
    entry.refresh_from_db()
    assert entry.status == Status.ACTIVE


@pytest.mark.parametrize("decision", ["withdraw", "disqualify"])
def test_what_organizers_ended_the_team_cannot_undo(
    entry: Participation, ada: User, decision: str
) -> None:
    participation.decide(entry, decision, ada, "copied")
    with pytest.raises(Refusal):
        join(entry.task, entry.team)
    participation.decide(entry, "reinstate", ada)
    entry.refresh_from_db()
    assert (entry.status, entry.reason) == (Status.ACTIVE, "")


def test_a_disqualified_team_is_off_the_boards_and_back_when_reinstated(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    sent = scored(phase, entry, both())
    before = Phase.objects.get(pk=phase.pk).board_version
    page = f"{PEOPLE}{entry.pk}/"
    assert b"Counts" in as_user(ada).get(page).content
    participation.decide(entry, "disqualify", ada, "copied")
    assert b"Off the board with its team" in as_user(ada).get(page).content
    assert not Submission.objects.counted().exists()
    assert Phase.objects.get(pk=phase.pk).board_version > before
    participation.decide(entry, "reinstate", ada)
    assert Submission.objects.counted().get() == sent


def test_the_reason_of_a_disqualification_is_the_teams_and_the_organizers_alone(
    phase: Phase, entry: Participation, ada: User, as_user: Login, client: Client
) -> None:
    scored(phase, entry, both())
    participation.decide(entry, "disqualify", ada, "copied the otters")
    ben = entry.team.members.get()
    for reader in (ben, ada):
        page = "/tasks/otters/" if reader == ben else f"{PEOPLE}{entry.pk}/"
        assert "copied the otters" in as_user(reader).get(page).content.decode()
    for page in ("/tasks/otters/", "/tasks/otters/board/"):
        assert "copied" not in client.get(page, follow=True).content.decode()


@pytest.mark.parametrize("decision", ["withdraw", "disqualify"])
def test_submissions_of_a_team_that_is_out_say_that_they_are_off_the_boards(
    phase: Phase, entry: Participation, ada: User, as_user: Login, decision: str
) -> None:
    sent = scored(phase, entry, both())
    ben = entry.team.members.get()
    pages = [
        *((ben, page) for page in (sent.get_absolute_url(), MINE)),
        (ada, sent.get_absolute_url()),
    ]
    for reader, page in pages:
        assert "off the boards" not in as_user(reader).get(page).text
    participation.decide(entry, decision, ada, "copied the otters")
    for reader, page in pages:
        text = as_user(reader).get(page).text
        assert "off the boards" in text and "copied the otters" in text


def test_one_submission_is_disqualified_with_a_reason_and_taken_back(
    phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    sent = scored(phase, entry, both())
    address = f"{PEOPLE}{entry.pk}/submissions/{sent.pk}/"
    answer = as_user(ada).post(address, {"decision": "disqualify", "reason": " "})
    assert answer.status_code == 422
    as_user(ada).post(address, {"decision": "disqualify", "reason": "test data"})
    sent.refresh_from_db()
    assert (sent.disqualified_by, sent.disqualified_why) == (ada, "test data")
    ben = entry.team.members.get()
    assert b"test data" in as_user(ben).get(sent.get_absolute_url()).content
    assert b"Disqualified" in as_user(ben).get(MINE).content
    assert b"otter-1" not in as_user(ben).get("/tasks/otters/test/board/").content
    assert not Submission.objects.counted().exists()
    outbox.send("message")
    assert "Reason: test data" in mail.outbox[0].body
    as_user(ada).post(address, {"decision": "reinstate"})
    assert Submission.objects.counted().get() == sent


@pytest.mark.parametrize("act", ["disqualify", "reinstate"])
def test_nothing_is_decided_of_which_nobody_could_be_told(
    act: str,
    phase: Phase,
    entry: Participation,
    ada: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent = scored(phase, entry, both())
    if act == "reinstate":
        people.disqualify(sent, ada, "test data")
    before = Submission.objects.counted().count()

    def broken(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(people, "write_message", broken)
    given = (ada, "test data") if act == "disqualify" else (ada,)
    with pytest.raises(OSError):
        getattr(people, act)(sent, *given)
    assert Submission.objects.counted().count() == before


def test_a_submission_of_another_team_is_not_found_under_this_one(
    phase: Phase, entry: Participation, cy: User, ada: User, as_user: Login
) -> None:
    other = entered(entry.task, "Cys", cy)
    sent = scored(phase, entry, both())
    address = f"{PEOPLE}{other.pk}/submissions/{sent.pk}/"
    assert as_user(ada).post(address, {"reason": "x"}).status_code == 404


def test_the_list_shows_members_domains_entries_and_finds_them(
    task: Task, phase: Phase, entry: Participation, ada: User, as_user: Login
) -> None:
    scored(phase, entry, both())
    entered(task, "Waiters", person("wim@cs.uni.example"), status="pending")
    page = as_user(ada).get(PEOPLE).content.decode()
    assert "cs.uni.example" in page
    assert "Admit all that wait" in page
    page = as_user(ada).get(PEOPLE, {"q": "WIM@cs"}).content.decode()
    assert "Waiters" in page
    assert "Bens" not in page
    page = as_user(ada).get(PEOPLE, {"status": "active"}).content.decode()
    assert "Waiters" not in page
    assert "Nobody fits" in as_user(ada).get(PEOPLE, {"q": "ö"}).content.decode()


def test_the_list_takes_the_same_queries_for_one_team_and_for_many(
    phase: Phase,
    entry: Participation,
    ada: User,
    as_user: Login,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    page = as_user(ada)
    with django_assert_max_num_queries(40) as few:
        page.get(PEOPLE)
    for n in range(12):
        people = [person(f"p{n}-{m}@example.org") for m in range(2)]
        scored(phase, entered(entry.task, f"Team {n}", *people), both())
    with django_assert_max_num_queries(len(few)):
        page.get(PEOPLE)


@pytest.mark.parametrize("role", Organizer.Role)
def test_people_are_for_editors_and_owners(
    task: Task, entry: Participation, as_user: Login, role: Organizer.Role
) -> None:
    someone = as_user(organizing(task, "some@example.org", role))
    allowed = role != Organizer.Role.REVIEWER
    for page in ("", f"{entry.pk}/", "rules/"):
        assert (someone.get(PEOPLE + page).status_code == 200) is allowed
    answer = someone.post(f"{PEOPLE}{entry.pk}/decide/", {"decision": "withdraw"})
    assert answer.status_code == (422 if allowed else 404)


def test_a_person_in_another_team_of_the_task_sees_nothing_of_a_later_one(
    task: Task, phase: Phase, entry: Participation, cy: User, as_user: Login
) -> None:
    entered(task, "Cys", cy)
    sent = scored(phase, entry, both())
    Membership.objects.create(team=entry.team, user=cy)
    assert not Submission.objects.by_person(cy).exists()
    assert as_user(cy).get(sent.get_absolute_url()).status_code == 404


def test_uploads_that_were_begun_before_a_withdrawal_are_refused(
    phase: Phase, entry: Participation, ben: User
) -> None:
    begun = upload(phase, entry, both(), arrived_at=timezone.now())
    participation.withdraw_own(Participation.objects.get(pk=entry.pk), ben)
    with pytest.raises(Refusal, match="withdrew"):
        accept.submit(begun)


def test_a_team_that_comes_back_is_on_the_boards_again(
    phase: Phase, entry: Participation, ben: User
) -> None:
    scored(phase, entry, both())
    participation.withdraw_own(entry, ben)
    before = Phase.objects.get(pk=phase.pk).board_version
    join(phase.task, entry.team)
    assert Phase.objects.get(pk=phase.pk).board_version > before


def test_who_left_a_team_is_no_member_on_its_page(
    phase: Phase, entry: Participation, ada: User, cy: User, as_user: Login
) -> None:
    membership.enter(entry.team, cy)
    join(phase.task, entry.team)
    scored(phase, entry, both())
    page = f"{PEOPLE}{entry.pk}/"
    assert cy.email in as_user(ada).get(page).text
    membership.leave(entry.team, cy)
    assert cy.email not in as_user(ada).get(page).text
