"""Light and heavy work: two queues, so that a big file holds up nobody's small one."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.test import override_settings

from leaderboard import celery as brokers
from leaderboard.celery import app
from leaderboard.submissions import accept, dispatch, evaluation
from leaderboard.submissions.broker import broker
from leaderboard.submissions.jobs import sweep
from leaderboard.submissions.management.commands.work import QueuelessWorker
from leaderboard.submissions.models import Evaluation, EvaluationState, Event
from leaderboard.submissions.process_order import ProcessOrder
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, upload

pytestmark = pytest.mark.django_db
# A worker closes its connection between two steps.
WORKING = pytest.mark.django_db(transaction=True)
MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("scorer", "size", "draws", "seconds"),
    [
        # 25,000 words are 1.5 megabytes and 2,077 sentences: milliseconds.
        ("attachment", 1.5 * MEGABYTE, 2_077 * 1000, 0.07),
        ("attachment", 50 * MEGABYTE, 0, 1.5),
        ("unl-graph", 3 * MEGABYTE, 0, 2.4),
        ("a scorer of tomorrow", 10 * MEGABYTE, 20_000 * 1000, 0.5),
        ("senseval", 0, 10_000 * 100_000, 10),
    ],
)
def test_the_guess_counts_bytes_resamples_and_the_scorer(
    scorer: str, size: float, draws: int, seconds: float
) -> None:
    assert dispatch.guess(scorer, int(size), draws) == pytest.approx(seconds, rel=0.1)


def sent(phase: Phase, entry: Participation, number: int = 1) -> list[Evaluation]:
    uploads = [accept.submit(upload(phase, entry, both())) for _ in range(number)]
    return [one.evaluations.get() for one in uploads]


@pytest.fixture
def heavily() -> Callable[[], Any]:
    """Inside, everything that is sent counts as heavy."""
    return lambda: override_settings(HEAVY_SECONDS=0)


def test_what_is_sent_is_weighed_and_resamples_count(
    phase: Phase, entry: Participation
) -> None:
    units = sum(phase.gold_revision.files.values_list("units", flat=True))
    phase.task.resamples = 100_000
    phase.task.save()
    with override_settings(HEAVY_SECONDS=units * 100_000 * dispatch.DRAWN * 0.9):
        assert sent(phase, entry)[0].heavy
    with override_settings(HEAVY_SECONDS=units * 100_000 * dispatch.DRAWN * 1.1):
        assert not sent(phase, entry)[0].heavy


def test_weighing_many_costs_two_questions(
    phase: Phase,
    entry: Participation,
    heavily: Callable[[], Any],
    django_assert_num_queries: Any,
) -> None:
    some = sent(phase, entry, 4)
    with heavily(), django_assert_num_queries(2):
        dispatch.weigh(some)
    assert all(one.heavy for one in some)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, list[int]]]:
    """The messages to each queue."""
    found: dict[str, list[int]] = {name: [] for name in brokers.QUEUES}
    monkeypatch.setattr(broker, "answers", lambda: True)
    monkeypatch.setattr(
        dispatch.app,
        "send_task",
        lambda _name, args, queue, **_: found[queue].extend(args),
    )
    yield found


def test_each_queue_has_a_window_and_turns_of_its_own(
    phase: Phase,
    entry: Participation,
    heavily: Callable[[], Any],
    told: dict[str, list[int]],
) -> None:
    with override_settings(HINT_WINDOW=2):
        with heavily():
            heavy = [one.pk for one in sent(phase, entry, 5)]
        light = [one.pk for one in sent(phase, entry, 1)]
        dispatch.hint_waiting()
    assert told == {"heavy": heavy[:2], "light": light}
    assert (dispatch.outstanding(True), dispatch.outstanding(False)) == (2, 1)
    assert dispatch.line(heavy=False)[0] == light[0]


@WORKING
def test_a_light_one_is_scored_while_the_heavy_pile_up(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    with heavily():
        heavy = sent(phase, entry, 6)
    busy, worker = QueuelessWorker(["heavy"]), QueuelessWorker(["light"])
    assert busy.step()
    (light,) = sent(phase, entry)
    assert worker.step()
    light.refresh_from_db()
    assert light.state == EvaluationState.SCORED
    assert not worker.step(), "the heavy are not for this one"
    assert Evaluation.objects.filter(state=EvaluationState.SCORED).count() == 2
    assert Evaluation.objects.filter(
        pk=heavy[0].pk, state=EvaluationState.SCORED
    ).exists()


def joined(phase: Phase, name: str) -> Participation:
    user = User.objects.create_user(f"{name}@example.org", "x")
    return join(phase.task, Team.found(name, user))


@WORKING
def test_who_takes_both_takes_them_in_turns(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    with heavily():
        sent(phase, entry, 2)
    sent(phase, entry, 2)
    worker, order = QueuelessWorker(), []
    for _ in range(4):
        before = set(Evaluation.objects.filter(state=EvaluationState.SCORED))
        assert worker.step()
        (new,) = set(Evaluation.objects.filter(state=EvaluationState.SCORED)) - before
        order.append(new.heavy)
    assert order == [False, True, False, True]


@WORKING
def test_light_work_that_waited_for_a_heavy_job_goes_before_the_next(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    """Whatever the queues bring: here the hints of heavy work come first."""
    with heavily():
        first, second = sent(phase, entry, 2)
    overtaken = [*sent(phase, entry, 2)]
    process = ProcessOrder()
    assert process.run(first.pk)
    later = sent(phase, joined(phase, "mira"))[0]
    for _ in range(3):
        assert process.run(second.pk)
    ended = Event.objects.filter(new=EvaluationState.SCORED).order_by("pk")
    order = list(ended.values_list("evaluation", flat=True))
    assert order == [one.pk for one in (first, *overtaken, second)]
    assert process.run(later.pk), "what came later waited for one heavy job, too"


@WORKING
def test_a_flood_of_light_work_does_not_shut_out_the_heavy(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    with heavily():
        first, second = sent(phase, entry, 2)
    sent(phase, entry, 9)
    process = ProcessOrder()
    for number in (first, *[second] * (settings.MOST_PER_TEAM + 1)):
        assert process.run(number.pk)
    second.refresh_from_db()
    assert second.state == EvaluationState.SCORED


def test_jobs_of_the_scheduler_are_no_submissions_in_a_queue(redis_url: str) -> None:
    """They took the room of hints: light work was not told to anybody."""
    with app.connection_for_write() as connection:
        for name in brokers.QUEUES:  # hints of other tests
            connection.default_channel.queue_purge(name)
        for _ in range(settings.HINT_WINDOW):
            sweep.apply_async(connection=connection)
    assert broker.answers()
    rooms = [broker.room(name) for name in brokers.QUEUES]
    assert rooms == [settings.HINT_WINDOW, settings.HINT_WINDOW]
    with app.connection_for_write() as connection:
        connection.default_channel.queue_purge(brokers.UPKEEP)


def test_a_hint_for_background_work_gives_way_within_its_weight_only(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    (background,) = sent(phase, entry)
    Evaluation.objects.filter(pk=background.pk).update(background=True)
    with heavily():
        sent(phase, entry)
    assert dispatch.instead_of(background.pk) == background.pk
    (light,) = sent(phase, entry)
    assert dispatch.instead_of(background.pk) == light.pk


def test_queues_are_chosen_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLUMBLINE_QUEUES", raising=False)
    assert brokers.consumed_queues() == ("light", "heavy")
    monkeypatch.setenv("PLUMBLINE_QUEUES", "heavy")
    assert brokers.consumed_queues() == ("heavy",)
    monkeypatch.setenv("PLUMBLINE_QUEUES", "heavy, huge")
    with pytest.raises(ImproperlyConfigured):
        brokers.consumed_queues()


def test_another_team_waits_in_the_light_queue_for_nobody_of_the_heavy(
    phase: Phase, entry: Participation, heavily: Callable[[], Any]
) -> None:
    with heavily():
        for one in sent(phase, entry, 2):
            Evaluation.objects.filter(pk=one.pk).update(state=EvaluationState.RUNNING)
    other = joined(phase, "mira")
    ids = [one.pk for one in (*sent(phase, entry), *sent(phase, other))]
    ready = Evaluation.objects.ready()
    assert dispatch.in_turn(ready, 9, heavy=False) == ids
    assert evaluation.run(ids[0])
