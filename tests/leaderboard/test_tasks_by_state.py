"""The front page of a site with more tasks than it has room for."""

from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.boards.front_page import (
    MOST_CARDS,
    TaskFilter,
    TaskGroup,
    group_of_tasks,
    grouped_tasks,
)
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Participation, Phase, Task
from tests.leaderboard.small import both, bundle, scored

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
NOBODY = AnonymousUser()


@pytest.fixture
def task() -> Task:
    """The one task that is open."""
    return create_task(bundle(), None)


def add_tasks(task: Task, number: int, opens: timedelta, closes: timedelta) -> None:
    """So many tasks with one phase that opens and closes that long after now, the
    next one a day later."""
    now, phase = timezone.now(), task.phases.get()
    made = Task.objects.bulk_create(
        Task(
            slug=f"{task.slug}-{opens.days}-{i}",
            title=f"Task {i:03}",
            scorer_name=task.scorer_name,
            options=task.options,
        )
        for i in range(number)
    )
    Phase.objects.bulk_create(
        Phase(
            task=one,
            name="test",
            title="Test",
            gold_revision=phase.gold_revision,
            opens=now + opens + i * DAY,
            closes=now + closes + i * DAY,
        )
        for i, one in enumerate(made)
    )


def groups_at(moment: datetime) -> list[TaskGroup]:
    return grouped_tasks(TaskFilter.of({}, moment, NOBODY))


def titles(tasks: list[Task]) -> list[str]:
    return [task.title for task in tasks]


def test_a_group_shows_the_next_events_first_and_finished_tasks_latest_first(
    task: Task,
) -> None:
    add_tasks(task, 3, opens=9 * DAY, closes=20 * DAY)
    add_tasks(task, 3, opens=-90 * DAY, closes=-80 * DAY)
    Task.objects.create(slug="bare", title="Without a phase", scorer_name="attachment")
    groups = {group.state: group for group in groups_at(timezone.now())}
    assert titles(groups["open"].tasks) == [task.title]
    later = ["Task 000", "Task 001", "Task 002", "Without a phase"]
    assert titles(groups["upcoming"].tasks) == later
    assert titles(groups["over"].tasks) == ["Task 002", "Task 001", "Task 000"]


def test_the_state_of_a_task_is_that_of_its_phases(task: Task) -> None:
    """A phase that is over beside one to come, and one without an end."""
    now, phase = timezone.now(), task.phases.get()
    phase.closes = now - DAY
    phase.save()
    second = Phase.objects.create(
        task=task,
        name="final",
        title="Final",
        gold_revision=phase.gold_revision,
        position=1,
        opens=now + DAY,
    )
    (group,) = groups_at(now)
    assert (group.state, group.tasks[0].phase) == ("upcoming", second)
    (group,) = groups_at(now + 2 * DAY)
    assert (group.state, group.tasks[0].phase) == ("open", second)
    Phase.objects.filter(pk=second.pk).update(closes=now + 3 * DAY)
    (group,) = groups_at(now + 4 * DAY)
    assert (group.state, group.tasks[0].phase) == ("over", second)


def test_more_finished_tasks_than_there_is_room_for_are_listed_by_pages(
    task: Task,
) -> None:
    add_tasks(task, MOST_CARDS + 2, opens=-900 * DAY, closes=-890 * DAY)
    front = Client().get("/").content.decode()
    assert f"All {MOST_CARDS + 2} tasks" in front and 'href="?state=over"' in front
    assert 'href="?state=open"' not in front
    assert front.count("task-row") == MOST_CARDS + 1
    first, second = (
        Client().get(f"/?state=over&page={page}").content.decode() for page in (1, 2)
    )
    assert first.count("task-row") == MOST_CARDS and "Task 031" in first
    assert second.count("task-row") == 2 and "Task 000" in second
    assert "?state=over&amp;page=2" in first


def test_more_tasks_take_no_more_queries(task: Task) -> None:
    def asked(*groups: str) -> list[int]:
        found = []
        for state in groups:
            with CaptureQueriesContext(connection) as seen:
                now = timezone.now()
                fits = TaskFilter.of({"state": state}, now, NOBODY)
                group_of_tasks(fits, None)
            found.append(len(seen))
        with CaptureQueriesContext(connection) as seen:
            groups_at(timezone.now())
        return [*found, len(seen)]

    add_tasks(task, 1, opens=9 * DAY, closes=20 * DAY)
    add_tasks(task, 1, opens=-90 * DAY, closes=-80 * DAY)
    few = asked("open", "over", "upcoming")
    add_tasks(task, 70, opens=10 * DAY, closes=20 * DAY)
    add_tasks(task, 70, opens=-91 * DAY, closes=-80 * DAY)
    assert asked("open", "over", "upcoming") == few


def test_tasks_are_filtered_by_state_and_by_what_systems_predict(task: Task) -> None:
    add_tasks(task, 2, opens=9 * DAY, closes=20 * DAY)
    Task.objects.create(slug="bare", title="Moods", scorer_name="classes")
    page = Client().get("/").text
    for told in ("?kind=trees", "?kind=labels", "?state=open", "?state=upcoming"):
        assert f'href="/{told}"' in page
    assert "Finished" not in page and "Ranked documents" not in page
    labels = Client().get("/?kind=labels").text
    assert "Moods" in labels and task.title not in labels and "Task 000" not in labels
    later = Client().get("/?kind=trees&state=upcoming").text
    assert later.count("task-row") == 2 and "Moods" not in later
    assert Client().get("/?kind=trees&state=over").text.count("task-row") == 0
    assert Client().get("/?kind=nonsense&state=nonsense").text.count("task-row") == 4


def test_a_search_stays_within_the_filters(task: Task) -> None:
    add_tasks(task, 2, opens=9 * DAY, closes=20 * DAY)
    Task.objects.create(slug="bare", title="Task of moods", scorer_name="classes")
    assert Client().get("/?q=Task").text.count("task-row") == 3
    found = Client().get("/?q=Task&kind=labels").text
    assert found.count("task-row") == 1 and "Task of moods" in found
    assert 'name="kind" value="labels"' in found
    assert "?q=Task&amp;kind=trees" in found


def test_a_task_whose_leader_a_list_does_not_read_leads_to_its_board(
    task: Task, phase: Phase, entry: Participation
) -> None:
    scored(phase, entry, both())
    row = Client().get("/?state=open").text
    assert f'href="/tasks/{task.slug}/board/"' in row
    Phase.objects.update(opens=timezone.now() + DAY, closes=None)
    assert (
        f'href="/tasks/{task.slug}/board/"' not in Client().get("/?state=upcoming").text
    )
