"""What a publication costs honest teams, in points, and that canaries would be seen."""

import pytest
from django.test import Client

from leaderboard.results.scores import resolution
from leaderboard.tasks.models import Participation, Phase
from tests.leaderboard.small import both, one_wrong, scored
from tests.organize.disclosing import (
    BOARD,
    own_pages,
    public_pages,
    text_of,
    three_sent,
    under,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_stage]


def test_exact_scores_cost_nothing(phase: Phase) -> None:
    assert resolution(phase).points == 0


def test_the_grid_that_nobody_chose_follows_from_the_units(phase: Phase) -> None:
    """Two test sets of two units: sqrt(2 * 0.25 / 2) / 2 is 0.25, half of it 12.5."""
    under(phase, publication="grid")
    assert resolution(phase).points == pytest.approx(15)
    # One unit each: sqrt(2 * 0.25) / 2 is 0.354, half of it 17.7, up to 20.
    under(phase, private_share=0.5)
    assert resolution(phase).points == pytest.approx(20)
    under(phase, step=2.5)
    assert resolution(phase).points == pytest.approx(2.5)


def test_before_anything_is_scored_the_ladder_costs_what_it_can_at_most(
    phase: Phase,
) -> None:
    under(phase, publication="ladder", step=2)
    found = resolution(phase)
    assert (found.points, found.measured) == (pytest.approx(50), False)


def test_then_it_costs_the_standard_error_of_what_was_scored_or_of_a_share(
    phase: Phase, entry: Participation
) -> None:
    """That of a share is 25 points, see above, and more than that of this score."""
    sent = scored(phase, entry, both({"north": one_wrong()}))
    under(phase, publication="ladder")
    error = sent.evaluations.get().results["overall"]["las"]["stddev"]
    found = resolution(phase)
    assert found.measured and 0 < error < 0.25
    assert found.points == pytest.approx(25)
    assert resolution(phase, "exact").points == 0


def test_an_open_phase_shows_what_the_secrecy_tests_look_for(
    phase: Phase, entry: Participation
) -> None:
    """Else they would find nothing because there is nothing to find."""
    sent = three_sent(phase, entry)
    pages = [text_of(Client(), address) for address in public_pages(sent)]
    client = Client()
    client.force_login(entry.team.members.get())
    own = [text_of(client, address) for address in own_pages(sent)]
    for number in ("93.75", "0.9375", "0.875", "100.0", '"value"'):
        assert any(number in page for page in [*pages, *own]), number
    assert "alder" in text_of(Client(), f"{BOARD}?entries=all")
