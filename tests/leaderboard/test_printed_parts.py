"""Parts of a board's page that are printed once: what changed in them is shown."""

from collections.abc import Callable

import pytest
from django.core.cache import caches
from django.template import Context, Template
from django.test import Client

from leaderboard.boards import stored_board
from leaderboard.boards.computation import compute_due
from leaderboard.boards.query import BoardQuery
from leaderboard.boards.stored_board import board
from leaderboard.tasks.models import GoldRevision, Participation, Phase, Question, Task
from leaderboard.tasks.models import TestSet as OneTestSet
from leaderboard.web.templatetags import parts
from tests.leaderboard.small import both, scored, set_questions

pytestmark = pytest.mark.django_db
BOARD = "/tasks/otters/test/board/"


def page(address: str = BOARD, language: str = "en") -> str:
    caches["at-hand"].clear()
    answer = Client().get(address, headers={"Accept-Language": language})
    return answer.content.decode()


def page_printed_anew(address: str = BOARD, language: str = "en") -> str:
    parts._parts.clear()
    return page(address, language)


def ask_otherwise() -> None:
    Question.objects.filter(name="code").update(title="Where it is", kind="text")


def rename_test_set() -> None:
    OneTestSet.objects.filter(name="north").update(title="Upper lake")


def close() -> None:
    Phase.objects.update(closes=Phase.objects.get().opens)


def resample_otherwise() -> None:
    Task.objects.update(level=0.99)


def correct_gold() -> None:
    GoldRevision.objects.update(number=7)


def name_otherwise() -> None:
    Task.objects.update(title="Beavers")


def postpone() -> None:
    Phase.objects.update(closes="2099-01-02T00:00Z")


def take_off_lists() -> None:
    Task.objects.update(unlisted=True)


@pytest.mark.parametrize(
    ("event", "sign"),
    [
        (ask_otherwise, "Where it is, contains"),
        (rename_test_set, "Upper lake</a>"),
        (close, "Closed"),
        (resample_otherwise, "In brackets: 99"),
        (correct_gold, "Version 7 of the answer key"),
        (name_otherwise, '<caption class="hidden-visually">Beavers, '),
        (postpone, "2 Jan 2099"),
        (take_off_lists, "noindex"),
    ],
)
def test_what_changed_around_the_table_is_printed(
    phase: Phase, entry: Participation, event: Callable[[], None], sign: str
) -> None:
    set_questions(phase.task, [{"name": "code", "title": "Code", "kind": "link"}])
    scored(phase, entry, both())
    before = page()
    assert sign not in before and page() == before
    event()
    after = page()
    assert sign in after
    assert page_printed_anew() == after


def test_a_result_that_is_not_on_the_board_yet_changes_no_part(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored(phase, entry, both())
    before = board(BoardQuery(Phase.objects.get())).parts_key
    monkeypatch.setattr(stored_board, "ask", lambda _job: None)
    Phase.objects.all().touch_boards(more_results=True)
    assert board(BoardQuery(Phase.objects.get())).parts_key == before
    rename_test_set()
    assert board(BoardQuery(Phase.objects.get())).parts_key != before


@pytest.mark.parametrize("choice", ["?measure=uas", "?rows=wide", "?level=90", "?q=x"])
@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_each_address_and_language_has_parts_of_its_own(
    phase: Phase, entry: Participation, choice: str, language: str
) -> None:
    scored(phase, entry, both())
    plain = page(language=language)
    chosen = page(BOARD + choice, language)
    assert page(language=language) == plain != chosen
    assert page_printed_anew(BOARD + choice, language) == chosen


def test_a_part_is_printed_again_for_other_values_alone() -> None:
    looks = []

    def look() -> str:
        looks.append(1)
        return f"<{len(looks)}>"

    template = Template("{% load parts %}{% part a b %}{{ look }}{% endpart %}")
    values = [(1, "x"), (1, "x"), (1, "y"), (2, "x"), (1, "x")]
    texts = [
        template.render(Context({"a": a, "b": b, "look": look})) for a, b in values
    ]
    assert texts == [f"&lt;{n}&gt;" for n in (1, 1, 2, 3, 1)]


def test_an_empty_board_looks_again_by_itself_where_results_are_to_be_added(
    phase: Phase, entry: Participation, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = 'hx-trigger="load delay:2s"'
    assert again not in page()
    monkeypatch.setattr(stored_board, "ask", lambda _job: None)
    scored(phase, entry, both(), system="gorse")
    assert again in page()
    compute_due()
    scored(phase, entry, both(), system="heath")
    assert "gorse" in page() and "newer-wait" in page()
    assert again not in page()
