"""Two teams become one: never with more attempts than one team could have had."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.extras.oversight import team_merger
from leaderboard.extras.oversight.team_merger import merge
from leaderboard.submissions import accept, quota
from leaderboard.submissions.models import (
    QuotaCounter,
    QuotaEntry,
    QuotaKind,
    Submission,
)
from leaderboard.submissions.quota import NO_DAY, QuotaUsed
from leaderboard.tasks.models import Extension, Participation, Phase, Task
from leaderboard.tasks.participation import leads, own_team, participation_of
from leaderboard.teams.models import User
from leaderboard.teams.refusal import Refusal
from tests.campaigns.invariants import violations
from tests.leaderboard.small import both, one_wrong, scored, upload
from tests.organize.crowd import entered, person

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.one_stage,
    pytest.mark.databases("constraints"),
]
Login = Callable[[User], Client]
TEAM = "/tasks/otters/team/"


@pytest.fixture
def other(task: Task, cy: User) -> Participation:
    return entered(task, "Cys", cy)


@pytest.fixture
def limited(phase: Phase) -> Phase:
    """Two attempts a day, five in all; it opened three days ago."""
    phase.daily_limit, phase.total_limit = 2, 5
    phase.save()
    return phase


def test_the_team_that_stays_has_all_members_and_the_submissions_of_both(
    phase: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    mine, theirs = (scored(phase, team, both()) for team in (entry, other))
    cy = other.participants.get().user
    merge(entry, other, ada, " They asked \n by letter. ")
    assert set(Submission.objects.filter(participation=entry)) == {mine, theirs}
    assert set(Submission.objects.by_person(cy)) == {mine, theirs}
    assert participation_of(cy, entry.task) == entry
    assert entry.participants.count() == 2
    other.refresh_from_db()
    assert (other.status, other.merged_into) == (Participation.Status.MERGED, entry)
    assert (other.reason, other.status_by) == ("They asked by letter.", ada)
    assert violations() == []


def test_a_member_of_the_team_that_left_opens_what_it_sent(
    phase: Phase, entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    sent = scored(phase, other, both())
    cy = other.participants.get().user
    merge(entry, other, ada, "why")
    assert as_user(cy).get(sent.get_absolute_url()).status_code == 200
    assert b"Bens" in as_user(cy).get(TEAM).content


def test_a_member_of_the_team_that_left_is_led_to_the_page_of_that_team(
    entry: Participation, other: Participation, ada: User, ben: User, as_user: Login
) -> None:
    cy = other.participants.get().user
    merge(entry, other, ada, "why")
    for person_of, team in ((ben, entry.team_id), (cy, other.team_id)):
        client = as_user(person_of)
        assert f'href="/teams/{team}/"' in client.get(TEAM).text
        assert client.get(f"/teams/{team}/").status_code == 200


def test_of_two_ends_the_later_one_holds(
    phase: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    now = timezone.now()
    for team, hours in ((entry, 2), (other, 3)):
        until = now + timedelta(hours=hours)
        Extension.objects.create(phase=phase, participation=team, until=until)
    merge(entry, other, ada, "why")
    left = Extension.objects.get()
    assert (left.participation, left.until) == (entry, now + timedelta(hours=3))


def test_what_both_used_adds_up(
    limited: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    for team in (entry, other):
        scored(limited, team, both())
    cy = other.participants.get().user
    merge(entry, other, ada, "why")
    counters = QuotaCounter.objects.filter(participation=entry)
    assert {c.kind: c.used for c in counters} == {
        QuotaKind.SCORED: 2,
        QuotaKind.TOTAL: 2,
    }
    assert not QuotaCounter.objects.filter(participation=other).exists()
    for sender in (cy, entry.participants.exclude(user=cy).get().user):
        with pytest.raises(QuotaUsed):
            accept.submit(upload(limited, entry, both(), sender=sender))
    assert violations() == []


def test_an_attempt_is_given_back_to_the_merged_team(
    limited: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    sent = scored(limited, other, both())
    merge(entry, other, ada, "why")
    assert quota.refund(sent.pk) == 4, "of the team and the person, of day and total"
    assert set(
        QuotaCounter.objects.filter(participation=entry).values_list("used", flat=True)
    ) == {0}
    assert violations() == []


def test_more_of_today_than_one_team_could_have_is_refused_with_numbers(
    limited: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    for team in (entry, entry, other):
        scored(limited, team, both())
    with pytest.raises(Refusal, match="today: both used 3, one team had 2"):
        merge(entry, other, ada, "why")
    other.refresh_from_db()
    assert other.status == Participation.Status.ACTIVE
    assert other.participants.count() == 1


@pytest.mark.parametrize(
    ("used", "fits"), [((3, 2), True), ((4, 1), True), ((3, 3), False)]
)
def test_the_limit_of_the_whole_phase_holds_for_both_together(
    limited: Phase,
    entry: Participation,
    other: Participation,
    used: tuple[int, int],
    fits: bool,
) -> None:
    for team, n in zip((entry, other), used, strict=True):
        count(limited, team, n)
    found = team_merger.allowances(entry, other, timezone.now())
    assert [one.fits for one in found if one.allowed == 5] == [fits]


def count(phase: Phase, team: Participation, used: int) -> None:
    """Attempts over the whole phase, as if they had been sent."""
    QuotaCounter.objects.create(
        phase=phase, kind=QuotaKind.TOTAL, participation=team, day=NO_DAY, used=used
    )


def test_days_are_those_of_the_zone_of_the_phase() -> None:
    """Opens at 23:30 in Auckland on 1 March; ten hours later it is day two there."""
    opens = datetime(2026, 3, 1, 10, 30, tzinfo=UTC)
    phase = Phase(opens=opens, time_zone="Pacific/Auckland")
    assert team_merger.days_begun(phase, opens - timedelta(seconds=1)) == 0
    assert team_merger.days_begun(phase, opens) == 1
    assert team_merger.days_begun(phase, opens + timedelta(minutes=29)) == 1
    assert team_merger.days_begun(phase, opens + timedelta(minutes=30)) == 2
    phase.closes = opens + timedelta(days=3)
    assert team_merger.days_begun(phase, opens + timedelta(days=99)) == 4


used_per_day = st.lists(st.integers(0, 3), min_size=1, max_size=5)


@pytest.mark.thorough
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(used_per_day, used_per_day, st.integers(1, 3), st.none() | st.integers(1, 8))
def test_no_merger_ever_lifts_a_team_above_what_one_could_have(
    task: Task,
    mine: list[int],
    theirs: list[int],
    daily: int,
    total: int | None,
) -> None:
    """Law: merged or refused; merged means within days x limit, today and total."""
    now = timezone.now()
    phase = fresh_phase(task, now, max(len(mine), len(theirs)), daily, total)
    people = [person(f"{phase.pk}-{n}@example.org") for n in range(2)]
    entry, other = (entered(task, f"{p.name} {phase.pk}", p) for p in people)
    for team, days in ((entry, mine), (other, theirs)):
        used = [min(n, daily) for n in days]
        fill(phase, team, now, used)
    together = team_merger.allowances(entry, other, now)
    try:
        merge(entry, other, people[0], "why")
    except Refusal:
        assert not all(one.fits for one in together)
        assert Participation.objects.filter(pk=other.pk, merged_into=None).exists()
        return
    counters = QuotaCounter.objects.filter(
        phase=phase, participation__in=entry.with_merged()
    )
    per_day = [c for c in counters if c.kind == QuotaKind.SCORED]
    assert sum(c.used for c in per_day) <= daily * team_merger.days_begun(phase, now)
    assert all(c.used <= daily for c in per_day)
    assert sum(c.used for c in counters if c.kind == QuotaKind.TOTAL) <= (total or 99)


def fresh_phase(
    task: Task, now: datetime, days: int, daily: int, total: int | None
) -> Phase:
    """A phase that has had that many days, today included; the others are gone."""
    task.phases.all().delete()
    return Phase.objects.create(
        task=task,
        name="p",
        title="P",
        opens=now - timedelta(days=days - 1),
        daily_limit=daily,
        total_limit=total,
        gold_revision=task.gold_revisions.get(),
    )


def fill(phase: Phase, team: Participation, now: datetime, used: list[int]) -> None:
    """Counters of the last days, the last one today, and their sum."""
    for ago, n in enumerate(reversed(used)):
        day = phase.day_of(now - timedelta(days=ago))
        QuotaCounter.objects.create(
            phase=phase, kind=QuotaKind.SCORED, participation=team, day=day, used=n
        )
    if phase.total_limit is None or sum(used) <= phase.total_limit:
        QuotaCounter.objects.create(
            phase=phase,
            kind=QuotaKind.TOTAL,
            participation=team,
            day=NO_DAY,
            used=sum(used),
        )


def test_the_same_keys_of_both_teams_do_not_clash(
    phase: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    keys = {"run-1", *("x" * 63 + end for end in "ab")}
    for team in (entry, other):
        for key in keys:
            scored(phase, team, both({"north": one_wrong()}), key=key)
    merge(entry, other, ada, "why")
    rows = Submission.objects.filter(participation=entry)
    assert (rows.count(), rows.filter(key__in=keys).count()) == (6, 3)
    assert QuotaEntry.objects.filter(counter__participation=other).count() == 0


def test_one_picked_submission_is_left_and_a_chosen_team_stays_chosen(
    phase: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    mine, theirs = (scored(phase, team, both()) for team in (entry, other))
    Submission.objects.update(picked=True)
    phase.chosen.add(other)
    merge(entry, other, ada, "why")
    assert Submission.objects.filter(picked=True).get() == mine != theirs
    assert entry in phase.chosen.all()


def test_what_came_with_an_earlier_merger_counts_in_the_next(
    limited: Phase, entry: Participation, other: Participation, ada: User
) -> None:
    before = limited.day_of(timezone.now() - timedelta(days=2))
    QuotaCounter.objects.create(
        phase=limited, kind=QuotaKind.SCORED, participation=other, day=before, used=2
    )
    merge(entry, other, ada, "why")
    third = entered(entry.task, "Dees", person("dee@example.org"))
    found = team_merger.allowances(third, entry, timezone.now())
    assert [(one.used, one.allowed) for one in found] == [(2, 8), (0, 2), (2, 5)]


def test_teams_that_do_not_take_part_are_not_merged(
    entry: Participation, other: Participation, ada: User
) -> None:
    Participation.objects.filter(pk=other.pk).update(status="disqualified")
    with pytest.raises(Refusal, match="Cys does not take part"):
        merge(entry, other, ada, "why")


def test_teams_of_which_one_was_merged_meanwhile_are_not_merged_again(
    entry: Participation, other: Participation, ada: User
) -> None:
    merge(entry, other, ada, "why")
    with pytest.raises(Refusal, match="Cys does not take part"):
        merge(entry, other, ada, "why")
    with pytest.raises(Refusal, match="two different teams"):
        merge(entry, entry, ada, "why")


def test_leaders_of_a_team_merged_earlier_lead_what_its_team_became(
    entry: Participation,
    other: Participation,
    task: Task,
    ada: User,
    ben: User,
    as_user: Login,
) -> None:
    last = entered(task, "Dees", dee := person("dee@example.org"))
    for stays, leaves in ((other, entry), (last, other)):
        merge(stays, leaves, ada, "one laboratory")
    assert leads(ben, last)
    assert leads(dee, last)
    assert own_team(ben, last) == entry.team
    assert f"/teams/{entry.team.pk}/" in as_user(ben).get(TEAM).text
