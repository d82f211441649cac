"""Attempts and refusals of a day, for teams and for people."""

import pytest
from django.test import override_settings
from django.utils import timezone

from leaderboard.submissions import intake, quota
from leaderboard.submissions.models import Submission
from leaderboard.tasks.joining import join
from leaderboard.tasks.models import Participation, Phase
from leaderboard.teams.models import Team, User
from tests.leaderboard.small import both, upload

pytestmark = pytest.mark.django_db


def test_the_limit_of_a_day_holds_and_says_when_the_next_begins(
    phase: Phase, entry: Participation
) -> None:
    phase.daily_limit = 2
    phase.save()
    for _ in range(2):
        intake.submit(upload(phase, entry, both()))
    with pytest.raises(quota.QuotaUsed) as caught:
        intake.submit(upload(phase, entry, both()))
    assert caught.value.next_at > timezone.now()
    assert Submission.objects.count() == 2
    assert quota.left(phase, entry, timezone.now()) == 0


def test_a_format_error_costs_no_attempt(phase: Phase, entry: Participation) -> None:
    phase.daily_limit = 1
    phase.save()
    with pytest.raises(intake.Unfit):
        intake.submit(upload(phase, entry, {"north": b"nonsense"}))
    assert quota.left(phase, entry, timezone.now()) == 1


def test_a_person_in_two_teams_has_the_attempts_of_one(
    phase: Phase, entry: Participation, ben: User, cy: User
) -> None:
    phase.daily_limit = 2
    phase.save()
    other = join(phase.task, Team.found("Others", cy))
    intake.submit(upload(phase, entry, both(), sender=ben))
    intake.submit(upload(phase, other, both(), sender=ben))
    with pytest.raises(quota.QuotaUsed):
        intake.submit(upload(phase, other, both(), sender=ben))
    assert intake.submit(upload(phase, other, both(), sender=cy)).pk


def test_a_limit_lowered_below_what_is_used_still_holds(
    phase: Phase, entry: Participation
) -> None:
    phase.daily_limit = 3
    phase.save()
    for _ in range(3):
        intake.submit(upload(phase, entry, both()))
    phase.daily_limit = 1
    phase.save()
    with pytest.raises(quota.QuotaUsed):
        intake.submit(upload(phase, entry, both()))


def test_withdrawing_gives_no_attempt_back(phase: Phase, entry: Participation) -> None:
    phase.daily_limit = 1
    phase.save()
    intake.submit(upload(phase, entry, both()))
    Submission.objects.update(withdrawn_at=timezone.now())
    with pytest.raises(quota.QuotaUsed):
        intake.submit(upload(phase, entry, both()))


@override_settings(REFUSED_PER_DAY=2)
def test_refused_uploads_of_a_day_are_limited_apart_from_the_attempts(
    phase: Phase, entry: Participation
) -> None:
    phase.daily_limit = 1
    phase.save()
    for _ in range(2):
        with pytest.raises(intake.Unfit):
            intake.submit(upload(phase, entry, {"north": b"nonsense"}))
    with pytest.raises(quota.RefusedTooOften) as caught:
        intake.submit(upload(phase, entry, {"north": b"nonsense"}))
    assert caught.value.limit == 2
    assert quota.left(phase, entry, timezone.now()) == 1
