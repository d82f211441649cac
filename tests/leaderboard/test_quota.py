"""Attempts and refusals of a day, for teams and for people, by form and API."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.test import override_settings
from django.utils import timezone

from leaderboard.submissions.models import Submission
from leaderboard.submissions.quota import QuotaUsage
from leaderboard.tasks.models import Extension, Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User
from tests.leaderboard.channels import CHANNELS, Channel, Told
from tests.leaderboard.small import attempts_left

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
NONSENSE = {"north": b"nonsense"}


def limited(phase: Phase, **limits: int) -> None:
    for name, value in limits.items():
        setattr(phase, name, value)
    phase.save()


def codes(told: Iterator[Told]) -> list[str]:
    return [one.code for one in told]


@pytest.mark.databases("constraints")
def test_the_limit_of_a_day_holds_and_says_when_the_next_begins(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=2)
    assert codes(channel.send(ben) for _ in range(2)) == ["", ""]
    told = channel.send(ben)
    assert (told.code, told.stored) == ("quota_used", 2)
    assert told.charged == {"scored": 2, "total": 2}
    tomorrow = phase.next_day(timezone.now())
    assert f"The next day begins at {tomorrow:%-d %b %Y}, 00:00 UTC." in told.text
    assert attempts_left(phase, entry, timezone.now()) == 0
    assert channel.send(ben, at=tomorrow).accepted


@pytest.mark.databases("constraints")
def test_no_day_is_promised_that_brings_no_attempt(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    """Neither after the end of the phase, nor where its total is used as well."""
    limited(phase, daily_limit=1, total_limit=1)
    assert channel.send(ben).accepted
    assert "next day" not in channel.send(ben).text
    limited(phase, total_limit=5)
    assert "The next day begins" in channel.send(ben).text
    now = timezone.now()
    tomorrow = phase.next_day(now)
    Phase.objects.update(closes=tomorrow)
    told = channel.send(ben)
    assert (told.code, "next day" in told.text) == ("quota_used", False)
    usage = QuotaUsage(Phase.objects.get(), entry, ben, now)
    assert usage.allowance().next_day is None
    later = tomorrow + timedelta(hours=1)
    Extension.objects.create(phase=phase, participation=entry, until=later, by=ben)
    Phase.objects.update(extended_until=later)
    usage = QuotaUsage(Phase.objects.get(), entry, ben, now)
    assert usage.allowance().next_day == tomorrow
    assert "The next day begins" in channel.send(ben).text


def test_attempts_are_the_same_whichever_channel_used_them(
    phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=2)
    page, api = (kind() for kind in CHANNELS.values())
    assert page.send(ben).accepted and api.send(ben).accepted
    for channel in (page, api):
        assert channel.send(ben).code == "quota_used"
        look = channel.look(ben)
        assert (look.may_submit, look.left["today"]) == (False, 0)


def test_a_format_error_costs_no_attempt(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=1, total_limit=1)
    assert channel.send(ben, NONSENSE).charged == {"refused": 1}
    assert channel.look(ben).left == {"today": 1, "total": 1}
    assert channel.send(ben).accepted


@pytest.mark.parametrize("limit", ["daily_limit", "total_limit"])
def test_a_person_in_two_teams_has_the_attempts_of_one(
    channel: Channel,
    phase: Phase,
    entry: Participation,
    ben: User,
    cy: User,
    limit: str,
) -> None:
    """Who sent something cannot change teams; should it happen, the person counts."""
    limited(phase, **{limit: 2})
    assert codes(channel.send(ben) for _ in range(2)) == ["", ""]
    other = join(phase.task, Team.found("Others", cy))
    move(ben, entry, other)
    used = {"daily_limit": "quota_used", "total_limit": "total_used"}
    assert channel.send(ben).code == used[limit]
    assert channel.send(cy).accepted


def move(person: User, old: Participation, new: Participation) -> None:
    old.participants.filter(user=person).delete()
    Membership.objects.filter(team=old.team, user=person).delete()
    Membership.objects.create(team=new.team, user=person)


def test_the_attempts_of_a_team_are_those_of_all_its_members(
    channel: Channel, phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    limited(phase, daily_limit=2)
    Membership.objects.create(team=entry.team, user=cy)
    assert channel.send(ben).accepted and channel.send(cy).accepted
    assert codes(channel.send(who) for who in (ben, cy)) == ["quota_used"] * 2


@pytest.mark.databases("constraints")
def test_what_is_left_is_the_less_of_what_team_and_person_have(
    channel: Channel, phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    """Of three attempts: two used by the team, one by ben; then the other way round."""
    limited(phase, daily_limit=3, total_limit=3)
    Membership.objects.create(team=entry.team, user=cy)
    assert channel.send(ben).accepted and channel.send(cy).accepted
    assert channel.look(ben).left == {"today": 1, "total": 1}
    dan = User.objects.create_user("dan@example.org", "x", name="dan")
    other = join(phase.task, Team.found("Others", dan))
    assert channel.send(ben).accepted
    move(ben, entry, other)
    assert channel.send(dan).accepted
    assert channel.look(dan).left == {"today": 2, "total": 2}
    assert channel.look(ben).left == {"today": 1, "total": 1}


def test_a_limit_lowered_below_what_is_used_still_holds(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=3)
    assert codes(channel.send(ben) for _ in range(3)) == [""] * 3
    limited(phase, daily_limit=1)
    assert channel.send(ben).code == "quota_used"


def test_withdrawing_gives_no_attempt_back(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=1)
    assert channel.send(ben).accepted
    Submission.objects.update(withdrawn_at=timezone.now())
    assert channel.send(ben).code == "quota_used"


@override_settings(REFUSED_PER_DAY=2)
def test_refused_uploads_of_a_day_are_limited_apart_from_the_attempts(
    channel: Channel, phase: Phase, entry: Participation, ben: User
) -> None:
    limited(phase, daily_limit=1)
    assert codes(channel.send(ben, NONSENSE) for _ in range(2)) == ["unfit"] * 2
    told = channel.send(ben, NONSENSE)
    assert (told.code, told.charged) == ("refused_too_often", {"refused": 2})
    assert "2 uploads of today were refused for their format" in told.text
    assert attempts_left(phase, entry, timezone.now()) == 1
    tomorrow = phase.next_day(timezone.now())
    assert channel.send(ben, NONSENSE, at=tomorrow).code == "unfit"
