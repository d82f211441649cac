"""What changes at a moment changes on time: one microsecond before, and then."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from leaderboard.submissions.quota import QuotaUsage
from leaderboard.tasks import policy
from leaderboard.tasks.bundle.create import create_task
from leaderboard.tasks.models import Organizer, Participation, Phase
from leaderboard.tasks.policy import Power
from leaderboard.teams.models import User
from tests.leaderboard.small import bundle
from tests.organize.disclosing import under

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]
TICK = timedelta(microseconds=1)
SOON = timezone.now() + timedelta(hours=1)
LATER = SOON + timedelta(hours=1)


def before_and_then(
    question: Callable[[datetime], object], moment: datetime
) -> tuple[object, object]:
    return question(moment - TICK), question(moment)


def shown(phase: Phase) -> Callable[[datetime], policy.Disclosure]:
    return lambda moment: policy.disclosure(AnonymousUser(), phase, moment)


def another(phase: Phase, **fields: object) -> Phase:
    """A second phase of the task with the same test sets, revealed LATER."""
    times = {"opens": SOON, "closes": LATER, "gold_revision": phase.gold_revision}
    made = phase.task.phases.create(name="next", title="Next", **times, **fields)
    made.test_sets.set(phase.test_sets.all())
    return made


def test_a_phase_opens_and_closes(phase: Phase) -> None:
    under(phase, opens=SOON, closes=LATER)
    assert before_and_then(phase.state, SOON) == ("upcoming", "open")
    assert before_and_then(phase.state, LATER) == ("open", "over")


def test_files_of_the_scorer_are_public_once_the_first_phase_opens(
    phase: Phase,
) -> None:
    nobody = AnonymousUser()
    another(phase)  # opens later
    assert policy.sees_option_files(nobody, phase.task)
    under(phase, opens=SOON, closes=LATER)
    assert not policy.sees_option_files(nobody, phase.task)


def test_an_extended_team_is_in_time_until_its_own_end(
    phase: Phase, entry: Participation, ben: User
) -> None:
    under(phase, closes=SOON, extended_until=LATER)
    phase.extensions.create(participation=entry, until=LATER)
    assert before_and_then(phase.state, SOON) == ("open", "over")
    own = before_and_then(lambda m: phase.state(m, entry), LATER)
    assert own == ("open", "over")
    kinds = before_and_then(lambda m: QuotaUsage(phase, entry, ben, m).kind, LATER)
    assert kinds == ("scored", "late")


def test_nothing_is_revealed_before_the_last_extension_has_passed(phase: Phase) -> None:
    under(phase, policy="blind", closes=SOON, reveal_at=None, extended_until=LATER)
    assert before_and_then(lambda m: shown(phase)(m).board, LATER) == (False, True)


def test_scores_are_shown_from_the_reveal_on(phase: Phase) -> None:
    under(phase, policy="blind", closes=SOON, reveal_at=LATER)
    assert before_and_then(lambda m: shown(phase)(m).board, LATER) == (False, True)


def test_the_end_reveals_where_no_other_moment_is_set(phase: Phase) -> None:
    under(phase, policy="blind", closes=SOON, reveal_at=None)
    assert before_and_then(lambda m: shown(phase)(m).board, SOON) == (False, True)


def test_the_board_stands_still_from_the_freeze_on(phase: Phase) -> None:
    under(phase, freeze_from=SOON, closes=LATER, reveal_at=LATER)
    assert before_and_then(lambda m: shown(phase)(m).as_of, SOON) == (None, SOON)
    assert before_and_then(lambda m: shown(phase)(m).as_of, LATER) == (SOON, None)


def test_a_private_part_is_shown_from_the_reveal_on(phase: Phase) -> None:
    under(phase, private_share=0.5, closes=SOON, reveal_at=LATER)
    parts = before_and_then(lambda m: shown(phase)(m).parts, LATER)
    assert parts == (("public",), ("private", "public", "all"))
    assert before_and_then(lambda m: shown(phase)(m).units, LATER) == (False, True)


def test_a_private_part_closes_the_units_of_its_neighbours_until_then(
    phase: Phase,
) -> None:
    another(phase, private_share=0.5)
    under(phase, closes=SOON)
    assert before_and_then(lambda m: shown(phase)(m).units, LATER) == (False, True)


def test_teams_are_named_when_the_last_phase_reveals(phase: Phase) -> None:
    another(phase)
    under(phase, closes=SOON).task.allows_anonymous = True
    assert before_and_then(lambda m: shown(phase)(m).names, LATER) == (False, True)


def test_gold_is_out_when_its_last_phase_reveals(phase: Phase) -> None:
    north = phase.test_sets.get(name="north")
    another(phase)
    under(phase, closes=SOON)

    def sight(moment: datetime) -> policy.Sight:
        return policy.sees_errors(AnonymousUser(), phase, north, moment)

    gold, counts = policy.Sight.GOLD, policy.Sight.COUNTS
    assert before_and_then(sight, SOON) == (counts, counts)
    assert before_and_then(sight, LATER) == (counts, gold)


def test_a_score_is_shown_that_was_the_best_when_it_came(phase: Phase) -> None:
    under(phase, policy="best", closes=SOON)
    everything = before_and_then(lambda m: shown(phase)(m).everything, SOON)
    assert everything == (False, True)


def test_a_role_counts_in_its_own_task(phase: Phase, ada: User, cy: User) -> None:
    other = create_task(bundle(slug="newts", title="Newt Parsing"), cy)
    for power in Power:
        assert policy.can(ada, phase.task, power) and policy.can(cy, other, power)
        assert not policy.can(ada, other, power)
        assert not policy.can(cy, phase.task, power)


@pytest.mark.parametrize(
    ("role", "speaks"),
    [
        (Organizer.Role.REVIEWER, False),
        (Organizer.Role.EDITOR, True),
        (Organizer.Role.OWNER, True),
    ],
)
def test_those_who_may_edit_the_task_describe_its_baselines(
    entry: Participation, cy: User, role: str, speaks: bool
) -> None:
    Organizer.objects.create(task=entry.task, user=cy, role=role)
    assert policy.speaks_for(cy, entry, baseline=True) == speaks
    assert not policy.speaks_for(cy, entry)
