"""More time for one team: given by an owner, in time for it, and nothing revealed."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.api import tokens
from leaderboard.api.models import Scope
from leaderboard.submissions import accept
from leaderboard.submissions.models import Submission
from leaderboard.tasks import policy
from leaderboard.tasks.models import Extension, Notice, Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from leaderboard.web.templatetags.formats import for_phase, written
from tests.leaderboard.channels import bearer
from tests.leaderboard.small import both, upload
from tests.organize.disclosing import under
from tests.organize.phase_fields import text, wall

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/phases/test/extensions/"
API = "/api/v1/tasks/otters/test/extensions/"
HOUR = timedelta(hours=1)


@pytest.fixture
def over(phase: Phase) -> Phase:
    """It closed an hour ago and shows nothing for an hour more."""
    now = timezone.now()
    return under(phase, policy="blind", closes=now - HOUR, reveal_at=now + HOUR)


@pytest.fixture
def give(
    over: Phase, entry: Participation, ada: User, as_user: Login
) -> Callable[..., Any]:
    def give(hours: float = 3) -> Any:
        until = timezone.now() + hours * HOUR
        return as_user(ada).post(PAGE, {"team": entry.pk, "until": wall(until)})

    return give


def test_a_team_with_more_time_is_in_time_and_the_reveal_waits_for_it(
    give: Callable[..., Any], over: Phase, entry: Participation, cy: User
) -> None:
    others = join(over.task, Team.found("Cys", cy))
    assert give().status_code == 302
    over.refresh_from_db()
    assert (
        policy.reveal_of(over) == over.extended_until == Extension.objects.get().until
    )
    mine = accept.submit(upload(over, entry, both()))
    theirs = accept.submit(upload(over, others, both()))
    assert (mine.late, theirs.late) == (False, True)
    (notice,) = Notice.objects.all()
    assert "one team may submit until" in notice.text
    end = written(over.extended_until, over.zone)
    assert f"What is withheld is shown from {end} on" in notice.text
    assert entry.team.name not in notice.text
    late = Submission.objects.filter(late=True)
    assert [one.participation for one in late] == [others]


def test_the_team_reads_its_own_end_everywhere_and_nobody_else_does(
    give: Callable[..., Any], over: Phase, ben: User, cy: User, as_user: Login
) -> None:
    join(over.task, Team.found("Cys", cy))
    give()
    addresses = ("", "rules/", "test/submit/", "submissions/")
    api = "/api/v1/tasks/otters/phases/test/"
    mine, theirs = as_user(ben), as_user(cy)
    for place in addresses:
        assert "your team" in text(mine.get(f"/tasks/otters/{place}")), place
        page = text(theirs.get(f"/tasks/otters/{place}"))
        assert "for your team" not in page and "your team until" not in page, place
    assert "closes for your team in" in text(mine.get("/"))
    assert "Your tasks" not in text(theirs.get("/"))
    assert "This phase closed" not in text(mine.get("/tasks/otters/test/submit/"))
    assert "This phase closed" in text(theirs.get("/tasks/otters/test/submit/"))
    over.refresh_from_db()
    until = over.extended_until.isoformat().replace("+00:00", "Z")
    assert bearer(ben).get(api).json()["closes_for_team"] == until
    told = bearer(cy).get(api).json()
    assert told["closes_for_team"] == told["closes"]


def test_a_team_whose_extension_has_passed_reads_when_it_ended_for_them(
    over: Phase, entry: Participation, ada: User, ben: User, as_user: Login
) -> None:
    assert over.closes is not None
    ended = over.closes + HOUR / 2
    Extension.objects.create(
        phase=over, participation=entry, until=ended, by=ada, at=over.closes
    )
    Phase.objects.update(extended_until=ended)
    page = text(as_user(ben).get("/tasks/otters/test/submit/"))
    assert f"This phase closed {for_phase(ended, over)}" in page
    assert for_phase(over.closes, over) not in page


def test_nobody_is_given_time_who_could_know_the_answers(
    give: Callable[..., Any], over: Phase, ada: User, as_user: Login
) -> None:
    assert "Choose a time to come" in text(give(hours=-0.5))
    assert "The phase itself is open until then" in text(give(hours=-2))
    under(over, reveal_at=timezone.now())
    assert "could know the answers" in text(give())
    under(over, reveal_at=None)
    assert "could know the answers" in text(give())
    under(over, closes=None, policy="open")
    assert "has no end" in text(give())
    assert not Extension.objects.exists()


def test_an_extension_is_taken_back_before_the_end_only(
    give: Callable[..., Any],
    over: Phase,
    entry: Participation,
    ada: User,
    as_user: Login,
) -> None:
    give()
    team = as_user(ada).get(f"/tasks/otters/organize/people/{entry.pk}/")
    assert "Test, until" in text(team)
    client, given = as_user(ada), Extension.objects.get()
    refused = client.post(PAGE, {"take_back": given.pk}, follow=True)
    assert "give an earlier end" in text(refused)
    assert "Take back" not in text(client.get(PAGE))
    give(hours=2)  # replaces the first
    shorter = Extension.objects.get()
    assert shorter.pk == given.pk and shorter.until < given.until
    give(hours=0.5)
    reveal = written(over.reveal_at, over.zone)
    assert f"shown from {reveal} on" in Notice.objects.first().text
    under(over, closes=timezone.now() + HOUR)
    assert "Take back" in text(client.get(PAGE))
    client.post(PAGE, {"take_back": given.pk})
    over.refresh_from_db()
    assert over.extended_until is None and not Extension.objects.exists()
    assert "for one team was taken back" in Notice.objects.first().text


def test_a_program_gives_and_takes_time_as_the_page_does(
    over: Phase, entry: Participation, ada: User
) -> None:
    under(over, closes=timezone.now() + HOUR)
    text = tokens.make(ada, "ci", [Scope.ORGANIZE])[1]
    client = Client(headers={"Authorization": f"Bearer {text}"})

    def send(until: str | None, team: str = entry.team.name) -> Any:
        given = {"team": team, "until": until}
        return client.post(API, given, content_type="application/json")

    later = (over.closes + 3 * HOUR).isoformat()
    for _again in range(2):
        (told,) = send(later).json()
    assert told["team"] == entry.team.name
    assert client.get(API).json() == [told]
    assert Notice.objects.count() == 1
    wrong = (
        send(over.closes.isoformat()),
        send("tomorrow"),
        send("2031-02-30T12:00:00Z"),
        send("2031-01-01T12:00:00"),
        send(later, "Nobodies"),
        client.post(API, [], content_type="application/json"),
    )
    found = [(answer.status_code, answer.json()["code"]) for answer in wrong]
    assert found == [(409, "cannot_extend"), *[(422, "invalid")] * 5]
    assert [send(None).json(), send(None).json()] == [[], []]
    assert Notice.objects.count() == 2


def test_a_final_ranking_is_left_to_do_once_it_can_be_declared(
    over: Phase, ada_s: Client
) -> None:
    words = "Declare the final ranking of"
    assert words not in ada_s.get("/tasks/otters/organize/").text
    Phase.objects.update(reveal_at=over.closes)
    assert words in ada_s.get("/tasks/otters/organize/").text
