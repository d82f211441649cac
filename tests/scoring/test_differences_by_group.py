"""Systems whose differences are alike inside documents are compared by documents."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import plumbline
from benchmarks._page import DOCS
from benchmarks.simulation.documents import Documents
from benchmarks.simulation.documents import tested as pairs_of
from benchmarks.simulation.populations import ACCURACY, EQUAL, numbers_of
from scoring import Counts
from scoring.__main__ import main
from scoring.counts import JudgeCells
from scoring.scorers import get
from scoring.statistics.bootstrap import Plan
from scoring.statistics.comparison import compare_all
from scoring.statistics.exchange import all_pairs
from scoring.statistics.groups import by_group, grouping_to_exchange, typical
from scoring.statistics.judges import Judges
from scoring.statistics.large_boards import told_apart
from scoring.statistics.power import separation
from scoring.statistics.ranks import better_than

DOCUMENTS, EACH = 20, 10
GROUPS = ("document",)
PLAN = Plan(resamples=200)


def system(right: np.ndarray, group: str = "document") -> Counts:
    """Sentences of ten words in documents of EACH sentences."""
    size = len(right)
    names = tuple(f"s{i:04}" for i in range(size))
    labels = tuple(f"d{i // EACH:02}" for i in range(size))
    table = np.stack([right, np.full(size, 10)], axis=1) * 1.0
    return Counts(names, ("right", "wanted"), table, {group: labels})


def own_documents(seed: int, systems: int = 2, more: float = 0.0) -> list[Counts]:
    """Systems that find other documents easy than the others do; the first has `more`
    everywhere."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(systems):
        good = 0.6 + rng.normal(0, 0.15, DOCUMENTS) + (more if k == 0 else 0.0)
        chance = np.clip(np.repeat(good, EACH), 0, 1)
        found.append(system(rng.binomial(10, chance)))
    return found


def shared_documents(seed: int, gap: float) -> list[Counts]:
    """Ten systems `gap` apart from best to worst that find the same documents hard."""
    rng = np.random.default_rng(seed)
    hard = np.repeat(rng.normal(0, 0.15, DOCUMENTS), EACH)
    return [
        system(rng.binomial(10, np.clip(0.7 + hard - gap * k / 9, 0, 1)))
        for k in range(10)
    ]


def rows_of(systems: list[Counts]) -> list[list[Counts]]:
    return [[counts] for counts in systems]


def test_systems_with_documents_of_their_own_are_compared_by_documents() -> None:
    assert (
        grouping_to_exchange(rows_of(own_documents(1)), ACCURACY, GROUPS) == "document"
    )


def test_documents_that_are_hard_for_all_are_no_reason() -> None:
    assert (
        grouping_to_exchange(rows_of(shared_documents(1, 0.0)), ACCURACY, GROUPS) == ""
    )


def test_a_system_that_is_better_everywhere_is_no_reason() -> None:
    """Its lead adds up inside documents, and would look like likeness there."""
    assert (
        grouping_to_exchange(rows_of(shared_documents(2, 0.15)), ACCURACY, GROUPS) == ""
    )


