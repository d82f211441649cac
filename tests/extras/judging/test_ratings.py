"""Ratings from votes on pairs, and how far judges agree."""

import json
import math
from collections.abc import Sequence

import numpy as np
import pytest

from leaderboard.extras.judging.votes import (
    ELO,
    Ratings,
    Votes,
    largest_group,
    systems_without_rating,
)
from scoring.counts import Floats, Integers
from scoring.statistics.agreement import alpha, interval
from scoring.statistics.intervals import t_quantile
from tests.scoring.make_vote_cases import (
    CASES,
    LEVELS,
    STORED,
    judged,
    wins,
)

Row = tuple[int, int, float, int, int]
EXPECTED = json.loads(STORED.read_text())


def votes(rows: Sequence[Row]) -> Votes:
    first, second, result, unit, judge = (np.array(x) for x in zip(*rows, strict=True))
    return Votes(first, second, result.astype(np.float64), unit, judge)


def counted(better: int, worse: int, ties: int) -> list[Row]:
    """Votes on two systems, each on a unit and by a judge of its own."""
    results = [1.0] * better + [0.0] * worse + [0.5] * ties
    return [(0, 1, result, i, i) for i, result in enumerate(results)]


def of_table(table: np.ndarray) -> Votes:
    """Votes without ties, each on a unit and by a judge of its own."""
    pairs = [(i, j) for i, j in np.argwhere(table) for _ in range(table[i, j])]
    return votes([(i, j, 1.0, k, k) for k, (i, j) in enumerate(pairs)])


def test_two_systems_are_apart_by_the_logarithm_of_their_odds() -> None:
    # By hand: the odds of better to worse are 10 to 1, so 400 points lie between; the
    # shares of the model are the shares seen, so that e^tie = 7 / sqrt(30 * 3).
    found = Ratings.of(votes(counted(30, 3, 7)), 2)
    assert found.values == pytest.approx([200, -200])
    assert found.tie == pytest.approx(math.log(7 / math.sqrt(90)))
    assert found.wins() == pytest.approx([33.5 / 40, 6.5 / 40])


def test_each_system_is_expected_to_win_and_tie_as_often_as_it_did() -> None:
    # The equations of the likelihood (Davidson 1970) with four systems and ties.
    raw = np.random.PCG64(7)
    drawn = (raw.random_raw(600) % 1000).reshape(3, 200).astype(np.int64)
    first, result = drawn[0] % 4, (drawn[2] % 3) / 2
    second = (first + 1 + drawn[1] % 3) % 4
    places = np.arange(200)
    found = Ratings.of(Votes(first, second, result, places, places), 4)
    chances = found.chances()
    for system in range(4):
        mine, others = first == system, second == system
        got = result[mine].sum() + (1 - result[others]).sum()
        expected = sum(chances[system, other] for other in second[mine])
        expected += sum(chances[system, other] for other in first[others])
        assert got == pytest.approx(expected)


def test_strengths_are_those_of_the_published_example() -> None:
    # Wikipedia, Bradley-Terry model, worked example, and in the tests of arena-rank:
    # how often each of four won, and strengths with a geometric mean of 1.
    table = np.array([[0, 2, 0, 1], [3, 0, 5, 0], [0, 3, 0, 1], [4, 0, 3, 0]])
    found = np.exp(Ratings.of(of_table(table), 4).values / ELO)
    assert found.tolist() == pytest.approx([0.640, 1.043, 0.660, 2.270], abs=5e-4)


def test_ratings_and_their_variances_are_those_of_other_programs() -> None:
    for seed in range(CASES):
        expected = EXPECTED["ratings"][seed]
        found = Ratings.of(of_table(wins(seed)), len(wins(seed)))
        assert found.values / ELO == pytest.approx(expected["choix"], abs=1e-5), seed
        # The mean there is 1000; "within 0.1 Elo".
        assert found.values + 1000 == pytest.approx(expected["arena"], abs=0.1), seed
        rows = found.rows()
        units = len(rows.unit_of)
        off = (rows.values[0] - found.values) / units
        variances = pytest.approx(expected["variances"], rel=2e-3)
        assert (off**2).sum(axis=0) == variances, seed


