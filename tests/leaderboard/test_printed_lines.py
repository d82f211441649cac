"""Lines of a board that are printed once: whatever they show that changed is shown."""

from collections.abc import Callable

import pytest
from django.core.cache import caches
from django.test import Client

from leaderboard.boards import render
from leaderboard.boards.templatetags import boards as printed
from leaderboard.submissions.models import Submission
from leaderboard.tasks.models import Participation, Phase, Question
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, one_wrong, scored, set_questions

pytestmark = pytest.mark.django_db
BOARD = "/tasks/otters/test/board/"


def lines(client: Client, address: str = BOARD, language: str = "en") -> str:
    """The lines of the table as a reader is shown them now."""
    caches["at-hand"].clear()
    page = client.get(address, headers={"Accept-Language": language}).content.decode()
    return page.partition("<tbody>")[2].partition("</tbody>")[0]


def printed_anew(client: Client, address: str = BOARD, language: str = "en") -> str:
    printed._rows.clear()
    render._made.clear()
    return lines(client, address, language)


def rename_team(row: Submission) -> None:
    Team.objects.filter(pk=row.participation.team_id).update(name="Seven Voles")


def rename_system(row: Submission) -> None:
    Submission.objects.filter(pk=row.pk).update(system="vole-7")


def answer(row: Submission) -> None:
    Submission.objects.filter(pk=row.pk).update(
        facts={"size": 12, "code": "https://v.org/7"}
    )


def ask_otherwise(row: Submission) -> None:
    Question.objects.filter(name="code").update(title="Where it is", kind="text")


def come_late(row: Submission) -> None:
    Phase.objects.filter(pk=row.phase_id).update(closes=row.received_at)


def organize(row: Submission) -> None:
    Submission.objects.filter(pk=row.pk).update(by_organizers=True)


@pytest.mark.parametrize(
    ("event", "sign"),
    [
        (rename_team, "Seven Voles"),
        (rename_system, "vole-7"),
        (answer, "v.org/7"),
        (ask_otherwise, "v.org/1"),
        (come_late, "After the end"),
        (organize, "Organizers"),
    ],
)
def test_a_line_shows_what_changed_in_it(
    phase: Phase,
    entry: Participation,
    event: Callable[[Submission], None],
    sign: str,
) -> None:
    asked = [
        {"name": "size", "title": "Size", "kind": "number", "public": True},
        {"name": "code", "title": "Code", "kind": "link", "public": True},
    ]
    set_questions(phase.task, asked)
    row = scored(phase, entry, both({"north": one_wrong()}))
    facts = {"size": 7, "code": "https://v.org/1"}
    Submission.objects.update(facts=facts)
    client = Client()
    before = lines(client)
    assert lines(client) == before  # from what was printed
    event(row)
    after = lines(client)
    assert after != before and sign in after
    assert after == printed_anew(client)


def test_each_reader_language_and_choice_has_its_own_lines(
    phase: Phase,
    entry: Participation,
    ben: User,
    as_user: Callable[[User], Client],
) -> None:
    scored(phase, entry, both({"north": one_wrong()}))
    visitor, member = Client(), as_user(ben)
    looks: list[tuple[Client, str, str]] = [
        (visitor, BOARD, "en"),
        (member, BOARD, "en"),
        (visitor, BOARD, "de"),
        (visitor, BOARD, "ru"),
        (visitor, f"{BOARD}?measure=uas", "en"),
        (visitor, f"{BOARD}?show=las", "en"),
        (visitor, f"{BOARD}?level=99", "en"),
    ]
    shown = [lines(*look) for look in looks]
    assert len(set(shown)) == len(looks)
    assert "badge-own" in shown[1] and "badge-own" not in shown[0]
    assert shown == [lines(*look) for look in looks]
    assert shown == [printed_anew(*look) for look in looks]
