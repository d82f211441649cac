"""Submissions that differ in next to nothing are listed, as hints, and fast enough."""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from itertools import combinations
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from leaderboard.extras.similarity import similarity
from leaderboard.extras.similarity.similarity import same_files
from leaderboard.submissions.models import (
    Evaluation,
    EvaluationState,
    StoredCounts,
    Submission,
)
from leaderboard.tasks.models import Participation, Phase
from leaderboard.tasks.participation import join
from leaderboard.teams.models import Membership, Team, User
from scoring import VERSION, Counts
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.phase_fields import text

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
Login = Callable[[User], Client]
URL = "/tasks/otters/organize/probes/"
UNITS = 400


def counts(table: Any, columns: Sequence[str] = ("right", "all")) -> bytes:
    units = tuple(f"u{i:04}" for i in range(len(table)))
    return Counts(units, tuple(columns), np.asarray(table, float)).save()


def answers(seed: int, units: int = UNITS) -> Any:
    """Per unit how many of five are right."""
    right = np.random.default_rng(seed).integers(6, size=units)
    return np.stack([right, np.full(units, 5)], axis=1)


def changed(table: Any, *units: int) -> Any:
    other = table.copy()
    other[list(units), 0] = (other[list(units), 0] + 1) % 6
    return other


def put(
    phase: Phase, entries: Sequence[Participation], tables: Sequence[Any], minutes: int
) -> list[Submission]:
    """A scored submission per table, of the entries in turn, `minutes` apart."""
    start, test_set = timezone.now() - timedelta(days=1), phase.test_sets.first()
    senders = {entry.pk: entry.team.members.first() for entry in entries}
    sent = [
        Submission(
            phase=phase,
            participation=(entry := entries[i % len(entries)]),
            sender=senders[entry.pk],
            key=uuid4().hex,
            system=f"system {i}",
            received_at=start + timedelta(minutes=minutes * i),
        )
        for i in range(len(tables))
    ]
    Submission.objects.bulk_create(sent)
    Evaluation.objects.bulk_create(
        Evaluation(
            submission=one,
            gold_revision=phase.gold_revision,
            engine=VERSION,
            state=EvaluationState.SCORED,
            results={},
        )
        for one in sent
    )
    evaluations = dict(Evaluation.objects.values_list("submission", "pk"))
    StoredCounts.objects.bulk_create(
        StoredCounts(
            evaluation_id=evaluations[one.pk], test_set=test_set, data=counts(table)
        )
        for one, table in zip(sent, tables, strict=True)
    )
    return sent


@pytest.fixture
def other(phase: Phase, cy: User) -> Participation:
    return join(phase.task, Team.found("Others", cy))


def test_equal_rows_have_equal_numbers_whatever_the_order_of_columns() -> None:
    table = answers(1)
    straight = similarity.codes_of(counts(table))
    turned = similarity.codes_of(counts(table[:, ::-1], ("all", "right")))
    padded = np.column_stack([table, np.zeros(UNITS)])
    with_tag = similarity.codes_of(counts(padded, ("right", "all", "right[X]")))
    assert (straight == turned).all()
    assert (straight == with_tag).all(), "what nobody used is no difference"
    rows = {tuple(row) for row in table.tolist()}
    assert len(set(straight.tolist())) == len(rows)
    assert (straight != similarity.codes_of(counts(changed(table, 7)))).sum() == 1


