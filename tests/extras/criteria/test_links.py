"""Linked scores: a case worked by hand, and how often intervals hold in simulation."""

import numpy as np
import pytest

from leaderboard.extras.criteria.links import ScoreLink, links_to, step_between

# On the first board everybody scores .10 more, give or take: .10, .08, .12.
MAY = {"a": 0.60, "b": 0.52, "c": 0.38, "s": 0.55}
JUNE = {"a": 0.70, "b": 0.60, "c": 0.50, "t": 0.44}


def test_a_link_is_as_worked_out_by_hand() -> None:
    """The mean difference is .10 and its standard deviation .02; for a further system
    that is .02 times the root of 1 + 1/3, and Student's t with 2 degrees of freedom is
    4.3027 at 97.5 %."""
    may, june = links_to([MAY, JUNE], 1)
    assert june == ScoreLink((), ()) and june.half_width(0.95) == 0
    assert may is not None and may.over == (1,)
    assert may.shift == pytest.approx(0.10)
    assert may.half_width(0.95) == pytest.approx(4.30265 * 0.02 * (4 / 3) ** 0.5, 1e-5)


def test_too_few_systems_in_common_link_nothing() -> None:
    assert step_between(MAY, {"a": 0.7, "b": 0.6, "z": 0.1}) is None
    assert links_to([MAY, {"x": 0.5}], 1)[0] is None


def test_boards_without_common_systems_are_linked_over_a_third() -> None:
    july = {"t": 0.50, "u": 0.40, "v": 0.30}
    june = {**JUNE, "u": 0.36, "v": 0.23}
    may, _june, end = links_to([MAY, june, july], 2)
    assert end == ScoreLink((), ())
    assert may is not None and may.over == (1, 2)
    # .10, and the mean of .06, .04 and .07.
    assert may.shift == pytest.approx(0.10 + 0.17 / 3)
    first, second = (step.variance for step in may.steps)
    assert second == pytest.approx(np.var([0.06, 0.04, 0.07], ddof=1) * 4 / 3)
    # Satterthwaite: 2 degrees each, so between 2 and 4, rounded down.
    degrees = (first + second) ** 2 / (first**2 / 2 + second**2 / 2)
    assert 3 < degrees < 4
    assert may.half_width(0.95) == pytest.approx(
        3.18245 * (first + second) ** 0.5, 1e-5
    )


@pytest.mark.parametrize(("common", "boards"), [(3, 2), (8, 2), (4, 3), (10, 3)])
def test_intervals_of_linked_scores_hold_what_they_say(
    common: int, boards: int
) -> None:
    """Systems have a strength, boards are harder or easier, and every system is at home
    on some. Of each last board the score of a system that was not on it is foretold."""
    rng = np.random.default_rng(common + boards)
    rounds, held = 2500, 0
    for _round in range(rounds):
        size = common * (boards - 1) + 1
        strength = rng.normal(0.5, 0.1, size)
        hard = rng.normal(0, 0.1, (boards, 1))
        scores = strength + hard + rng.normal(0, 0.02, (boards, size))
        # The system 0 is on the first board alone; others link each board to the next.
        seen = [
            {
                system: scores[board, system]
                for system in range(size)
                if (system == 0 and board == 0)
                or (system and board - 1 <= (system - 1) // common <= board)
            }
            for board in range(boards)
        ]
        link = links_to(seen, boards - 1)[0]
        assert link is not None
        told = scores[0, 0] + link.shift
        held += abs(told - scores[-1, 0]) <= link.half_width(0.95)
    share = held / rounds
    error = (0.95 * 0.05 / rounds) ** 0.5
    # Of several steps the interval may be too wide, never too narrow.
    assert share >= 0.95 - 3 * error
    assert share <= (0.95 + 3 * error if boards == 2 else 0.999)
