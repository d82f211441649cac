"""Scorer `numbers` against scipy: values, resamples, and what is refused."""

from decimal import Decimal
from random import Random

import numpy as np
import pytest
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn import metrics

from scoring import Job, Plan, Refused, Source, evaluate
from scoring.counts import Counts, Floats
from scoring.engine import count_file, summarise
from scoring.errors import SetupError, UsageError
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.numbers import figures
from scoring.scorers.numbers.counts import Frame
from scoring.statistics import bootstrap
from scoring.statistics.bootstrap import estimates
from scoring.statistics.comparison import compare
from scoring.statistics.runs import value_of
from tests.loops import loop_over

SCORER = get("numbers")
OPTIONS = parse(SCORER.options, {})
PLAN = Plan(resamples=50, seed=4)
NAMES = [measure.name for measure in SCORER.fixed_measures]


def written(values: Floats, name: str = "answers.csv") -> Source:
    lines = (f"i{place:04},{value!r}\n" for place, value in enumerate(values.tolist()))
    return Source.of_bytes(name, ("id,value\n" + "".join(lines)).encode())


def counted(gold: Floats, system: Floats) -> Counts:
    answers = SCORER.read_gold(written(gold, "gold.csv"), OPTIONS)
    return count_file(Job(SCORER, OPTIONS), answers, written(system))


def found(gold: Floats, system: Floats) -> dict[str, float]:
    counts = counted(gold, system)
    return {one.name: value_of(counts, one) for one in SCORER.fixed_measures}


def by_scipy(gold: Floats, system: Floats) -> dict[str, float]:
    error = system - gold
    return {
        "pearson": float(pearsonr(gold, system).statistic),
        "spearman": float(spearmanr(gold, system).statistic),
        "kendall": float(kendalltau(gold, system).statistic),
        "rmse": float(np.sqrt((error**2).mean())),
        "mae": float(np.abs(error).mean()),
        "r2": float(1 - (error**2).sum() / ((gold - gold.mean()) ** 2).sum()),
        "ccc": concordance(gold, system),
        "accuracy_within": float((np.abs(error) <= 1 + 1e-9).mean()),
    }


def concordance(gold: Floats, system: Floats) -> float:
    """Lin 1989, equation 1: by variances and means."""
    both = np.cov(gold, system, bias=True)
    apart = (gold.mean() - system.mean()) ** 2
    return float(2 * both[0, 1] / (both[0, 0] + both[1, 1] + apart))


RNG = np.random.default_rng(8)
SHARED = RNG.normal(size=90)
GOLD = np.round(SHARED * 2 + 3, 1)
SYSTEM = np.round(SHARED * 2 + RNG.normal(size=90) + 3, 1)
PAIRS = {
    "one decimal, with ties": (GOLD, SYSTEM),
    "without ties": (SHARED, SHARED + RNG.normal(size=90)),
    "few grades": (np.round(GOLD), np.round(SYSTEM)),
    "far from 0": (1e6 + GOLD, 1e6 + SYSTEM),
    "years": (1700.0 + np.arange(90), 1700 + np.arange(90) + 9 * SHARED),
    "percentages for shares": (GOLD / 10, SYSTEM * 10),
    "shares for percentages": (GOLD * 10, SYSTEM / 10),
    "very small": (GOLD * 1e-30, SYSTEM * 1e-30),
    "very large": (GOLD * 1e30, SYSTEM * 1e30),
    "one outlier": (np.append(GOLD, 400.0), np.append(SYSTEM, 300.0)),
    "opposite": (GOLD, -SYSTEM),
}


@loop_over("name", PAIRS)
def test_every_measure_is_that_of_scipy(name: str) -> None:
    gold, system = PAIRS[name]
    expected = by_scipy(gold, system)
    for measure, value in found(gold, system).items():
        assert value == pytest.approx(expected[measure], rel=1e-9), measure


