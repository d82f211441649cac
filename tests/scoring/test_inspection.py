"""What is marked wrong is what was counted wrong."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.inspection import OUTSIDE, ROOT, Inspection
from scoring.inspection.overview import (
    PAGE,
    CountedSystem,
    UnitQuery,
    listing,
    matrices,
)
from scoring.inspection.slices import MOST_SHOWN, bands, slices
from scoring.scorers import all_scorers, get
from scoring.source import Source
from scoring.statistics.bootstrap import Plan, estimates
from tests.loops import loop_over
from tests.scoring.conllu_cases import conllu
from tests.scoring.examples import Example, examples_of

Marks = dict[str, list[int]]


def inspected(
    name: str, gold: Source, system: Source, options: Example | None = None
) -> tuple[Counts, Inspection]:
    scorer = get(name)
    parsed = (options or Example(gold, [system], {})).parse_options(scorer)
    pair = read_pair(scorer, gold, system, parsed)
    assert scorer.inspect is not None
    return count(scorer, pair, parsed), scorer.inspect(*pair, parsed)


def column(counts: Counts, name: str) -> list[float]:
    found: list[float] = counts.table[:, counts.columns.index(name)].tolist()
    return found


def marked(found: Inspection, *kinds: str) -> list[int]:
    """Items per unit with any of these errors."""
    flags = np.logical_or.reduce([found.wrong[kind] for kind in kinds])
    per_unit: list[int] = found.per_unit(flags).tolist()
    return per_unit


PAIRS = [
    (name, example, system)
    for name in sorted(all_scorers())
    for example in examples_of(name)
    for system in example.systems
]


@loop_over(("name", "example", "system"), PAIRS)
def test_every_scorer_shows_each_of_its_units(
    name: str, example: Example, system: Source
) -> None:
    counts, found = inspected(name, example.gold, system, example)
    assert len(found.sizes) == len(counts.units)
    for flags in (*found.wrong.values(), found.any_wrong):
        assert flags.shape == found.unit_of.shape
    for unit in range(len(counts.units)):
        picture = found.picture(unit)
        assert len(picture.sheet.rows) == len(picture.sheet.wrong)
        assert all(len(r) == len(picture.sheet.columns) for r in picture.sheet.rows)
        json.dumps(asdict(picture), allow_nan=False)
    for matrix in matrices(found):
        items = sum(map(sum, matrix.cells)) + matrix.left_out
        assert 0 < items <= len(found.unit_of)


@loop_over(
    ("example", "system"),
    [(e, s) for e in examples_of("attachment") for s in e.systems],
)
def test_attachment_marks_what_uas_and_las_lost(
    example: Example, system: Source
) -> None:
    counts, found = inspected("attachment", example.gold, system, example)
    words = np.array(column(counts, "words"))
    assert marked(found, "head") == (words - column(counts, "uas")).tolist()
    assert marked(found, "head", "label") == (words - column(counts, "las")).tolist()


@loop_over(
    ("example", "system"), [(e, s) for e in examples_of("conll18") for s in e.systems]
)
def test_conll18_marks_what_the_gold_words_lost(
    example: Example, system: Source
) -> None:
    counts, found = inspected("conll18", example.gold, system, example)
    assert (
        marked(found, "word")
        == (
            np.array(column(counts, "words_gold"))
            + column(counts, "words_system")
            - 2 * np.array(column(counts, "words"))
        ).tolist()
    )
    paired = np.array(column(counts, "words"))
    for kind, measure in (("head", "uas"), ("upos", "upos"), ("lemma", "lemmas")):
        assert marked(found, kind) == (paired - column(counts, measure)).tolist()
    assert marked(found, "head", "label") == (paired - column(counts, "las")).tolist()


@loop_over(
    ("example", "system"), [(e, s) for e in examples_of("spans") for s in e.systems]
)
def test_spans_show_every_match_every_miss_and_every_clash(
    example: Example, system: Source
) -> None:
    counts, found = inspected("spans", example.gold, system, example)
    wrong = found.any_wrong
    assert found.per_unit(~wrong).tolist() == column(counts, "match")
    assert marked(found, "missing") == column(counts, "missing")
    assert marked(found, "spurious") == column(counts, "spurious")
    for unit in range(len(counts.units)):
        gold, system_side = found.picture(unit).pieces
        clashes = [
            sum("clash" in p.verdict for p in side) for side in (gold, system_side)
        ]
        assert clashes[0] >= counts.table[unit, counts.columns.index("refclash")]
        assert clashes[1] >= counts.table[unit, counts.columns.index("hypclash")]


@loop_over(
    ("example", "system"), [(e, s) for e in examples_of("semarkup") for s in e.systems]
)
def test_semarkup_marks_every_score_that_is_not_the_best(
    example: Example, system: Source
) -> None:
    counts, found = inspected("semarkup", example.gold, system, example)
    tokens = np.array(column(counts, "tokens"))
    for name in ("pos", "uas", "las", "semslot"):
        assert marked(found, name) == (tokens - column(counts, name)).tolist()


@loop_over(
    ("name", "example", "system"),
    [p for p in PAIRS if p[0] in ("senseval", "unl-text")],
)
def test_an_item_is_wrong_where_its_unit_lost_something(
    name: str, example: Example, system: Source
) -> None:
    counts, found = inspected(name, example.gold, system, example)
    best, got = {"senseval": ("total", "score"), "unl-text": ("expected", "correct")}[
        name
    ]
    totals = [counts.where(np.array([i])) for i in range(len(counts.units))]
    lost = [int(one.total(best) > one.total(got)) for one in totals]
    assert found.per_unit(found.any_wrong).tolist() == lost


GOLD = conllu(
    "small/2/amod/_/ADJ/_ boats/3/nsubj/_/NOUN/_ drift/0/root/_/VERB/_",
    "#newdoc=2 fog/2/nsubj/_/NOUN/_ falls/0/root/_/VERB/_",
    name="gold.conllu",
)
SYSTEM = conllu(
    "small/3/amod/_/ADJ/_ boats/3/obj/_/NOUN/_ drift/0/root/_/VERB/_",
    "fog/2/nsubj/_/NOUN/_ falls/0/root/_/VERB/_",
    name="system.conllu",
)


def test_a_sentence_worked_by_hand_is_marked_word_by_word() -> None:
    counts, found = inspected("attachment", GOLD, SYSTEM)
    gold, system = found.picture(0).trees
    assert [(w.head, w.relation, w.wrong) for w in gold] == [
        (2, "amod", ("head",)),
        (3, "nsubj", ("label",)),
        (ROOT, "root", ()),
    ]
    assert [(w.head, w.relation, w.wrong) for w in system] == [
        (3, "amod", ("head",)),
        (3, "obj", ("label",)),
        (ROOT, "root", ()),
    ]
    assert found.picture(0).sheet.rows[0] == (
        1,
        "small",
        2,
        "amod",
        1,
        "small",
        3,
        "amod",
    )
    assert marked(found, "head", "label") == [2, 0]
    assert column(counts, "las") == [1, 2]


def test_a_head_in_another_sentence_is_outside_the_picture() -> None:
    joined = conllu(
        "small/2/amod/_/ADJ/_ boats/3/nsubj/_/NOUN/_ drift/5/root/_/VERB/_ "
        "fog/5/nsubj/_/NOUN/_ falls/0/root/_/VERB/_",
        name="joined.conllu",
    )
    _, found = inspected("conll18", GOLD, joined)
    assert [word.head for word in found.picture(0).trees[1]] == [2, 3, OUTSIDE]
    assert [word.head for word in found.picture(1).trees[1]] == [2, ROOT]


def test_units_are_listed_worst_first_and_chosen_by_their_errors() -> None:
    counts, found = inspected("attachment", GOLD, SYSTEM)
    measure = get("attachment").measure("las")
    side = CountedSystem(counts, found)

    def units(**query: object) -> list[int]:
        asked = UnitQuery(**query)  # type: ignore[arg-type]
        return [line.unit for line in listing(side, measure, asked).lines]

    assert units() == [0, 1]
    assert units(order="file", kind="head") == [0]
    assert units(gold=("relation", "nsubj")) == [0, 1]
    assert units(gold=("relation", "nsubj"), system=("relation", "obj")) == [0]
    assert units(kind="label", gold=("relation", "amod")) == []
    assert units(shortest=3) == [0]
    assert units(longest=2) == [1]
    assert units(slice=("document", "2")) == [1]
    assert units(gold=("no such layer", "nsubj")) == []
    whole = listing(side, measure, UnitQuery())
    assert whole.errors == {"head": 1, "label": 1}
    assert whole.lines[0].errors == {"head": 1, "label": 1}
    assert whole.lines[0].value == pytest.approx(1 / 3)


def test_two_systems_differ_where_they_count_differently() -> None:
    measure = get("attachment").measure("las")
    one, other = (
        CountedSystem(*inspected("attachment", GOLD, s)) for s in (SYSTEM, GOLD)
    )
    found = listing(one, measure, UnitQuery(differing=True, order="difference"), other)
    assert [(line.unit, line.other) for line in found.lines] == [(0, 1.0)]
    assert listing(one, measure, UnitQuery(differing=True), one).lines == []


def test_the_last_page_stands_for_pages_that_there_are_not() -> None:
    gold = conllu(*["fog/0/root/_/NOUN/_"] * (PAGE + 3), name="gold.conllu")
    counts, found = inspected("attachment", gold, gold)
    measure = get("attachment").measure("las")
    last = listing(CountedSystem(counts, found), measure, UnitQuery(page=99))
    assert (last.page, last.pages, len(last.lines)) == (2, 2, 3)


def test_labels_are_confused_as_often_as_the_words_say() -> None:
    counts, found = inspected("attachment", GOLD, SYSTEM)
    (matrix,) = matrices(found)
    at = {label: place for place, label in enumerate(matrix.labels)}
    assert matrix.cells[at["nsubj"]][at["obj"]] == 1
    assert matrix.cells[at["nsubj"]][at["nsubj"]] == 1
    assert matrix.cells[at["root"]][at["root"]] == 2
    plan = Plan(200)
    parts = slices(counts, get("attachment").measure("las"), plan, found)
    of_documents = [p for p in parts if p.group == "document"]
    assert [(p.units, p.value, p.errors) for p in of_documents] == [
        (1, pytest.approx(1 / 3), 2),
        (1, 1.0, 0),
    ]
    # Of one unit nothing is known about others; of all, what a board would say.
    assert {(p.low, p.high) for p in of_documents} == {(None, None)}
    las = estimates(counts, [get("attachment").measure("las")], plan)["las"]
    whole = parts[0]
    assert (whole.value, whole.low, whole.high) == (las.value, las.low, las.high)


def test_bands_of_lengths_have_about_as_many_units_each() -> None:
    assert bands(np.arange(1, 11)) == [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10)]
    assert bands(np.array([3, 3, 3, 3, 40])) == [(3, 3), (4, 40)]
    assert bands(np.ones(4, dtype=np.int64)) == []


def test_every_slice_can_be_chosen_and_the_largest_stand_in_the_table() -> None:
    names = [f"word{i}.n" for i in range(MOST_SHOWN + 5)]
    lexelts = (*names, names[-1])
    units = tuple(f"i{i}" for i in range(len(lexelts)))
    counts = Counts.per_unit(
        units,
        np.arange(len(units), dtype=np.int64),
        {"las": np.ones(len(units)), "words": np.ones(len(units))},
        {"lexelt": lexelts},
    )
    parts = slices(counts, get("attachment").measure("las"))
    assert sorted(part.label for part in parts[1:]) == sorted(names)
    large = {part.label for part in parts[1:] if part.large}
    assert len(large) == MOST_SHOWN and names[-1] in large