def even_documents(far: int) -> list[Counts]:
    """Two equal systems of which one is right in each sentence: `far` documents are won
    or lost by 4 sentences of ten, the others by 2."""
    won = [7, 3] * (far // 2) + [6, 4] * ((DOCUMENTS - far) // 2)
    right = np.concatenate([np.repeat([1, 0], [n, EACH - n]) for n in won])
    return [
        replace(system(one), table=np.stack([one, np.ones(len(one))], axis=1))
        for one in (right, 1 - right)
    ]


def test_documents_are_exchanged_from_a_quarter_more_variance_on() -> None:
    """By hand: (14 * 16 + 6 * 4) * 20/19 over 200 * 200/199 is 1.299, and with 12
    documents in place of 14 it is 1.173."""
    assert (
        grouping_to_exchange(rows_of(even_documents(14)), ACCURACY, GROUPS)
        == "document"
    )
    assert grouping_to_exchange(rows_of(even_documents(12)), ACCURACY, GROUPS) == ""


def test_one_odd_pair_decides_nothing() -> None:
    effects = [{"document": 1.0}, {"document": 1.1}, {"document": 9.0}]
    assert typical(effects) == {"document": 1.1}


def test_one_document_or_one_for_each_sentence_says_nothing() -> None:
    pair = own_documents(1)
    for labels in (["d"] * 200, [f"d{i}" for i in range(200)]):
        other = [replace(one, groups={"document": tuple(labels)}) for one in pair]
        assert grouping_to_exchange(rows_of(other), ACCURACY, GROUPS) == ""
    assert grouping_to_exchange(rows_of(pair), ACCURACY, ()) == ""
    assert grouping_to_exchange(rows_of(pair[:1]), ACCURACY, GROUPS) == ""
    assert grouping_to_exchange(rows_of([pair[0], pair[0]]), ACCURACY, GROUPS) == ""


def test_whoever_has_not_sent_all_test_sets_has_no_say() -> None:
    pair, other = own_documents(1), shared_documents(1, 0.0)[0]
    rows: list[list[Counts | None]] = [[pair[0], other], [pair[1], None]]
    assert grouping_to_exchange(rows, ACCURACY, GROUPS) == ""
    assert (
        grouping_to_exchange([*rows, [pair[1], other]], ACCURACY, GROUPS) == "document"
    )


def test_a_test_set_without_documents_keeps_its_units() -> None:
    one, two = own_documents(1)
    plain = [replace(counts, groups={}) for counts in (one, two)]
    rows = [[one, plain[0]], [two, plain[1]]]
    assert grouping_to_exchange(rows, ACCURACY, GROUPS) == "document"
    coarse = by_group(rows, ACCURACY, "document")
    assert [len(c.units) for row in coarse for c in row if c] == [20, 200, 20, 200]


def test_groups_keep_the_weight_of_their_test_set() -> None:
    weighted = [[c.with_weight(1.5)] for c in own_documents(1)]
    coarse = by_group(weighted, ACCURACY, "document")
    assert [c.weight for row in coarse for c in row if c] == [1.5, 1.5]


def test_the_test_by_groups_is_that_of_documents_as_units() -> None:
    """The p-value is that of twenty sums, by signs of documents."""
    one, two = own_documents(3, more=0.1)
    (found,) = compare_all({"a": one, "b": two}, ACCURACY, PLAN, GROUPS)
    d = (one.table - two.table)[:, 0].reshape(DOCUMENTS, EACH).sum(axis=1)
    signs = np.random.default_rng(0).integers(0, 2, (50_000, DOCUMENTS)) * 2 - 1
    share = (np.abs(signs @ d) >= abs(d.sum()) - 1e-9).mean()
    assert found.p_value == pytest.approx(share, rel=0.1)
    assert found.compared_by == "document"
    assert (found.won or 0) + (found.lost or 0) + (found.tied or 0) == DOCUMENTS


def test_all_of_a_comparison_is_by_groups() -> None:
    """Interval and second opinion, too: else one would contradict the other."""
    pair = dict(zip("ab", own_documents(3), strict=True))
    (found,) = compare_all(pair, ACCURACY, PLAN, GROUPS)
    (alone,) = compare_all(pair, ACCURACY, PLAN)
    assert found.difference == alone.difference and alone.compared_by is None
    assert found.low is not None and alone.low is not None
    assert found.high is not None and alone.high is not None
    assert found.high - found.low > 1.5 * (alone.high - alone.low)
    assert found.p_value is not None and found.randomization is not None
    assert found.p_value == pytest.approx(found.randomization, abs=0.05)


def test_a_plan_counts_documents_where_tests_do() -> None:
    pair = dict(zip("ab", own_documents(3), strict=True))
    found = separation(pair, ACCURACY, PLAN, groups=GROUPS)
    alone = separation(pair, ACCURACY, PLAN)
    assert (found.compared_by, found.units) == ("document", DOCUMENTS)
    assert (alone.compared_by, alone.units) == (None, DOCUMENTS * EACH)
    assert found.smallest > 1.5 * alone.smallest


def test_a_large_board_tells_apart_by_groups_what_a_small_one_does() -> None:
    rows = by_group(
        rows_of(own_documents(5, systems=12, more=0.2)), ACCURACY, "document"
    )
    pairs = all_pairs(rows, ACCURACY)
    told = told_apart(rows, ACCURACY, 0.95)
    assert told.better.any()
    assert (told.better == better_than(pairs, True, 0.95)).all()


def test_boards_of_equals_with_documents_of_their_own_show_no_difference() -> None:
    """By sentences nearly all of these boards do: 400 sentences are 20 documents."""
    wrong = alone = 0
    for seed in range(40):
        rows = rows_of(own_documents(seed, systems=3))
        group = grouping_to_exchange(rows, ACCURACY, GROUPS)
        found = all_pairs(by_group(rows, ACCURACY, group), ACCURACY)
        wrong += bool((found.adjusted < 0.05).any())
        alone += bool((all_pairs(rows, ACCURACY).adjusted < 0.05).any())
    assert alone >= 25
    assert wrong <= 6


def test_a_measure_of_weighed_rows_is_compared_by_groups() -> None:
    """Pearson's r of numbers, each document with an error of its own."""
    rng = np.random.default_rng(4)
    gold = rng.normal(0, 1, 200)
    measure = get("numbers").measure("pearson")
    labels = tuple(f"d{i // EACH:02}" for i in range(200))
    rows = []
    for _ in range(2):
        off = np.repeat(rng.normal(0, 1, DOCUMENTS), EACH) + rng.normal(0, 0.2, 200)
        counts = numbers_of(gold, gold + off)
        rows.append([replace(counts, groups={"document": labels})])
    assert grouping_to_exchange(rows, measure, GROUPS) == "document"
    coarse = by_group(rows, measure, "document")
    p_value = all_pairs(coarse, measure).p_value[0]
    assert p_value > all_pairs(rows, measure).p_value[0]


def files(tmp_path: Path) -> list[str]:
    """Gold of twenty documents, and two systems that each get some of them wrong."""
    rng = np.random.default_rng(2)
    gold, answers = ["id,label,document"], [["id,label"], ["id,label"]]
    wrong = rng.random((2, DOCUMENTS)) < 0.4
    for d in range(DOCUMENTS):
        for s in range(EACH):
            gold.append(f"{d}-{s},yes,d{d}")
            for k in range(2):
                off = wrong[k, d] != (rng.random() < 0.1)
                answers[k].append(f"{d}-{s},{'no' if off else 'yes'}")
    paths = []
    for name, lines in zip(("gold", "one", "two"), [gold, *answers], strict=True):
        path = tmp_path / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n")
        paths.append(str(path))
    return paths


def test_library_and_command_line_say_what_was_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gold, one, two = files(tmp_path)
    compared = plumbline.compare("classes", gold, one, two, measures="accuracy")
    assert compared["accuracy"].compared_by == "document"
    assert compared.to_dict()[0]["compared_by"] == "document"
    plan = plumbline.power("classes", gold, one, two, measure="accuracy")
    assert (plan.compared_by, plan.units) == ("document", DOCUMENTS)
    called = ["classes", "--gold", gold, "--system", one, two, "--measure", "accuracy"]
    line = "accuracy: compared document by document, units inside one are alike"
    for command in ("compare", "separate"):
        assert main([command, *called]) == 0
        assert capsys.readouterr().out.splitlines()[-1] == line
        assert main([command, *called, "--unit", "document"]) == 0
        assert "compared" not in capsys.readouterr().out


def judged(counts: Counts) -> Counts:
    """The same, of which two people judged a half each."""
    size = len(counts.units)
    places, people = np.arange(size), np.arange(size) % 2
    cells = JudgeCells(
        ("a1", "b2"),
        places,
        people,
        np.zeros(size, dtype=np.int64),
        counts.columns,
        counts.table,
    )
    return replace(counts, judged=cells)


def test_judges_vary_beside_documents_as_beside_sentences() -> None:
    """What each judge adds is the same, whatever its judgements are summed to."""
    rows = rows_of([judged(counts) for counts in own_documents(3)])
    assert grouping_to_exchange(rows, ACCURACY, GROUPS) == "document"
    coarse = by_group(rows, ACCURACY, "document")
    alone, together = (Judges.of(given, ACCURACY) for given in (rows, coarse))
    assert alone is not None and together is not None
    assert together.sums == pytest.approx(alone.sums, abs=1e-9)
    assert [len(own) for own in together.places] == [2 * DOCUMENTS] * 2
    assert [len(own) for own in alone.places] == [DOCUMENTS * EACH] * 2


def test_weighed_rows_that_people_judged_keep_their_units() -> None:
    measure = get("numbers").measure("pearson")
    rows = rows_of([judged(counts) for counts in own_documents(3)])
    assert grouping_to_exchange(rows, measure, GROUPS) == ""


@pytest.mark.parametrize(
    ("kind", "systems", "seed", "line"),
    [
        (Documents(40, 0.02), 3, 6, "1.3 points, .0024, now .30"),
        (Documents(40, 0.05), 10, 0, "3.0 points, .00000007, now 1"),
        (Documents(20, 0.05), 3, 0, "2.6 points, .0008, now .54"),
        (Documents(60, 0.02), 10, 5, "1.7 points, .0002, now 1"),
        (Documents(40, 0.1, answers=True), 3, 6, "5.4 points, .004, now .42"),
    ],
)
def test_differences_that_old_rules_showed_are_those_of_the_release_notes(
    kind: Documents, systems: int, seed: int, line: str
) -> None:
    rows = kind.draw(np.random.default_rng(seed), [EQUAL] * systems)
    old = all_pairs(rows, ACCURACY)
    surest = int(np.argmin(old.adjusted))
    before, now = old.adjusted[surest], pairs_of(rows).adjusted[surest]
    points, first, second = re.findall(r"[\d.]+", line)
    assert 100 * abs(old.difference[surest]) == pytest.approx(float(points), abs=0.05)
    for value, written in ((before, first), (now, second)):
        decimals = len(written.partition(".")[2])
        assert f"{value:.{decimals}f}" == f"{float(written):.{decimals}f}"
    assert line in (DOCS.parent / "CHANGELOG.md").read_text("utf-8")