def test_every_resample_is_ranked_anew() -> None:
    counts = counted(GOLD, SYSTEM)
    weights = np.concatenate([*bootstrap.draws(90, PLAN.resamples, PLAN.seed)])
    known = estimates(counts, SCORER.fixed_measures, PLAN)
    each = [by_scipy(np.repeat(GOLD, w), np.repeat(SYSTEM, w)) for w in weights]
    for name in NAMES:
        values = np.array([of_draw[name] for of_draw in each])
        assert known[name].mean == pytest.approx(values.mean(), rel=1e-9)
        assert known[name].stddev == pytest.approx(values.std(), rel=1e-9)
        low = np.quantile(values, 0.025)
        assert known[name].percentile_low == pytest.approx(low, rel=1e-9)


def test_a_perfect_system_is_perfect() -> None:
    values = found(GOLD, GOLD)
    ones = dict.fromkeys([*NAMES[:3], "r2", "ccc", "accuracy_within"], 1.0)
    assert values == ones | {"rmse": 0, "mae": 0}
    scaled = found(GOLD, 3 * GOLD - 7)
    assert [scaled[name] for name in NAMES[:3]] == [pytest.approx(1, abs=1e-12), 1, 1]


def test_a_worked_example() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: 1 - 6 * 4 / (4 * 15) = 0.6; 4 pairs in order, 2 not.
    values = found(np.array([1.0, 2, 3, 4]), np.array([2.0, 1, 4, 3]))
    assert values["spearman"] == pytest.approx(0.6)
    assert values["kendall"] == pytest.approx(2 / 6)
    assert (values["mae"], values["rmse"]) == (1.0, 1.0)
    assert values["r2"] == pytest.approx(1 - 4 / 5)


def test_a_system_that_always_says_the_same_has_errors_but_no_correlation() -> None:
    result = evaluate(
        Job(SCORER, OPTIONS, "", PLAN),
        written(GOLD, "gold.csv"),
        written(np.full(90, 0.3)),
    )
    for name in ("pearson", "spearman", "kendall"):
        assert result.measures[name].value is None
    expected = float(np.abs(GOLD - 0.3).mean())
    assert result.measures["mae"].value == pytest.approx(expected)
    assert any("no correlation is defined" in remark for remark in result.remarks)


def test_a_gold_of_equal_values_measures_errors_alone() -> None:
    values = found(np.full(5, 0.1), np.array([0.1, 0.2, 0.1, 0.1, 0.1]))
    assert values["mae"] == pytest.approx(0.02)
    assert np.isnan([values[name] for name in (*NAMES[:3], "r2")]).all()


def test_another_scale_altogether_leaves_correlations() -> None:
    system = SYSTEM * 1e20
    values, expected = found(GOLD, system), by_scipy(GOLD, system)
    for name in ("pearson", "spearman", "kendall"):
        assert values[name] == pytest.approx(expected[name])
    assert np.isnan([values[name] for name in ("rmse", "mae", "r2")]).all()
    gold, answer = written(GOLD, "gold.csv"), written(system)
    result = evaluate(Job(SCORER, OPTIONS, "", PLAN), gold, answer)
    assert any("quite another scale" in remark for remark in result.remarks)


@loop_over("far", [1000.0, -4e5, 3e7, 1e9, -1e11, 1e12, 3e13])
@loop_over("size", [100, 20_000])
def test_one_answer_far_off_leaves_errors_that_are_numbers(
    far: float, size: int
) -> None:
    random = np.random.default_rng(3)
    gold, system = random.integers(0, 6, (2, size)).astype(float)
    system[7] = far
    values = found(gold, system)
    expected = metrics.mean_squared_error(gold, system) ** 0.5
    assert values["rmse"] == pytest.approx(expected, rel=1e-9)
    expected = metrics.mean_absolute_error(gold, system)
    assert values["mae"] == pytest.approx(expected, rel=1e-9)
    assert values["r2"] == pytest.approx(metrics.r2_score(gold, system), rel=1e-9)


