"""Whom webhooks tell what: their own, once each, and nothing that is withheld."""

import json
from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.extras.webhooks import events
from leaderboard.extras.webhooks.audience import may_still_know
from leaderboard.extras.webhooks.models import Announcement, Webhook, WebhookDelivery
from leaderboard.organize.extensions import extend
from leaderboard.submissions import team_actions
from leaderboard.submissions.models import Evaluation, Event
from leaderboard.tasks.models import Participant, Participation, Phase, Task
from leaderboard.teams.models import Membership, User
from tests.extras.webhooks.endpoints import (
    ALL,
    hooked,
    kinds,
    known_phases,
    minute_later,
    told,
)
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.crowd import entered, person

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage, pytest.mark.databases]
SCORED, BOARD = "submission.scored", "board.changed"
NEWS, MORE = "announcement.published", "extension.changed"


def test_a_submission_of_the_own_team_is_told_once_with_links_and_no_score(
    phase: Phase, entry: Participation, ben: User
) -> None:
    hook = hooked(ben, SCORED, "submission.failed")
    sent = scored(phase, entry, both({"north": one_wrong()}))
    (news,) = told(hook)
    assert (news["type"], news["data"]["submission"]) == (SCORED, str(sent.pk))
    assert set(news["data"]) == {"submission", "task", "phase", "state", "links"}
    assert news["data"]["links"]["api"].endswith(f"/api/v1/submissions/{sent.pk}/")
    assert "9375" not in str(news) and "Bens" not in str(news)
    assert len(told(hook)) == 1


def test_a_file_that_cannot_be_scored_is_told_as_failed(
    phase: Phase, entry: Participation, ben: User
) -> None:
    hook = hooked(ben)
    sent = scored(phase, entry, both())
    Evaluation.objects.update(state="failed_system")
    Event.objects.filter(new="scored").update(new="failed_system")
    news = [n for n in told(hook) if "submission" in n["data"]]
    assert [(n["type"], n["data"]["state"]) for n in news] == [
        ("submission.failed", "failed_system")
    ]
    assert str(sent.pk) == news[0]["data"]["submission"]


def test_submissions_of_others_are_told_to_organizers_of_the_task_alone(
    phase: Phase, entry: Participation, ada: User, cy: User
) -> None:
    rival = entered(phase.task, "Rivals", person("rival@example.org"))
    hooks = {
        "organizer": hooked(ada, SCORED, task=phase.task),
        "organizer, no task": hooked(ada, SCORED),
        "stranger": hooked(cy, SCORED, task=phase.task),
        "rival": hooked(rival.team.members.get(), SCORED, task=phase.task),
    }
    scored(phase, entry, both())
    found = {name: kinds(hook) for name, hook in hooks.items()}
    assert found == {
        "organizer": [SCORED],
        "organizer, no task": [],
        "stranger": [],
        "rival": [],
    }


def test_the_log_is_told_to_all_and_more_time_to_the_team_and_organizers(
    phase: Phase, entry: Participation, ada: User, ben: User, cy: User
) -> None:
    rival = entered(phase.task, "Rivals", person("rival@example.org"))
    phase.closes = timezone.now() + timedelta(days=1)
    phase.policy = "blind"
    phase.save()
    hooks = {
        "organizer": hooked(ada, NEWS, MORE, task=phase.task),
        "team": hooked(ben, NEWS, MORE),
        "rival": hooked(rival.team.members.get(), NEWS, MORE, task=phase.task),
        "stranger": hooked(cy, NEWS, MORE),
    }
    until = phase.closes + timedelta(hours=1)
    for _again in range(2):
        extend(phase, entry, until, ada)
    found = {name: sorted(kinds(hook)) for name, hook in hooks.items()}
    assert found == {
        "organizer": [NEWS, MORE],
        "team": [NEWS, MORE],
        "rival": [NEWS],
        "stranger": [],
    }
    (about,) = (one["data"] for one in told(hooks["team"]) if one["type"] == MORE)
    assert about["links"]["api"].endswith("/api/v1/tasks/otters/phases/test/")
    body = json.dumps({"data": about})
    assert may_still_know(ben, MORE, body)
    assert not may_still_know(rival.team.members.get(), MORE, body)
    assert not Announcement.objects.exists()


