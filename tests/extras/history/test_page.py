"""The page of the history: in words, filtered, paged, for those who may."""

from collections.abc import Callable

import pytest
from django.contrib.contenttypes.models import ContentType
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from leaderboard.tasks.models import (
    Change,
    Message,
    Organizer,
    Participation,
    Phase,
    Task,
)
from leaderboard.teams.models import User
from tests.organize.crowd import acting, entered, organizing, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("json"),
]
Login = Callable[[User], Client]
PAGE = "/tasks/otters/organize/history/"


def test_the_page_shows_before_and_after_in_words(
    phase: Phase, cy: User, ada: User, as_user: Login
) -> None:
    with acting(ada):
        phase.policy = Phase.Policy.BLIND
        phase.closes = None
        phase.save()
        Organizer.objects.create(task=phase.task, user=cy, role="reviewer")
    page = as_user(ada).get(PAGE).content.decode()
    for words in (
        "Scores are public at once",
        "Scores are hidden until a date",
        "cy &lt;cy@example.org&gt;",
        "Phase changed",
    ):
        assert words in page


def test_rows_that_have_left_the_product_are_still_named(
    task: Task, ada: User, as_user: Login
) -> None:
    gone = ContentType.objects.create(app_label="criteria", model="series")
    Change.objects.create(
        content_type=gone,
        object_pk="1",
        object_id=1,
        object_repr="months",
        action=Change.Action.CREATE,
        changes={"phases": ["None", "['may', 'june']"]},
        task_pk=task.pk,
    )
    page = as_user(ada).get(f"{PAGE}?kind=series").content.decode()
    assert "Series made" in page and "months" in page
    assert '<th scope="row">Phases</th>' in page and "june" in page
    assert '<option value="series" selected>Series</option>' in page


def test_what_was_once_a_field_of_the_task_is_still_shown(
    task: Task, ada: User, as_user: Login
) -> None:
    changes = {"fact_sheet": ["[]", '[{"name": "size"}]'], "boards": ["[]", "[1]"]}
    Change.objects.log_create(task, action=Change.Action.UPDATE, changes=changes)
    page = as_user(ada).get(PAGE).content.decode()
    assert "Fact sheet" in page and "size" in page
    assert "Boards" in page
    page = as_user(ada).get(PAGE, headers={"accept-language": "ru"}).content.decode()
    for word in ("Анкета", "Таблицы"):
        assert f'<th scope="row">{word}</th>' in page


def test_questions_are_shown_by_their_title(
    task: Task, ada: User, as_user: Login
) -> None:
    with acting(ada):
        task.questions.create(name="size", title="Parameters", kind="number")
    page = as_user(ada).get(PAGE, {"kind": "question"}).content.decode()
    assert "Question made" in page and "Parameters" in page
    assert "Answers to choose from" not in page, "empty"


def test_the_page_can_be_filtered_and_paged(
    task: Task, ada: User, cy: User, as_user: Login
) -> None:
    for n in range(60):
        with acting(cy):
            task.seed = n
            task.save()
    page = as_user(ada)
    everything = page.get(PAGE).content.decode()
    assert "Page 1 of" in everything
    assert page.get(PAGE, {"page": "2"}).status_code == 200
    by_cy = page.get(PAGE, {"who": "cy@example.org", "kind": "task"}).content.decode()
    assert "Task changed" in by_cy
    assert "Test set made" not in by_cy
    assert "Nothing fits" in page.get(PAGE, {"until": "1999-12-31"}).content.decode()
    for nonsense in ({"since": "2026-99-99"}, {"page": "x"}, {"kind": "a\x00"}):
        assert page.get(PAGE, nonsense).status_code == 200


def test_the_page_takes_the_same_queries_for_few_and_for_many_lines(
    phase: Phase,
    entry: Participation,
    ada: User,
    as_user: Login,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    Message.objects.create(task=phase.task, subject="x", text="y", by=ada)
    page = as_user(ada)
    page.get(PAGE)
    with django_assert_max_num_queries(40) as few:
        page.get(PAGE)
    for n in range(20):
        entered(phase.task, f"Team {n}", person(f"p{n}@example.org"))
    with django_assert_max_num_queries(len(few)):
        page.get(PAGE)


def test_another_task_has_another_history(
    task: Task, ada: User, as_user: Login
) -> None:
    Task.objects.create(
        slug="x", title="Foreign", scorer_name="attachment", headline="las"
    )
    assert "Foreign" not in as_user(ada).get(PAGE).content.decode()


@pytest.mark.parametrize("role", Organizer.Role)
def test_history_is_for_editors_and_owners(
    task: Task, as_user: Login, role: Organizer.Role
) -> None:
    someone = as_user(organizing(task, "some@example.org", role))
    expected = 404 if role == Organizer.Role.REVIEWER else 200
    assert someone.get(PAGE).status_code == expected
