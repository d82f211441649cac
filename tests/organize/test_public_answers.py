"""Public answers to registration questions: a column and a filter of the board."""

from collections.abc import Callable

import pytest
from django.test import Client

from leaderboard.organize.baselines import whole_plan
from leaderboard.organize.bundle import apply
from leaderboard.tasks.models import (
    Participation,
    Phase,
    Question,
    RegistrationQuestion,
    Task,
)
from leaderboard.tasks.participation import answer, join, show
from leaderboard.teams.models import Team, User
from scoring.errors import SetupError
from tests.leaderboard.small import both, scored

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("json"),
]
Login = Callable[[User], Client]
BOARD = "/tasks/otters/test/board/"
API = "/api/v1/tasks/otters/test/board/"
ORGANIZE = "/tasks/otters/organize/registration/"
CANARY = "kanariequay"


@pytest.fixture
def asks(task: Task) -> Task:
    """A public choice, and a text for organizers alone."""
    RegistrationQuestion.objects.create(
        task=task,
        title="Track",
        name="track",
        kind="choice",
        choices=["open", "student"],
        public=True,
    )
    RegistrationQuestion.objects.create(task=task, title="Quay", name="quay")
    return task


@pytest.fixture
def bens(asks: Task, phase: Phase, ben: User) -> Participation:
    answers = {"track": "student", "quay": CANARY}
    entry = join(asks, Team.found("Bens", ben), answers=answers)
    scored(phase, entry, both(), system="mole")
    return entry


@pytest.fixture
def cys(asks: Task, phase: Phase, cy: User) -> Participation:
    entry = join(asks, Team.found("Cys", cy), answers={"track": "open"})
    scored(phase, entry, both(), system="vole")
    return entry


def rows(client: Client, query: str = "") -> dict[str, object]:
    told = client.get(f"{API}{query}").json()
    return {row["system"]: row["facts"].get("team:track") for row in told["rows"]}


def test_a_public_answer_is_a_column_and_a_filter(
    bens: Participation, cys: Participation, client: Client
) -> None:
    assert rows(client) == {"mole": "student", "vole": "open"}
    assert rows(client, "?fact.team:track=student") == {"mole": "student"}
    page = client.get(f"{BOARD}?fact.team:track=open").content.decode()
    assert "Track" in page and "vole" in page and ">mole<" not in page
    table = client.get("/tasks/otters/test/board.csv").content.decode()
    assert "student" in table


@pytest.mark.parametrize("path", [BOARD, API, "/tasks/otters/test/board.csv"])
def test_other_answers_are_shown_nowhere(
    bens: Participation, path: str, client: Client
) -> None:
    assert CANARY not in client.get(path).content.decode()
    assert client.get(f"{BOARD}?fact.team:quay=x").status_code == 404
    assert "quay" not in str(bens.submissions.get().facts)


def test_a_question_that_is_hidden_or_public_no_more_leaves_the_board(
    bens: Participation, client: Client
) -> None:
    RegistrationQuestion.objects.filter(name="track").update(hidden=True)
    Phase.objects.all().touch_boards()
    assert rows(client) == {"mole": None}
    assert client.get(f"{BOARD}?fact.team:track=open").status_code == 404


def test_a_corrected_answer_changes_for_everything_that_was_sent(
    bens: Participation, phase: Phase, client: Client
) -> None:
    version = Phase.objects.get().board_version
    answer(bens, {"track": "open"})
    assert rows(client) == {"mole": "open"}
    assert Phase.objects.get().board_version > version


def test_a_question_of_the_fact_sheet_of_that_name_stays_apart(
    asks: Task, phase: Phase, ben: User, client: Client
) -> None:
    Question.objects.create(task=asks, title="Own", name="track", public=False)
    entry = join(asks, Team.found("Bens", ben), answers={"track": "student"})
    scored(phase, entry, both(), system="mole", facts={"track": CANARY})
    assert rows(client) == {"mole": "student"}
    assert CANARY not in client.get(API).content.decode()


def test_a_team_that_hides_its_name_has_no_public_answers(
    asks: Task, phase: Phase, ben: User, client: Client
) -> None:
    Task.objects.update(allows_anonymous=True)
    asks.refresh_from_db()
    answers = {"track": "student"}
    entry = join(asks, Team.found("Bens", ben), anonymous=True, answers=answers)
    scored(phase, entry, both(), system="mole")
    assert rows(client) == {"mole": None}
    show(entry)
    assert rows(client) == {"mole": "student"}


def test_who_joins_is_told_which_answers_are_public(
    asks: Task, ben: User, as_user: Login
) -> None:
    page = as_user(ben).get("/tasks/otters/join/").content.decode()
    assert page.count("Everybody sees the answer") == 1


def test_whether_it_is_public_stays_once_it_was_answered(
    bens: Participation, asks: Task, ada: User, as_user: Login
) -> None:
    quay = {"title": "Quay", "name": "quay", "kind": "text", "public": "on"}
    assert as_user(ada).post(f"{ORGANIZE}quay/", quay).status_code == 302
    assert not RegistrationQuestion.objects.get(name="quay").public
    plan = whole_plan(asks)
    changed = tuple(one.with_values(public=True) for one in plan.registration)
    with pytest.raises(SetupError, match="who sees its answers stays"):
        apply(asks, plan.with_values(registration=changed), ada)