def test_rows_have_the_ratings_and_wins_as_means_over_judges_and_units() -> None:
    rows: list[Row] = [
        (0, 1, 1, 0, 0),
        (0, 1, 0.5, 0, 1),
        (1, 2, 1, 0, 0),
        (2, 0, 1, 1, 0),
        (0, 2, 1, 1, 2),
        (1, 0, 1, 2, 1),
        (2, 1, 1, 2, 1),
        (2, 1, 0.5, 3, 2),
    ]
    found = Ratings.of(votes(rows), 3)
    table = found.rows()
    for layer, expected in enumerate((found.values, found.wins())):
        means = [
            table.values[layer][table.unit_of == unit].mean(axis=0) for unit in range(4)
        ]
        assert np.mean(means, axis=0) == pytest.approx(expected)


def test_the_influence_of_a_vote_is_how_far_its_weight_moves_ratings() -> None:
    # One more vote of the kind among a thousand of each moves a rating as its row says.
    counts = {
        (0, 1, 1.0): 900,
        (0, 1, 0.5): 300,
        (1, 2, 0.0): 700,
        (1, 2, 1.0): 800,
        (0, 2, 0.0): 500,
        (1, 0, 1.0): 400,
        (2, 0, 0.5): 250,
    }
    kinds = list(counts)

    def rated(more: int | None) -> tuple[Ratings, Votes]:
        rows: list[Row] = []
        for i, kind in enumerate(kinds):
            rows += [(*kind, i, 0)] * (counts[kind] + (i == more))
        found = votes(rows)
        return Ratings.of(found, 3), found

    whole, _ = rated(None)
    table = whole.rows()
    for i, kind in enumerate(kinds):
        moved, _ = rated(i)
        each = (table.values[:, i] - [whole.values, whole.wins()]) / len(kinds)
        each /= counts[kind]
        assert moved.values - whole.values == pytest.approx(each[0], rel=0.02, abs=1e-6)
        assert moved.wins() - whole.wins() == pytest.approx(each[1], rel=0.02, abs=1e-9)


def test_only_systems_that_are_connected_are_rated() -> None:
    # 0 and 1 beat each other; 2 lost all, 3 won all, 4 has no vote; 5 and 6 are apart.
    rows: list[Row] = [
        (0, 1, 1, 0, 0),
        (1, 0, 1, 1, 0),
        (0, 1, 1, 2, 0),
        (0, 2, 1, 0, 0),
        (3, 1, 1, 1, 0),
        (5, 6, 0.5, 0, 0),
    ]
    given = votes(rows)
    assert largest_group(given, 7).tolist() == [True] * 2 + [False] * 5
    found = Ratings.of(given, 7)
    # By hand: 2 wins to 1.
    assert found.values[:2] == pytest.approx(
        [200 * math.log10(2), -200 * math.log10(2)]
    )
    assert np.isnan(found.values[2:]).all()
    assert systems_without_rating(given, 7, "abcdefg") == [
        ("c", "only_lost"),
        ("d", "only_won"),
        ("e", "no_votes"),
        ("f", "apart"),
        ("g", "apart"),
    ]


def test_without_votes_nobody_is_rated() -> None:
    none = np.zeros(0, dtype=np.int64)
    found = Ratings.of(Votes(none, none, np.zeros(0), none, none), 3)
    assert np.isnan(found.values).all() and not len(found.rows().unit_of)
    assert np.isnan(found.wins()).all()


def test_a_tie_alone_connects_two_equals() -> None:
    found = Ratings.of(votes([(0, 1, 1, 0, 0), (1, 0, 1, 1, 1), (1, 2, 0.5, 0, 0)]), 3)
    assert found.values == pytest.approx([0, 0, 0])


@pytest.mark.parametrize(
    ("rows", "rated"),
    [
        ([(0, 1, 0.5, 0, 0)], 0),
        # The second was better or equal: the gap could be without end.
        ([(1, 0, 1, 0, 0), (1, 0, 1, 1, 0), (0, 1, 0.5, 0, 0)], 0),
        ([(0, 1, 1, 0, 0), (0, 2, 0.5, 0, 0), (2, 1, 0.5, 0, 0)], 0),
        # Two wins in a row against one tie.
        ([(0, 1, 1, 0, 0), (1, 2, 1, 0, 0), (0, 2, 0.5, 0, 0)], 3),
    ],
)
def test_ties_alone_rate_nobody_and_say_so(rows: list[Row], rated: int) -> None:
    given = votes(rows)
    found = Ratings.of(given, 3)
    assert int(found.has_rating.sum()) == rated
    assert found.rows().values.shape[2] == rated
    assert np.abs(found.values[found.has_rating]).max(initial=0) < 1000
    why = [why for _name, why in systems_without_rating(given, 3, "abc")]
    assert len(why) == 3 - rated and "apart" not in why