def test_systems_on_two_scales_are_compared_as_if_they_had_one() -> None:
    other = np.round(SHARED * 2 + np.random.default_rng(5).normal(size=90), 1)
    first = counted(GOLD, SYSTEM)
    for name in ("pearson", "spearman", "kendall"):
        measure = SCORER.measure(name)
        pairs = [
            compare(("a", "b"), (first, counted(GOLD, system)), measure, PLAN)
            for system in (other, 64 * other - 512)
        ]
        for key, number in pairs[0].as_dict().items():
            again = pairs[1].as_dict()[key]
            same = number == again or number == pytest.approx(again, rel=1e-9)
            assert same, (name, key)


def test_the_frame_follows_from_the_gold_alone_and_keeps_round_numbers() -> None:
    frame = Frame.of(np.array([0.0, 5, 5, 2.5]))
    assert (frame.middle, frame.exponent) == (4.0, 3)
    assert frame.framed(np.array([5.0])).tolist() == [0.125]


def test_two_systems_are_compared_in_every_measure() -> None:
    first, second = (
        counted(GOLD, SYSTEM),
        counted(GOLD, np.round(SYSTEM + RNG.normal(size=90))),
    )
    for measure in SCORER.fixed_measures:
        pair = compare(("a", "b"), (first, second), measure, PLAN)
        assert pair.p_value is not None
        assert pair.randomization is not None
        assert abs(pair.p_value - pair.randomization) < 0.03, measure.name


def test_documents_are_drawn_with_all_their_items() -> None:
    gold = "id,document,value\n" + "".join(
        f"i{i},{'abcdef'[i % 6]},{value}\n" for i, value in enumerate(GOLD[:30])
    )
    system = "".join(f"i{i},{value}\n" for i, value in enumerate(SYSTEM[:30]))
    files = (Source.of_bytes("gold.csv", gold.encode()),)
    files += (Source.of_bytes("s.csv", f"id,value\n{system}".encode()),)
    result = evaluate(Job(SCORER, OPTIONS, "document", PLAN), *files)
    assert result.units == 6
    expected = by_scipy(GOLD[:30], SYSTEM[:30])
    weights = np.concatenate([*bootstrap.draws(6, PLAN.resamples, PLAN.seed)])
    drawn = [np.array([w[i % 6] for i in range(30)]) for w in weights]
    each = [
        spearmanr(np.repeat(GOLD[:30], w), np.repeat(SYSTEM[:30], w)) for w in drawn
    ]
    for name in NAMES:
        assert result.measures[name].value == pytest.approx(expected[name])
    mean = np.mean([one.statistic for one in each])
    assert result.measures["spearman"].mean == pytest.approx(mean)


def problems(text: str, against: str = "id,value\na,1\nb,2\n") -> list[str]:
    gold = SCORER.read_gold(Source.of_bytes("gold", against.encode()), OPTIONS)
    with pytest.raises(Refused) as caught:
        SCORER.read_system(Source.of_bytes("s", text.encode()), OPTIONS, gold)
    return [str(problem) for problem in caught.value.problems]


def test_every_value_that_is_no_number_is_refused_with_its_line() -> None:
    gold = "id,value\n" + "".join(f"{name},1\n" for name in "abcdefgh")
    cells = ('"0,5"', "nan", "-Infinity", "high", "1_000", "1e400", "٣", "0x1F")
    text = "".join(
        f"{name},{cell}\n" for name, cell in zip("abcdefgh", cells, strict=True)
    )
    found = problems("id,value\n" + text, gold)
    assert len(found) == 8
    assert "s:2" in found[0]
    assert "'0,5' is no number" in found[0]
    assert "with a point" in found[0]
    assert "finite number" in found[1]
    assert "finite number" in found[2]
    assert "larger than 1e+100" in found[5]


def test_an_empty_value_and_a_missing_item_are_refused() -> None:
    assert "'value' is empty" in problems("id,value\na,\nb,2\n")[0]
    assert "'b'" in problems("id,value\na,1\n")[0]
    assert "'c'" in problems("id,value\na,1\nb,2\nc,3\n")[0]


def test_wrong_ids_and_wrong_numbers_are_told_at_once() -> None:
    found = "\n".join(problems("id,value\na,one\nc,2\n"))
    assert "'one' is no number" in found
    assert "no answer: 'b'" in found
    assert "there is no item 'c'" in found