def test_two_teams_that_differ_in_less_than_a_hundredth_are_listed(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    mine, alien = answers(1), answers(2)
    sent = put(phase, [entry, other], [mine, changed(mine, 3, 8, 9), alien, alien], 90)
    found = similarity.likeness(phase)
    assert [(row.first, row.second, row.units) for row in found.across] == [
        (sent[2], sent[3], 0)
    ]
    assert (found.across[0].of, found.across[0].more) == (UNITS, 1)
    assert not found.within
    assert not found.skipped


def test_four_of_four_hundred_are_a_hundredth_and_not_listed(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    mine = answers(1)
    put(phase, [entry, other], [mine, changed(mine, 1, 2, 3, 4)], 90)
    assert not similarity.likeness(phase).across


def test_no_pair_is_missed_that_comparing_all_of_them_finds(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    random = np.random.default_rng(5)
    tables = [answers(seed) for seed in range(4)]
    for _ in range(36):
        base = tables[random.integers(len(tables))]
        size = int(random.integers(0, 7))
        tables.append(changed(base, *random.choice(UNITS, size, replace=False)))
    put(phase, [entry, other], tables, 90)
    expected = sum(
        int((a != b).any(axis=1).sum()) < UNITS / 100
        for a, b in combinations(tables, 2)
    )
    found = similarity.likeness(phase)
    listed = [*found.across, *found.within]
    assert sum(1 + row.more for row in listed) == expected > 20
    assert not found.skipped


def test_a_burst_is_a_run_of_small_changes_in_a_short_time(
    phase: Phase, entry: Participation
) -> None:
    first = answers(1)
    tables = [first]
    for unit in range(4):
        tables.append(changed(tables[-1], unit))
    sent = put(phase, [entry], [*tables, answers(9)], 5)
    (burst,) = similarity.likeness(phase).bursts
    assert list(burst.submissions) == sent[:5]
    assert (burst.least, burst.most, burst.minutes) == (1, 1, 20)


def test_two_small_changes_are_no_burst(phase: Phase, entry: Participation) -> None:
    put(phase, [entry], [answers(1), changed(answers(1), 1), answers(2)], 5)
    assert not similarity.likeness(phase).bursts


def test_the_same_changes_on_different_days_are_no_burst(
    phase: Phase, entry: Participation
) -> None:
    put(phase, [entry], [changed(answers(1), unit) for unit in range(5)], 61)
    assert not similarity.likeness(phase).bursts


def test_the_same_file_from_two_teams_is_listed_with_what_accounts_share(
    phase: Phase, entry: Participation, other: Participation
) -> None:
    scored(phase, entry, both({"south": one_wrong("south")}))
    scored(phase, other, both())
    (row,) = same_files(phase)
    assert row.test_set == "North"
    assert {str(one.participation.team) for one in row.submissions} == {
        "Bens",
        "Others",
    }
    assert row.shared == [
        "People of these teams have addresses at example.org, as 2 of 2 people of "
        "this task have."
    ]


def test_addresses_that_differ_in_a_tag_are_named_by_their_domain_alone(
    phase: Phase, entry: Participation
) -> None:
    twin = User.objects.create_user("b.en+2@example.org", "x")
    for team in (entry, join(phase.task, Team.found("Twins", twin))):
        scored(phase, team, both())
    sentence = same_files(phase)[0].shared[0]
    assert "dots or a +tag, at example.org" in sentence
    assert "b.en" not in sentence


def test_what_one_team_sends_twice_is_no_matter_of_two(
    phase: Phase, entry: Participation
) -> None:
    for _ in range(2):
        scored(phase, entry, both())
    assert same_files(phase) == []


def test_the_page_says_what_was_seen_and_links_it(
    phase: Phase, entry: Participation, other: Participation, ada: User, as_user: Login
) -> None:
    mine = answers(1)
    sent = put(phase, [entry, other], [mine, changed(mine, 3, 8)], 90)
    page = text(as_user(ada).get(URL))
    assert "a hint, not a verdict" in page
    assert "They differ in 2 of 400 units." in page
    assert all(one.get_absolute_url() in page for one in sent)
    assert "Nothing unusual was found." not in page
    assert as_user(ada).get(URL + "?phase=none").status_code == 404


def test_an_empty_phase_has_nothing_that_stands_out(
    phase: Phase, ada: User, as_user: Login
) -> None:
    assert "Nothing unusual was found." in text(as_user(ada).get(URL))


@pytest.mark.slow
@pytest.mark.parametrize("alike", [False, True])
def test_a_thousand_submissions_of_two_thousand_units_take_under_two_seconds(
    phase: Phase, ada: User, as_user: Login, alike: bool
) -> None:
    entries = []
    for i in range(20):
        user = User.objects.create_user(f"p{i}@example.org", "x")
        team = Team.objects.create(name=f"T{i}", key=f"t{i}")
        Membership.objects.create(team=team, user=user)
        entries.append(join(phase.task, team))
    base = answers(0, 2000)
    tables = [
        changed(base, i % 2000) if alike else answers(i + 1, 2000) for i in range(1000)
    ]
    client = as_user(ada)
    client.get(URL)
    with CaptureQueriesContext(connection) as few:
        client.get(URL)
    put(phase, entries, tables, 1)
    start = time.thread_time()
    with CaptureQueriesContext(connection) as many:
        page = client.get(URL)
    took = time.thread_time() - start
    assert page.status_code == 200
    assert ("not every pair was compared" in text(page)) == alike
    # A query that finds nothing is not asked for its counts.
    assert len(many) <= len(few) + 1
    # Of the processor: the suite shares its cores.
    assert took < 2