def test_an_end_and_its_announcement_are_written_together_or_not_at_all(
    phase: Phase, entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hooked(ben, SCORED)
    with monkeypatch.context() as patch:
        patch.setattr(Announcement.objects, "bulk_create", broken)
        scored(phase, entry, both())
    assert Evaluation.objects.get().state == "queued", "it is tried again"
    assert not Event.objects.filter(new="scored").exists()
    assert kinds(hook) == []


def test_an_announcement_stays_until_its_deliveries_are_written(
    phase: Phase, entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = hooked(ben, SCORED)
    scored(phase, entry, both())
    with monkeypatch.context() as patch, pytest.raises(ConnectionError):
        patch.setattr(events, "_order", broken)
        events.collect()
    assert kinds(hook) == [SCORED]
    assert not Announcement.objects.exists()


def broken(*_: Any, **__: Any) -> None:
    raise ConnectionError


def test_what_ended_before_announcements_is_told_after_the_upgrade(
    phase: Phase, entry: Participation, ben: User
) -> None:
    """Of a site whose last look had come as far as the first of these."""
    hook = hooked(ben, SCORED)
    first = scored(phase, entry, both())
    told(hook)
    second = scored(phase, entry, both({"north": one_wrong()}))
    Announcement.objects.all().delete()
    cursor = Event.objects.filter(evaluation__submission=first).latest("pk").pk
    watch = SimpleNamespace(event=cursor)
    models = {
        "Announcement": Announcement,
        "Event": Event,
        "Watch": SimpleNamespace(
            objects=SimpleNamespace(
                filter=lambda pk: SimpleNamespace(first=lambda: watch)
            )
        ),
    }
    migration = import_module("leaderboard.api.migrations.0003_announcements")
    migration.announce_untold(
        SimpleNamespace(get_model=lambda _app, name: models[name]), None
    )
    ids = [news["data"]["submission"] for news in told(hook)]
    assert ids == [str(first.pk), str(second.pk)], "the first once, the second too"


def test_events_that_hold_no_longer_keep_none_behind_them_from_being_told(
    phase: Phase, entry: Participation, ben: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "AT_ONCE", 1)
    hook = hooked(ben, SCORED)
    scored(phase, entry, both())
    Evaluation.objects.update(state="queued")
    scored(phase, entry, both({"north": one_wrong()}))
    assert kinds(hook) == []
    assert kinds(hook) == [SCORED]


def test_what_happened_before_the_webhook_was_added_is_not_told(
    phase: Phase, entry: Participation, ben: User
) -> None:
    scored(phase, entry, both())
    hook = hooked(ben)
    assert kinds(hook) == []
    events.collect()
    Webhook.objects.all().delete()
    events.collect()
    assert known_phases() == 0, "nobody listens, nothing is kept"


def test_the_newest_members_are_told_and_those_who_left_are_not(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    Membership.objects.create(team=entry.team, user=cy)
    hook = hooked(cy, SCORED)
    scored(phase, entry, both())
    assert kinds(hook) == [SCORED]
    (row,) = WebhookDelivery.objects.filter(webhook=hook)
    assert may_still_know(cy, row.event, row.body)
    Membership.objects.filter(user=cy).delete()
    Participant.objects.create(
        task=phase.task, user=cy, participation=entry, left_at=timezone.now()
    )
    assert not may_still_know(cy, row.event, row.body)
    scored(phase, entry, both({"north": one_wrong()}))
    assert kinds(hook) == [SCORED]


def test_a_rush_of_submissions_changes_the_board_once_a_minute(
    phase: Phase, entry: Participation, ben: User
) -> None:
    hook = hooked(ben, BOARD)
    for _ in range(3):
        scored(phase, entry, both())
        events.collect()
    assert WebhookDelivery.objects.count() == 0, "the minute is not over"
    (news,) = told(hook)
    (board,) = news["data"]["boards"]
    assert (board["task"], board["phase"]) == ("otters", "test")
    assert len(told(hook)) == 1
    team_actions.withdraw(entry.submissions.first())
    assert len(told(hook)) == 2


FREEZE = {"freeze_from": timezone.now() - timedelta(hours=1)}


@pytest.mark.parametrize(
    ("fields", "public"),
    [({"policy": "open"}, [BOARD]), ({"policy": "blind"}, []), (FREEZE, [])],
)
def test_what_no_board_shows_is_no_news_but_to_organizers(
    entry: Participation, ada: User, fields: dict[str, Any], public: list[str]
) -> None:
    Phase.objects.update(**fields)
    phase = Phase.objects.get()
    for_ben, for_ada = hooked(entry.team.members.get(), BOARD), hooked(ada, BOARD)
    scored(phase, entry, both())
    assert kinds(for_ben) == public
    assert kinds(for_ada) == [BOARD]


def test_what_ended_before_a_webhook_was_added_is_not_told_to_it(
    phase: Phase, entry: Participation, ben: User
) -> None:
    """Though another webhook is there, for which it is kept until the next look."""
    first = hooked(ben, SCORED)
    scored(phase, entry, both())
    later = Webhook.objects.get(pk=first.pk)
    later.pk, later.created_at = None, timezone.now() + timedelta(seconds=1)
    later.save()
    assert (kinds(first), kinds(later)) == ([SCORED], [])


def test_a_task_that_became_a_draft_is_told_to_its_organizers_alone(
    upcoming: Phase, entry: Participation, ben: User, ada: User
) -> None:
    hook, for_ada = hooked(ben, "phase.opened"), hooked(ada, "phase.opened")
    assert (kinds(hook), kinds(for_ada)) == ([], [])
    Task.objects.update(draft=True)
    Phase.objects.update(opens=timezone.now() - timedelta(seconds=1))
    assert (kinds(hook), kinds(for_ada)) == ([], ["phase.opened"])


def test_a_board_that_reads_as_before_is_no_news_where_something_is_withheld(
    phase: Phase, entry: Participation, ben: User, ada: User
) -> None:
    Phase.objects.filter(pk=phase.pk).update(policy="best")
    phase.refresh_from_db()
    hook, organizers = hooked(ben, BOARD), hooked(ada, BOARD)
    scored(phase, entry, both())
    assert kinds(hook) == [BOARD]
    Phase.objects.update(board_version=F("board_version") + 1)
    assert (kinds(hook), kinds(organizers)) == ([BOARD], [BOARD, BOARD])


def test_the_reveal_of_a_blind_phase_changes_its_board(
    phase: Phase, entry: Participation, ben: User
) -> None:
    Phase.objects.filter(pk=phase.pk).update(policy="blind")
    phase.refresh_from_db()
    hook = hooked(ben, BOARD)
    scored(phase, entry, both())
    assert kinds(hook) == []
    Phase.objects.update(reveal_at=timezone.now() - timedelta(seconds=1))
    assert kinds(hook) == [BOARD]


def test_a_phase_opens_and_closes_by_the_clock_once_each(
    upcoming: Phase, entry: Participation, ben: User
) -> None:
    hook = hooked(ben, "phase.opened", "phase.closed")
    assert kinds(hook) == []
    Phase.objects.update(opens=timezone.now() - timedelta(seconds=1))
    assert kinds(hook) == ["phase.opened"]
    Phase.objects.update(closes=timezone.now() - timedelta(milliseconds=1))
    (_opened, closed) = told(hook)
    assert closed["type"] == "phase.closed"
    assert closed["data"]["links"]["api"].endswith("/api/v1/tasks/otters/phases/test/")
    assert len(told(hook)) == 2


def test_nobody_may_know_of_what_names_nothing_or_is_of_no_kind(
    phase: Phase, ben: User
) -> None:
    about = json.dumps({"data": {"task": phase.task.slug}})
    assert may_still_know(ben, "phase.opened", about)
    assert not may_still_know(ben, "phase.moved", about)
    assert not may_still_know(ben, "phase.opened", json.dumps({"data": {}}))


def test_a_draft_and_tasks_one_has_nothing_to_do_with_are_silent(
    upcoming: Phase, entry: Participation, ben: User, cy: User, ada: User
) -> None:
    everywhere, here = hooked(cy), hooked(cy, task=upcoming.task)
    owner = hooked(ada, *ALL)
    Phase.objects.update(opens=timezone.now() - timedelta(seconds=1))
    assert (kinds(everywhere), kinds(here)) == ([], ["phase.opened"])
    Task.objects.update(draft=True)
    Phase.objects.update(closes=timezone.now() - timedelta(milliseconds=1))
    assert "phase.closed" in kinds(owner)
    assert kinds(here) == ["phase.opened"]
    (row,) = WebhookDelivery.objects.filter(webhook=here)
    assert not may_still_know(cy, row.event, row.body)


def test_a_paused_webhook_and_one_of_somebody_locked_out_are_told_nothing(
    phase: Phase, entry: Participation, ben: User, ada: User
) -> None:
    hook, other = hooked(ben), hooked(ada)
    User.objects.filter(pk=ben.pk).update(is_active=False)
    Webhook.objects.filter(pk=other.pk).update(paused_at=timezone.now())
    scored(phase, entry, both())
    assert (kinds(hook), kinds(other)) == ([], [])


def test_without_webhooks_a_look_is_one_question_or_two(task: Task) -> None:
    events.collect()
    with CaptureQueriesContext(connection) as asked:
        events.collect()
    assert len(asked) <= 2


def test_more_webhooks_and_submissions_ask_no_more_questions(
    phase: Phase, entry: Participation, ben: User
) -> None:
    hook = hooked(ben, SCORED, task=phase.task)
    counts = []
    for number in (1, 1, 3):
        for _ in range(number):
            scored(phase, entry, both())
        minute_later()
        with CaptureQueriesContext(connection) as asked:
            events.collect()
        counts.append(len(asked))
    assert len(told(hook)) == 5
    assert counts[1] == counts[2]