@pytest.mark.parametrize("place", range(len(LEVELS)))
def test_alpha_is_that_of_another_program_on_random_tables(place: int) -> None:
    for seed, expected in enumerate(EXPECTED["alphas"]):
        table: Floats = judged(seed)
        unit_of = np.tile(np.arange(table.shape[1]), len(table))
        found = alpha(unit_of, table.ravel(), LEVELS[place])  # type: ignore[arg-type]
        assert found == pytest.approx(expected[place], abs=1e-9), seed


def test_nineteen_intervals_of_twenty_hold_the_alpha_of_all_units() -> None:
    def drawn(units: int) -> tuple[Integers, Floats]:
        quality = random.normal(0, 1, (units, 1))
        return (
            np.repeat(np.arange(units), 3),
            (quality + random.normal(0, 1, (units, 3))).ravel(),
        )

    random = np.random.default_rng(3)
    # Half of the variance is that of units, which is what alpha is then.
    held = 0
    for _trial in range(200):
        ends = interval(*drawn(60))
        assert ends is not None
        held += ends[0] <= 0.5 <= ends[1]
    assert 180 <= held <= 198
    assert interval(*drawn(9)) is None


@pytest.mark.parametrize("shares", [(0.95, 0.05), (0.95, 0.04, 0.01)])
def test_the_interval_of_alpha_holds_where_an_answer_is_rare(
    shares: tuple[float, ...],
) -> None:
    """Three judges say what is right in four of five cases, else anything: two answers
    to one unit are both right in .64 of cases, and chance makes the others."""
    random = np.random.default_rng(4)
    held, tries, judges = 0, 150, (40, 3)
    for _trial in range(tries):
        right, other = (
            random.choice(len(shares), size, p=shares) for size in ((40, 1), judges)
        )
        said = np.where(random.random(judges) < 0.8, right, other).astype(np.float64)
        ends = interval(np.repeat(np.arange(40), 3), said.ravel(), "nominal")
        held += ends is None or ends[0] <= 0.64 <= ends[1]
    assert held >= 0.93 * tries


def test_the_two_units_more_of_a_rare_answer_by_hand() -> None:
    """Without them no unit has judges that differ, and of all units but the rare one
    nothing is known."""
    unit_of, said = np.repeat(np.arange(12), 3), np.repeat([1.0] + [0.0] * 11, 3)
    more_units = np.concatenate([unit_of, np.repeat([12, 13], 3)])
    more = np.concatenate([said, [1, 1, 1, 1, 0, 0]])
    whole = alpha(more_units, more, "nominal")
    assert whole is not None
    left = [
        alpha(more_units[more_units != unit], more[more_units != unit], "nominal")
        for unit in range(14)
    ]
    spread = np.var(np.array(left, dtype=float)) * 13
    assert t_quantile(0.975, 13) == pytest.approx(2.160, abs=1e-3)
    ends = interval(unit_of, said, "nominal")
    assert ends == (pytest.approx(whole - 2.160369 * spread**0.5, abs=1e-6), 1.0)


def test_the_interval_of_alpha_draws_from_raw_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Methods of numpy's generators may change from release to release."""
    unit_of, said = np.repeat(np.arange(60), 2), np.resize([0.0, 1.0, 1.0], 120)
    before = interval(unit_of, said)
    monkeypatch.delattr(np.random, "default_rng")
    monkeypatch.delattr(np.random, "Generator")
    assert interval(unit_of, said) == before is not None


def test_alpha_is_that_of_the_published_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C:
    # four observers, twelve units: nominal 0.743, ordinal 0.815, interval 0.849.
    observed = "123321412...", "1233224125.3", ".3332342251.", "12332441251."
    cells = [
        (unit, float(mark))
        for row in observed
        for unit, mark in enumerate(row)
        if mark != "."
    ]
    units, values = (np.array(x) for x in zip(*cells, strict=True))
    for level, expected in zip(LEVELS, (0.743, 0.815, 0.849), strict=True):
        found = alpha(units, values, level)  # type: ignore[arg-type]
        assert found is not None and round(found, 3) == expected