def test_a_number_a_line_does_not_answer_a_table() -> None:
    (found,) = problems("1\n2\n")
    assert "no column 'id' or 'value' found" in found
    assert "expected 3 lines, found 2" in problems("1\n2\n", "3\n1\n2\n")[0]


def test_gold_with_a_word_among_its_numbers_is_a_matter_for_the_organizer() -> None:
    source = Source.of_bytes("gold", b"id,value\na,1\nb,two\n")
    with pytest.raises(SetupError) as caught:
        SCORER.read_gold(source, OPTIONS)
    assert caught.value.problems[0].line == 3


def test_numbers_may_be_written_in_any_usual_way() -> None:
    text = "id,value\na,+1.50\nb,-.5\nc,2.\nd,1E2\ne, 7 \nf,-0\n"
    read = SCORER.read_gold(Source.of_bytes("gold", text.encode()), OPTIONS)
    assert read.numbers.tolist() == [1.5, -0.5, 2, 100, 7, 0]
    # -0 and 0 are equal, so they tie.
    assert not np.signbit(read.numbers[5])


def test_pages_without_gold_show_no_count_that_tells_of_it() -> None:
    names = counted(GOLD, SYSTEM).as_numbers()
    assert [name for name in names if not name.endswith("]")] == ["items"]


def test_the_error_browser_shows_both_values_and_how_far_apart_they_are() -> None:
    options = parse(SCORER.options, {"inputs": ["text"]})
    gold = Source.of_bytes(
        "gold", b"id,text,value\na,calm,1\nb,gale,9\nc,breeze,4\nd,storm,11\n"
    )
    system = Source.of_bytes("s", b"id,value\na,2.5\nb,9\nc,1\nd,11.5\n")
    own = SCORER.read_gold(gold, options)
    answers = SCORER.read_system(system, options, own)
    assert SCORER.inspect is not None
    inspection = SCORER.inspect(own, answers, options)
    wrong = {kind: flags.tolist() for kind, flags in inspection.wrong.items()}
    assert wrong == {
        "too_low": [False, False, True, False],
        "too_high": [True, False, False, False],
    }
    sheet = inspection.picture(2).sheet
    assert sheet.rows == ((4.0, 1.0, -3.0, "breeze"),)
    assert sheet.wrong == (("too_low",),)


def test_an_interval_is_given_for_every_measure() -> None:
    counts = counted(GOLD, SYSTEM)
    result = summarise(SCORER, counts, OPTIONS, "", PLAN)
    for estimate in result.measures.values():
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.value is not None
        assert estimate.low < estimate.value < estimate.high
        assert estimate.bca_low is not None


def random_pair(seed: int) -> tuple[Floats, Floats]:
    """Few grades or many values, near or far from 0; some answers are far off."""
    random = np.random.default_rng(seed)
    size = int(random.integers(2, 60))
    gold = random.normal(size=size) * 10.0 ** random.integers(-3, 4)
    gold = np.round(gold, int(random.integers(0, 4))) + random.choice([0, 0, 2000])
    system = gold + random.normal(size=size) * random.choice([0, 0.1, 1, 50])
    if random.random() < 0.3:
        system[0] = gold.mean() + np.ptp(gold) * 10.0 ** random.integers(1, 8)
    return gold, system * random.choice([1, 1, -1, 0.5])


def test_the_concordance_is_that_of_variances_and_means() -> None:
    for seed in range(300):
        gold, system = random_pair(seed)
        if gold.min() < gold.max():
            value = counted_value(gold, system, "ccc")
            assert value == pytest.approx(concordance(gold, system), rel=1e-9), seed


def counted_value(gold: Floats, system: Floats, name: str) -> float:
    return value_of(counted(gold, system), SCORER.measure(name))


def test_answers_that_are_all_the_same_have_no_concordance_at_all() -> None:
    assert counted_value(GOLD, np.full(90, 3.0), "ccc") == pytest.approx(0, abs=1e-12)
    assert counted_value(np.full(3, 3.0), np.array([1.0, 2, 3]), "ccc") == 0
    assert np.isnan(counted_value(np.full(3, 3.0), np.full(3, 3.0), "ccc"))


