"""Runs and judges as samples: what they add to intervals, tests and differences."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from scoring import Counts, Plan
from scoring.counts import Floats, JudgeCells
from scoring.elsewhere import Judgements, Units
from scoring.measures import Measure, ratio
from scoring.scorers.table import count, declare
from scoring.statistics.bootstrap import estimates
from scoring.statistics.comparison import compare
from scoring.statistics.exchange import all_pairs
from scoring.statistics.judges import Judges
from scoring.statistics.variance_components import Sources, sources_of, student_tails
from tests.loops import loop_over

MEAN = Measure("mean", "Mean", ("value", "items"), ratio, "", percent=False)
(JUDGED, ROOT) = declare(
    {"measure": ["score = mean(score)", "root = root_mean(score)"]}
)
PLAN = Plan(resamples=200, seed=5)
STEP = 2.0**20


def values(numbers: Floats) -> Counts:
    """One number a unit, in whole steps."""
    units = tuple(f"u{i:04}" for i in range(len(numbers)))
    table = np.stack([np.rint(numbers * STEP), np.full(len(numbers), STEP)], axis=1)
    return Counts(units, ("value", "items"), table)


def entries(
    rng: np.random.Generator, systems: int, runs: int, sd: float, units: int = 300
) -> list[list[Counts | None]]:
    """Equal systems whose runs differ by `sd`, and on single units by chance."""
    hard = rng.normal(0.6, 0.25, units)
    own = rng.normal(0, 0.15, (systems, 1, units))
    seeds = rng.normal(0, sd, (systems, runs, 1))
    noise = rng.normal(0, 0.1, (systems, runs, units))
    rows: list[list[Counts | None]] = []
    for of_system in hard + own + seeds + noise:
        rows.append([Counts.of_runs([values(run) for run in of_system])])
    return rows


def judged(
    rng: np.random.Generator,
    judges: dict[str, float],
    hard: Floats,
    each: int,
    skill: float = 0.0,
) -> Counts:
    """Judgements from 0 to 100 of one system, each unit by `each` of the judges, some
    stricter than others."""
    names, units = list(judges), len(hard)
    turns = (np.arange(units)[:, None] * each + np.arange(each)) % len(names)
    strict = np.array(list(judges.values()))[turns]
    said = 70 + skill + hard[:, None] + strict + rng.normal(0, 15, turns.shape)
    found = Judgements(
        tuple(f"u{i:04}" for i in range(units)),
        np.repeat(np.arange(units), each),
        [names[i] for i in turns.ravel().tolist()],
        {"score": said.ravel()},
    )
    return count(Units(found.units), found, {})


def people(rng: np.random.Generator, names: str) -> dict[str, float]:
    return {name: float(rng.normal(0, 6)) for name in names}


def at_most_a_twentieth(wrong: float, tries: int) -> bool:
    """Whether so many of the tries may be wrong where one in twenty is, give or take
    two standard errors."""
    return wrong <= 0.05 * tries + 2 * math.sqrt(0.05 * 0.95 * tries)


def test_boards_of_equal_systems_whose_runs_differ_show_no_difference() -> None:
    """15 systems; pairs at 5 %, and any pair of the board after Holm."""
    rng = np.random.default_rng(20)
    boards, pairs, wrong = 0, 0, 0
    for runs, sd in [(3, 0.01), (5, 0.01), (3, 0.03), (5, 0.03)] * 25:
        found = all_pairs(entries(rng, 15, runs, sd, 60), MEAN)
        # Seven pairs of a board have no system in common.
        alone = (found.second == found.first + 1) & (found.first % 2 == 0)
        pairs += int((found.p_value[alone] < 0.05).sum())
        wrong += bool((found.adjusted < 0.05).any())
        boards += 1
    assert at_most_a_twentieth(pairs, 7 * boards)
    assert at_most_a_twentieth(wrong, boards)


def test_a_true_difference_is_found_with_five_runs() -> None:
    rng = np.random.default_rng(8)
    found = 0
    for _ in range(40):
        first, second = entries(rng, 2, 5, 0.01)
        assert first[0] is not None and first[0].runs is not None
        runs = [values(run[:, 0] / STEP + 0.05) for run in first[0].runs]
        pair = [[Counts.of_runs(runs), *first[1:]], second]
        found += bool(all_pairs(pair, MEAN).p_value[0] < 0.05)
    assert found >= 32


def test_runs_that_are_the_same_change_no_test() -> None:
    rng = np.random.default_rng(9)
    first, second = values(rng.normal(0.6, 0.2, 50)), values(rng.normal(0.6, 0.2, 50))
    once = all_pairs([[first], [second]], MEAN)
    pair = [[Counts.of_runs([one] * 3)] for one in (first, second)]
    assert all_pairs(pair, MEAN).p_value[0] == pytest.approx(once.p_value[0], rel=1e-9)


def test_an_interval_of_a_difference_knows_that_runs_vary() -> None:
    rng = np.random.default_rng(10)
    covered, tries = 0, 60
    for _ in range(tries):
        first, second = (one[0] for one in entries(rng, 2, 3, 0.03))
        assert first is not None and second is not None
        found = compare(("a", "b"), (first, second), MEAN, PLAN)
        assert found.low is not None and found.high is not None
        covered += found.low <= 0 <= found.high
    assert covered / tries > 0.9


def by_unequal(
    rng: np.random.Generator, judges: int, most: float, units: int, **skill: float
) -> Counts:
    """Each unit by one judge: so many of them by the first, others in turn."""
    first = np.arange(units) < most * units
    who = np.where(first, 0, 1 + np.arange(units) % (judges - 1))
    severe = skill.get("strict", 6.0) * rng.normal(0, 1, judges)
    said = 70 + rng.normal(0, 12, units) + severe[who] + rng.normal(0, 15, units)
    found = Judgements(
        tuple(f"u{i:04}" for i in range(units)),
        np.arange(units),
        [f"judge {k}" for k in who.tolist()],
        {"score": said},
    )
    return count(Units(found.units), found, {})


@pytest.mark.parametrize("most", [0.4, 0.6])
def test_an_interval_covers_the_truth_where_one_judge_gave_half(most: float) -> None:
    rng = np.random.default_rng(61)
    covered, tries = 0, 150
    for _ in range(tries):
        found = estimates(by_unequal(rng, 10, most, 200), [JUDGED], PLAN)["score"]
        assert found.low is not None and found.high is not None
        covered += found.low <= 70 <= found.high
    assert covered / tries >= 0.93


def test_unequal_judges_by_hand() -> None:
    """Ann gives three of four judgements: 2, 2 and 5, ben 7. Around the mean 4 hers add
    up to -3, his to 3, a quarter each. Squares over 1 - h, of .5625 over .25 and .75,
    are 3; shares of .75 and .25 tell as much as 1.6 judges."""
    found = Judgements(
        ("u1", "u2", "u3", "u4"),
        np.arange(4),
        ["ann", "ann", "ann", "ben"],
        {"score": np.array([2.0, 2.0, 5.0, 7.0])},
    )
    judges = Judges.of([[count(Units(found.units), found, {})]], JUDGED)
    assert judges is not None
    own = judges.of_systems()
    assert own.variance[0] == pytest.approx(3, rel=1e-6)
    assert own.degrees[0] == pytest.approx(0.6, rel=1e-6)


def test_a_pair_whose_judges_happen_to_agree_takes_what_pairs_have_on_average() -> None:
    """Two judges of three systems; they differ by (0, 0), (4, -4) and (4, -4) in the
    pairs, squares over 1 - h are 0, 64 and 64. The average has one degree of freedom of
    each system but one."""
    sums = np.array([[1.0, -1.0], [1.0, -1.0], [-3.0, 3.0]])
    none = [np.zeros(0, dtype=np.int64)] * 3, [np.zeros(0)] * 3
    judges = Judges(sums, np.full((3, 2), 0.5), *none)
    found = judges.of_pairs(*np.triu_indices(3, 1))
    assert found.excess.tolist() == pytest.approx([128 / 3, 64, 64])
    assert found.degrees.tolist() == [2, 1, 1]


def test_what_one_judge_says_of_a_unit_in_both_systems_is_one_cell() -> None:
    """Two judges, one unit each, of which each prefers another system: (2, -2) by
    judge, 8 / (1 - 1/2) = 16 in squares, of which cells of 2 and -2 are 8."""
    moves = np.array([1.0, -1.0])
    shares, places = np.full((2, 2), 0.5), [np.arange(2)] * 2
    judges = Judges(np.array([moves, -moves]), shares, places, [moves, -moves])
    found = judges.of_pairs(np.array([0]), np.array([1]))
    assert (found.variance.tolist(), found.excess.tolist()) == ([16], [8])


@pytest.mark.parametrize(("names", "each"), [("abc", 3), ("abcdefghij", 2)])
def test_an_interval_covers_what_other_judges_would_say(names: str, each: int) -> None:
    rng = np.random.default_rng(11)
    covered, missed, tries = 0, 0, 200
    for _ in range(tries):
        counts = judged(rng, people(rng, names), rng.normal(0, 12, 200), each)
        found = estimates(counts, [JUDGED], PLAN)["score"]
        assert found.low is not None and found.high is not None
        covered += found.low <= 70 <= found.high
        known = estimates(replace(counts, judged=None), [JUDGED], PLAN)["score"]
        assert known.low is not None and known.high is not None
        missed += not known.low <= 70 <= known.high
    error = math.sqrt(0.95 * 0.05 / tries)
    assert 0.93 - 3 * error < covered / tries
    assert missed / tries > 0.2


@pytest.mark.thorough
def test_boards_that_people_judged_show_no_difference_of_equals() -> None:
    """Ten systems; each has judges of its own, or the same judges, who like it more or
    less."""
    rng = np.random.default_rng(21)
    wrong, boards = 0, 0
    for others, (names, each) in product(
        (False, True), [("abc", 3), ("abcdefghij", 1)] * 25
    ):
        hard, same, systems = rng.normal(0, 12, 60), people(rng, names), []
        for i in range(10):
            own = {name: strict + rng.normal(0, 3) for name, strict in same.items()}
            if others:
                own = {f"{n}{i}": strict for n, strict in people(rng, names).items()}
            systems.append([judged(rng, own, hard, each)])
        wrong += bool((all_pairs(systems, JUDGED).adjusted < 0.05).any())
        boards += 1
    assert at_most_a_twentieth(wrong, boards)


@pytest.mark.parametrize("others", [False, True])
def test_equal_systems_that_people_judged_are_not_told_apart(others: bool) -> None:
    rng = np.random.default_rng(12)
    wrong, tries = 0, 300
    for _ in range(tries):
        hard = rng.normal(0, 12, 100)
        ours = people(rng, "abcde")
        theirs = people(rng, "vwxyz") if others else ours
        pair = [judged(rng, some, hard, 2) for some in (ours, theirs)]
        wrong += bool(all_pairs([[one] for one in pair], JUDGED).p_value[0] < 0.05)
    assert at_most_a_twentieth(wrong, tries)


def test_the_same_judges_find_a_difference() -> None:
    """How strict they are says nothing against either system."""
    rng = np.random.default_rng(13)
    found = 0
    for _ in range(40):
        hard, ours = rng.normal(0, 12, 200), people(rng, "abcde")
        pair = [[judged(rng, ours, hard, 2, skill)] for skill in (0.0, 6.0)]
        found += bool(all_pairs(pair, JUDGED).p_value[0] < 0.05)
    assert found >= 32


def test_the_order_of_lines_and_units_changes_no_byte() -> None:
    rng = np.random.default_rng(14)
    counts = judged(rng, people(rng, "abc"), rng.normal(0, 12, 60), 2)
    other = judged(rng, people(rng, "abc"), rng.normal(0, 12, 60), 2)
    mixed = counts.where(rng.permutation(60))
    assert estimates(mixed, [JUDGED], PLAN) == estimates(counts, [JUDGED], PLAN)
    p_values = [
        all_pairs([[one], [other]], JUDGED).p_value[0] for one in (counts, mixed)
    ]
    assert p_values[0] == p_values[1]


def test_two_way_variance_by_hand() -> None:
    """Two judges on two units: 1 and 3 on the first, 2 and 6 on the second. The mean is
    3; cells are off by -2, 0, -1 and 3, a quarter each. By judge -0.75 and 0.75: twice
    the sum of squares is 2.25. Single cells have 14 / 16."""
    found = Judgements(
        ("u1", "u2"),
        np.array([0, 0, 1, 1]),
        ["ann", "ben", "ann", "ben"],
        {"score": np.array([1.0, 3.0, 2.0, 6.0])},
    )
    counts = count(Units(found.units), found, {})
    judges = Judges.of([[counts]], JUDGED)
    assert judges is not None
    own = judges.of_systems()
    assert own.variance[0] == pytest.approx(2.25, abs=1e-9)
    assert own.excess[0] == pytest.approx(2.25 - 14 / 16, abs=1e-9)
    assert own.degrees[0] == 1


def test_one_judge_says_nothing_of_others() -> None:
    rng = np.random.default_rng(15)
    counts = judged(rng, {"ann": 0.0}, rng.normal(0, 12, 30), 1)
    assert counts.judged is None
    found = sources_of([counts], JUDGED)
    assert found is not None
    assert (found.judges, found.rest, found.of_judges) == (None, None, 1)


def test_judges_survive_storing_choosing_and_grouping_without_their_names() -> None:
    rng = np.random.default_rng(16)
    counts = judged(rng, people(rng, "abc"), rng.normal(0, 12, 30), 2)
    labels = {"genre": ("x",) * 10 + ("y",) * 20}
    grouped = Counts.load(replace(counts, groups=labels).save())
    assert grouped.judged is not None and counts.judged is not None
    assert grouped.judged.judges == counts.judged.judges
    assert not {"a", "b", "c"} & {*grouped.judged.judges}
    for some in (grouped.where(np.arange(30) < 10), grouped.by("genre")):
        assert some.judged is not None
        columns = list(some.judged.columns)
        own = some.judged.table[:, columns.index("score")]
        sums = np.bincount(some.judged.unit_of, own, len(some.units))
        told = [row.total("score") for row in map(some.where, np.eye(len(sums)) > 0)]
        assert sums == pytest.approx(told, abs=1e-6)


def test_runs_of_other_judges_keep_what_each_of_them_said() -> None:
    rng = np.random.default_rng(19)
    hard = rng.normal(0, 12, 30)
    runs = [judged(rng, people(rng, names), hard, 2) for names in ("abc", "dcb")]
    both = Counts.load(Counts.of_runs(runs).save()).judged
    assert both is not None and len(both.judges) == 4
    for number, run in enumerate(runs):
        cells = both.of_run(number)
        assert run.judged is not None and cells is not None
        assert by_judge(cells) == by_judge(run.judged)


def by_judge(cells: JudgeCells) -> dict[tuple[str, int], list[float]]:
    """The sums of each judge and unit."""
    judges = [cells.judges[place] for place in cells.judge_of.tolist()]
    keys = zip(judges, cells.unit_of.tolist(), strict=True)
    return dict(zip(keys, cells.table.tolist(), strict=True))


def test_sources_tell_what_a_simulation_put_in() -> None:
    """Means over 100 worlds: units of sd 12, judges of sd 6, single judgements 15."""
    rng = np.random.default_rng(17)
    sums = np.zeros(3)
    for _ in range(100):
        names = "abcdefghij"
        counts = judged(rng, people(rng, names), rng.normal(0, 12, 200), 2)
        found = sources_of([counts], JUDGED)
        assert found is not None and found.judges is not None
        assert found.rest is not None and found.of_judges == 10
        sums += (found.units / 100, found.judges / 100, found.rest / 100)
    assert sums == pytest.approx([144 / 200, 36 / 10, 225 / 400], rel=0.15)


def test_sources_of_runs_add_up() -> None:
    rng = np.random.default_rng(18)
    (entry, *_) = entries(rng, 1, 5, 0.05)
    found = sources_of(entry, MEAN)
    assert isinstance(found, Sources)
    assert found.runs is not None and found.rest is not None
    assert found.of_runs == 5
    assert found.whole == pytest.approx(found.units + found.runs + found.rest)
    assert found.runs > found.units


def test_a_measure_that_is_no_mean_has_judges_too() -> None:
    rng = np.random.default_rng(19)
    counts = judged(rng, people(rng, "abc"), rng.normal(0, 12, 60), 3)
    found = sources_of([counts], ROOT)
    assert found is not None and found.judges is not None
    assert found.judges > 0


# Two-sided tails, from a table of Student's t (NIST/SEMATECH e-Handbook, 1.3.6.7.2).
@loop_over(
    ("t", "degrees", "tail"),
    [
        (12.706, 1, 0.05),
        (4.303, 2, 0.05),
        (2.776, 4, 0.05),
        (2.228, 10, 0.05),
        (3.169, 10, 0.01),
        (5.893, 4, 0.00414),
        (1.96, 10**6, 0.05),
        (0.0, 3, 1.0),
    ],
)
def test_tails_of_student(t: float, degrees: int, tail: float) -> None:
    found = student_tails(np.array([t]), np.array([degrees]))[0]
    assert found == pytest.approx(tail, rel=2e-3)


def test_far_tails_of_student_keep_their_digits() -> None:
    """1 - t / sqrt(t * t + 2) with two degrees of freedom, 2 / pi * atan(1 / t) with
    one."""
    t = np.array([1e3, 1e6])
    two = student_tails(t, np.array([2, 2]))
    assert two == pytest.approx([1 / t**2 * (1 - 1.5 / t**2) for t in (1e3, 1e6)])
    one = student_tails(t, np.array([1, 1]))
    assert one == pytest.approx([2 / math.pi * math.atan(1 / x) for x in (1e3, 1e6)])


PROMPTS = ("brief", "brief", "long", "long", "shots", "shots", "step", "step")


def prompted(
    rng: np.random.Generator,
    systems: int,
    prompt: float,
    seed: float = 0.01,
    shared: float = 0.0,
    units: int = 200,
    gap: float = 0.0,
) -> list[list[Counts | None]]:
    """Systems of two runs under each of four prompts, which move them by `prompt`, all
    alike by `shared`; the first is better by `gap`."""
    names = sorted({*PROMPTS})
    of = np.array([names.index(name) for name in PROMPTS])
    hard = rng.normal(0.6, 0.2, units)
    easy = rng.normal(0, shared, len(names)) if shared else np.zeros(len(names))
    rows: list[list[Counts | None]] = []
    for i in range(systems):
        moved = (rng.normal(0, prompt, len(names)) + easy)[of]
        own = moved + rng.normal(0, seed, len(of)) + gap * (i == 0)
        noise = rng.normal(0, 0.1, (len(of), units))
        runs = [values(hard + one + some) for one, some in zip(own, noise, strict=True)]
        rows.append([Counts.of_runs(runs, PROMPTS)])
    return rows


def test_prompts_have_their_share_of_the_uncertainty() -> None:
    """Means over 200 worlds: units of sd 0.2, prompts of sd 0.05, runs of sd 0.02, and
    single answers of sd 0.1."""
    rng = np.random.default_rng(30)
    sums = np.zeros(4)
    for _ in range(200):
        (entry,) = prompted(rng, 1, 0.05, 0.02)
        found = sources_of(entry, MEAN)
        assert found is not None and found.prompts is not None
        assert found.runs is not None and found.rest is not None
        assert (found.of_runs, found.of_prompts) == (8, 4)
        parts = found.units, found.prompts, found.runs, found.rest
        assert found.whole == pytest.approx(sum(parts))
        sums += np.array(parts) / 200
    expected = [0.04 / 200, 0.0025 / 4, 0.0004 / 8, 0.01 / 1600]
    assert sums == pytest.approx(expected, rel=0.2)


@pytest.mark.thorough
def test_an_interval_covers_what_other_prompts_would_give() -> None:
    rng = np.random.default_rng(31)
    covered, missed, tries = 0, 0, 200
    for _ in range(tries):
        ((counts,),) = prompted(rng, 1, 0.05)
        assert counts is not None
        found = estimates(counts, [MEAN], PLAN)["mean"]
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.6 <= found.high
        # As eight runs of one prompt, which they are not.
        alike = estimates(replace(counts, prompts=()), [MEAN], PLAN)["mean"]
        assert alike.low is not None and alike.high is not None
        missed += not alike.low <= 0.6 <= alike.high
    assert covered / tries > 0.93 - 3 * math.sqrt(0.95 * 0.05 / tries)
    assert missed / tries > 0.08


@pytest.mark.thorough
@pytest.mark.parametrize("shared", [0.0, 0.1])
def test_boards_of_equals_under_the_same_prompts_show_no_difference(
    shared: float,
) -> None:
    rng = np.random.default_rng(32)
    pairs, wrong, boards = 0, 0, 100
    for _ in range(boards):
        found = all_pairs(prompted(rng, 10, 0.03, shared=shared, units=60), MEAN)
        alone = (found.second == found.first + 1) & (found.first % 2 == 0)
        pairs += int((found.p_value[alone] < 0.05).sum())
        wrong += bool((found.adjusted < 0.05).any())
    for often, tries in ((pairs, 5 * boards), (wrong, boards)):
        assert often / tries <= 0.06 + 3 * math.sqrt(0.06 * 0.94 / tries)


def test_a_prompt_that_is_easy_for_both_hides_no_difference() -> None:
    """It does where the two name other prompts: nobody knows that they are alike."""
    rng, found, hidden = np.random.default_rng(33), 0, 0
    for _ in range(40):
        pair = prompted(rng, 2, 0.005, shared=0.1, gap=0.04)
        found += bool(all_pairs(pair, MEAN).p_value[0] < 0.05)
        second = pair[1][0]
        assert second is not None
        other = replace(second, prompts=tuple(f"own {name}" for name in PROMPTS))
        hidden += bool(all_pairs([pair[0], [other]], MEAN).p_value[0] >= 0.05)
    assert found >= 36
    assert hidden >= 30


def test_prompts_survive_storing_and_choosing_units() -> None:
    ((counts,),) = prompted(np.random.default_rng(34), 1, 0.05, units=20)
    assert counts is not None
    assert Counts.load(counts.save()).prompts == PROMPTS
    assert counts.where(np.arange(20) < 10).prompts == PROMPTS


def test_prompts_that_do_not_fit_the_runs_are_refused() -> None:
    ((counts,),) = prompted(np.random.default_rng(35), 1, 0.05, units=20)
    assert counts is not None
    runs = counts.each_run()
    with pytest.raises(ValueError, match="prompt of each of 8 runs, found 2"):
        Counts.of_runs(runs, ["a", "b"])
    with pytest.raises(ValueError, match="as many runs of each prompt, found: 'a' 7"):
        Counts.of_runs(runs, ["a"] * 7 + ["b"])


CORRELATED, CORRECTED = declare(
    {
        "measure": [
            "like = spearman(metric, score)",
            "quality = corrected(metric, score)",
        ]
    }
)[:2]


def beside_metric(
    rng: np.random.Generator,
    judges: dict[str, float],
    each: int,
    units: int = 120,
    sample: int = 120,
) -> Counts:
    """A metric of every unit, and judgements of the first `sample` by `each` of the
    judges, who mean 70 on average."""
    hard = rng.normal(0, 12, units)
    metric = 50 + hard + rng.normal(0, 8, units)
    names = list(judges)
    rows = [
        (u, names[(u * each + k) % len(names)])
        for u in range(sample)
        for k in range(each)
    ]
    rows += [(u, "") for u in range(sample, units)]
    unit_of = np.array([u for u, _name in rows])
    said = [
        70 + hard[u] + judges[name] + rng.normal(0, 15) if name else np.nan
        for u, name in rows
    ]
    columns = {"metric": metric[unit_of], "score": np.array(said)}
    found = Judgements(
        tuple(f"u{i:04}" for i in range(units)),
        unit_of,
        [name for _u, name in rows],
        columns,
    )
    return count(Units(found.units), found, {})


@pytest.mark.thorough
@pytest.mark.parametrize(("names", "each"), [("abc", 1), ("abcdef", 2)])
def test_a_corrected_mean_covers_what_other_judges_would_say(
    names: str, each: int
) -> None:
    rng, covered, missed, tries = np.random.default_rng(50), 0, 0, 150
    for _ in range(tries):
        counts = beside_metric(rng, people(rng, names), each, 300, 120)
        found = estimates(counts, [CORRECTED], PLAN)["quality"]
        assert found.low is not None and found.high is not None
        covered += found.low <= 70 <= found.high
        known = estimates(replace(counts, judged=None), [CORRECTED], PLAN)["quality"]
        assert known.low is not None and known.high is not None
        missed += not known.low <= 70 <= known.high
    assert covered / tries > 0.93 - 3 * math.sqrt(0.95 * 0.05 / tries)
    assert missed / tries > 0.2


@pytest.mark.thorough
def test_a_correlation_covers_what_other_judges_would_give() -> None:
    """Three judges of very unequal strictness, one on each unit: how strict they are
    hides how good units are. The true value is the mean over many such worlds."""
    rng, found, held = np.random.default_rng(51), [], 0
    for _ in range(150):
        judges = {name: float(rng.normal(0, 25)) for name in "abc"}
        counts = beside_metric(rng, judges, 1)
        one = estimates(counts, [CORRELATED], PLAN)["like"]
        alone = estimates(replace(counts, judged=None), [CORRELATED], PLAN)["like"]
        found.append((one.value, one.low, one.high, alone.low, alone.high))
    table = np.array(found, dtype=float)
    truth = table[:, 0].mean()
    held = ((table[:, 1] <= truth) & (truth <= table[:, 2])).mean()
    before = ((table[:, 3] <= truth) & (truth <= table[:, 4])).mean()
    assert held > 0.93 - 3 * math.sqrt(0.95 * 0.05 / 150)
    assert held > before


@pytest.mark.thorough
def test_correlations_of_equal_systems_that_people_judged_are_not_told_apart() -> None:
    rng, wrong, tries = np.random.default_rng(52), 0, 200
    for _ in range(tries):
        pair = [[beside_metric(rng, people(rng, "abcd"), 2)] for _ in range(2)]
        wrong += bool(all_pairs(pair, CORRELATED).p_value[0] < 0.05)
    assert at_most_a_twentieth(wrong, tries)


def test_judges_left_out_by_hand() -> None:
    """Two judges on each of 40 units, the second one stricter by 10. Without the first
    the mean is 5 lower, without the second 5 higher: half of each is -2.5 and 2.5, and
    twice the sum of squares is 25."""
    units, base = 40, np.linspace(50, 90, 40)
    found = Judgements(
        tuple(f"u{i:04}" for i in range(units)),
        np.repeat(np.arange(units), 2),
        ["ann", "ben"] * units,
        {
            "metric": np.repeat(base, 2),
            "score": np.repeat(base, 2) - [0.0, 10.0] * units,
        },
    )
    judges = Judges.of([[count(Units(found.units), found, {})]], CORRECTED)
    assert judges is not None
    own = judges.of_systems()
    assert own.variance[0] == pytest.approx(25, rel=1e-6)
    assert own.degrees[0] == 1
    # Nothing but the judges varies: groups of judgements move the mean by little.
    assert own.excess[0] == pytest.approx(25, rel=0.2)


def test_unequal_judges_left_out_by_hand() -> None:
    """Ann says 60 of 300 units, ben 50 of 100, the model always the same: a mean of
    57.5. Without ann it is 50, without ben 60: a quarter of -7.5 and three quarters of
    2.5 are sums of 1.875, whose squares over 1 - h are 18.75."""
    units, anns = 400, 300
    found = Judgements(
        tuple(f"u{i:04}" for i in range(units)),
        np.arange(units),
        ["ann"] * anns + ["ben"] * (units - anns),
        {
            "metric": np.full(units, 40.0),
            "score": np.repeat([60.0, 50.0], [anns, units - anns]),
        },
    )
    judges = Judges.of([[count(Units(found.units), found, {})]], CORRECTED)
    assert judges is not None
    own = judges.of_systems()
    assert own.variance[0] == pytest.approx(18.75, rel=1e-6)
    assert own.degrees[0] == pytest.approx(0.6, rel=1e-6)


def test_the_order_of_units_changes_no_byte_of_a_correlation() -> None:
    rng = np.random.default_rng(53)
    counts = beside_metric(rng, people(rng, "abc"), 2, 60, 60)
    mixed = counts.where(rng.permutation(60))
    assert estimates(mixed, [CORRELATED], PLAN) == estimates(counts, [CORRELATED], PLAN)


def test_who_judged_in_other_columns_alone_is_no_judge_of_a_measure() -> None:
    """The interval of a column is the same whoever else judged in another, or gave no
    value at all, also where a unit has none in this one."""
    both = declare({"measure": ["score = mean(score)", "style = mean(style)"]})
    units = Units(tuple(f"u{i}" for i in range(12)))
    rng = np.random.default_rng(3)
    own = [(u, name, 50.0 + 9 * rng.normal()) for u in range(10) for name in "ab"]

    def scored(*beside: tuple[int, str, float]) -> Counts:
        rows = [(u, n, score, math.nan) for u, n, score in own]
        rows += [(u, n, math.nan, style) for u, n, style in beside]
        table = {
            "score": np.array([row[2] for row in rows]),
            "style": np.array([row[3] for row in rows]),
        }
        of = np.array([row[0] for row in rows])
        names = [row[1] for row in rows]
        return count(units, Judgements(units.names, of, names, table), {})

    def told(counts: Counts) -> list[float]:
        found = Judges.of([[counts]], both[0])
        assert found is not None
        varied = found.of_systems()
        numbers = (varied.excess, varied.variance, varied.degrees, found.single)
        return [float(number[0]) for number in numbers]

    alone = told(scored())
    assert alone[2] == 1
    many = [(u, n, 3.0 * u) for u in range(12) for n in ("c", "d", "e")]
    for beside in (
        [(3, "c", 4.0)],
        [(11, "nobody", math.nan)],
        many,
        [*many, (10, "nobody", math.nan), (11, "a", 5.0)],
    ):
        assert told(scored(*beside)) == alone