def test_a_stored_table_without_its_columns_has_no_concordance() -> None:
    counts = counted(GOLD, SYSTEM)
    new = [*figures.SIGNED, figures.SIGNED_ITEMS, figures.NEAR, figures.NEAR_ITEMS]
    old = {name for name in counts.columns if name.partition("~")[0] not in new}
    columns = tuple(name for name in counts.columns if name in old)
    totals = counts.table[:, [name in old for name in counts.columns]].sum(axis=0)
    for name in ("ccc", "accuracy_within"):
        assert np.isnan(SCORER.measure(name).of(totals, columns))
    assert SCORER.measure("mae").of(totals, columns) > 0


def within(gold: str, system: str, **raw: str) -> float:
    options = parse(SCORER.options, {name: [text] for name, text in raw.items()})
    answers = SCORER.read_gold(Source.of_bytes("gold.csv", gold.encode()), options)
    answer = Source.of_bytes("mine.csv", system.encode())
    counts = count_file(Job(SCORER, options), answers, answer)
    return value_of(counts, SCORER.measure("accuracy_within"))


def test_answers_at_the_distance_are_within_it() -> None:
    gold, system = "id,value\na,3.4\nb,2\nc,5\n", "id,value\na,4.4\nb,3.1\nc,4.5\n"
    assert within(gold, system) == pytest.approx(2 / 3)
    assert within(gold, system, within="0.5") == pytest.approx(1 / 3)
    assert within(gold, system, within="0") == 0


def test_what_is_near_is_so_in_the_decimals_that_are_written() -> None:
    for seed in range(300):
        dice = Random(seed)
        rows = [
            [Decimal(dice.randint(-30, 30)) / dice.choice([1, 10, 100]) for _ in "ab"]
            for _ in range(dice.choice([1, 2, 30]))
        ]
        distance = dice.choice(["0", "0.1", "0.3", "1", "2.05"])
        near = [abs(a - b) <= Decimal(distance) for a, b in rows]
        gold, system = (
            "id,value\n" + "".join(f"i{n},{row[at]}\n" for n, row in enumerate(rows))
            for at in (0, 1)
        )
        value = within(gold, system, within=distance)
        assert value == pytest.approx(sum(near) / len(near)), seed


def test_a_deviation_of_its_own_lets_an_answer_be_further_off() -> None:
    # SemEval-2026 task 5: within the deviation of the people asked, or within 1.
    gold = "id,value,stdev\na,3,1.6\nb,3,0.2\nc,3,1.2\n"
    system = "id,value\na,1.5\nb,4\nc,4.5\n"
    assert within(gold, system) == pytest.approx(1 / 3)
    assert within(gold, system, deviation="stdev") == pytest.approx(2 / 3)


def test_deviations_are_not_published() -> None:
    gold = Source.of_bytes("gold.csv", b"id,value,stdev\na,3,1.6\nb,3,0.2\n")
    options = parse(SCORER.options, {"deviation": ["stdev"]})
    assert SCORER.blind(gold, options).single() == b"id\na\nb\n"


@loop_over("cell", ["", "-1", "wide", "nan"])
def test_a_deviation_that_is_none_is_refused_with_its_line(cell: str) -> None:
    gold = f"id,value,stdev\na,3,1\nb,3,{cell}\n"
    with pytest.raises(SetupError) as caught:
        within(gold, "id,value\na,3\nb,3\n", deviation="stdev")
    (problem,) = caught.value.problems
    assert problem.line == 3
    assert "'stdev'" in problem.message


@loop_over("text", ["-1", "near", "1,5", "inf"])
def test_a_distance_that_is_none_is_refused(text: str) -> None:
    require = SCORER.require_options
    assert require is not None
    with pytest.raises(UsageError, match="expected a number from 0"):
        require(parse(SCORER.options, {"within": [text]}))


def test_a_list_of_numbers_has_no_column_of_deviations() -> None:
    with pytest.raises(SetupError):
        within("3\n4\n", "3\n4\n", deviation="stdev")
