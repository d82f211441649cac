"""Coreference: worked cases, refusals, both formats, and the field's scorer.

The numbers of `WORKED` were worked by hand from the definitions: MUC (Vilain et al.
1995), B³ (Bagga and Baldwin 1998), CEAF (Luo 2005), BLANC (Recasens and Hovy 2011,
extended by Luo et al. 2014), LEA (Moosavi and Strube 2016).
"""

import json

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from scoring.engine import count, read_pair
from scoring.errors import Refused, SetupError
from scoring.options import parse
from scoring.report import details_csv
from scoring.scorers import get
from scoring.scorers.coreference.assignment import assign, heaviest
from scoring.source import Source
from tests.loops import loop_over
from tests.scoring.examples.coreference import COLUMNS, GOLD, SHORTER
from tests.scoring.outside import published

SCORER = get("coreference")


def text(*mentions: str, header: str = "eid-etype-head-other") -> Source:
    """One sentence; each word has these mentions, "" for none. "a.b" are those of a
    word and, behind the dot, of a node behind it that is not in the text."""
    lines = [f"# global.Entity = {header}", "# newdoc id = d1"]
    for place, own in enumerate(mentions, 1):
        word, dot, zero = own.partition(".")
        cells = [str(place), f"w{place}", *"____", "0", "_", "_"]
        lines.append("\t".join([*cells, f"Entity={word}" if word else "_"]))
        if dot:
            dependency, _, entity = zero.partition(" ")
            cells = [f"{place}.1", *"_______", dependency, f"Entity={entity}"]
            lines.append("\t".join(cells))
    return Source.of_bytes("text.conllu", ("\n".join(lines) + "\n\n").encode())


def single(*entities: str) -> Source:
    """A sentence of mentions of one word each, by their entities, "" for none."""
    return text(*(f"({entity}-x-1-)" if entity else "" for entity in entities))


def scores(gold: Source, system: Source, **options: str) -> dict[str, float]:
    parsed = parse(SCORER.options, {name: [v] for name, v in options.items()})
    counts = count(SCORER, read_pair(SCORER, gold, system, parsed), parsed)
    measures = SCORER.measures(counts.columns)
    return {one.name: float(one.of(counts.totals, counts.columns)) for one in measures}


# Gold {1,2,3} {4,5}, system {1,2} {3,4} {6,7}; recall, precision.
WORKED = {
    "muc": (1 / 3, 1 / 3),
    "bcub": (13 / 30, 1 / 2),
    "ceafe": (1.3 / 2, 1.3 / 3),
    "ceafm": (3 / 5, 3 / 6),
    "lea": (1 / 5, 2 / 6),
    "mor": (4 / 5, 4 / 6),
    "blanc": (7 / 24, 1 / 4),
}
WORKED_F1 = {"muc": 1 / 3, "bcub": 13 / 28, "ceafe": 0.52, "blanc": 16 / 63}


def test_a_case_worked_by_hand() -> None:
    found = scores(
        single("k", "k", "k", "l", "l", "", ""),
        single("a", "a", "b", "b", "", "c", "c"),
    )
    for name, (recall, precision) in WORKED.items():
        assert found[f"{name}_recall"] == pytest.approx(recall, abs=1e-12)
        assert found[f"{name}_precision"] == pytest.approx(precision, abs=1e-12)
    for name, value in WORKED_F1.items():
        assert found[f"{name}_f1"] == pytest.approx(value, abs=1e-12)
    mean = sum(WORKED_F1[name] for name in ("muc", "bcub", "ceafe")) / 3
    assert found["conll_f1"] == pytest.approx(mean, abs=1e-12)


def test_entities_of_one_mention_count_where_the_task_says_so() -> None:
    gold, system = single("k", "k", "l", ""), single("a", "a", "b", "c")
    assert scores(gold, system)["bcub_f1"] == 1
    found = scores(gold, system, singletons="true")
    # Three of three mentions, each with its entity; four of the system's.
    assert (found["bcub_recall"], found["bcub_precision"]) == (1, 3 / 4)
    # An entity of one mention is right where the other side's has one, too.
    assert (found["lea_recall"], found["lea_precision"]) == (1, 3 / 4)


def test_mentions_match_by_words_by_their_head_or_as_a_part_with_it() -> None:
    gold = text("(a-x-2-", "", "a)", "(a-x-1-)")
    cases = {
        # Within the gold's, with its head.
        ("", "(a-x-1-", "a)", "(a-x-1-)"): (0, 1, 1),
        # The same head, not within the gold's.
        ("", "(a-x-1-", "", "a)(a-x-1-)"): (0, 0, 1),
        # Within the gold's, without its head.
        ("(a-x-1-)", "", "", "(a-x-1-)"): (0, 0, 0),
        # The same words, another head: no mention of the same head.
        ("(a-x-1-", "", "a)", "(a-x-1-)"): (1, 1, 0),
    }
    for words, expected in cases.items():
        for match, value in zip(("exact", "partial", "head"), expected, strict=True):
            assert scores(gold, text(*words), match=match)["muc_f1"] == value


def test_a_mention_with_gaps_is_the_set_of_its_words() -> None:
    gold = text("(a[1/2]-x-1-)", "", "(a[2/2]-x-1-", "a[2/2])", "(a-x-1-)")
    same = text("(b[1/2]-x-1-)", "", "(b[2/2]-x-3-", "b[2/2])", "(b-x-1-)")
    whole = text("(b-x-1-", "", "", "b)", "(b-x-1-)")
    assert scores(gold, same)["conll_f1"] == 1
    found = scores(gold, whole)
    assert found["muc_f1"] == 0
    # Four of five words of the system's, all four of the gold's.
    assert (found["mor_recall"], found["mor_precision"]) == (4 / 4, 4 / 5)


def test_a_mention_left_out_of_the_text_is_matched_by_what_it_depends_on() -> None:
    gold = text("(a-x-1-)", ".1:nsubj (a-x-1-)", "")
    assert scores(gold, text("(b-x-1-)", "", ".1:nsubj (b-x-1-)"))["muc_f1"] == 1
    assert scores(gold, text("(b-x-1-)", "", ".1:obj (b-x-1-)"))["muc_f1"] == 1
    assert scores(gold, text("(b-x-1-)", "", ".2:nsubj (b-x-1-)"))["muc_f1"] == 0


def test_entities_of_two_documents_are_two() -> None:
    first = single("a", "a").single()
    two = first + first.replace(b"d1", b"d2")
    found = scores(Source.of_bytes("g", two), Source.of_bytes("s", two))
    assert found["conll_f1"] == 1
    parsed = parse(SCORER.options, {})
    pair = read_pair(
        SCORER, Source.of_bytes("g", two), Source.of_bytes("s", two), parsed
    )
    counts = count(SCORER, pair, parsed)
    assert counts.units == ("d1", "d2")
    assert counts.total("entities_gold") == 2


def test_columns_of_conll_2012_are_scored_part_by_part() -> None:
    gold = Source.of_bytes("gold", COLUMNS.encode())
    assert scores(gold, gold)["conll_f1"] == 1
    parsed = parse(SCORER.options, {})
    counts = count(SCORER, read_pair(SCORER, gold, gold, parsed), parsed)
    assert counts.units == ("sea/harbour; part 000", "sea/harbour; part 001")
    assert counts.groups == {"genre": ("sea", "sea")}
    with pytest.raises(SetupError, match="no heads"):
        scores(gold, gold, match="head")


def test_assignments_are_those_of_scipy_ties_included() -> None:
    dice = np.random.default_rng(1)
    for _ in range(400):
        shape = tuple(dice.integers(1, 9, 2).tolist())
        table = dice.integers(0, 4, shape) / 3 * (dice.random(shape) < dice.random())
        pairs = [(i, j, float(table[i, j])) for i, j in np.argwhere(table).tolist()]
        rows, columns = linear_sum_assignment(-table)
        expected = [
            (i, j)
            for i, j in zip(rows.tolist(), columns.tolist(), strict=True)
            if table[i, j]
        ]
        assert [(i, j) for i, j, _ in assign(shape, pairs)] == expected
        best = sum(weight for *_, weight in heaviest(pairs))
        assert best == pytest.approx(table[rows, columns].sum())


REFUSED = {
    "not closed": (text("(a-x-1-", ""), 3, "is not closed in its sentence"),
    "not open": (text("", "a)"), 4, "no mention of it is open"),
    "head": (text("(a-x-3-", "a)"), 3, "a number from 1 to 2"),
    "parts": (text("(a[1/2]-x-1-)", ""), 3, "has 1 of its 2 parts"),
    "second part": (text("(a[2/2]-x-1-)", ""), 3, "is not the next part"),
    "brackets": (text("a", ""), 3, "neither opens nor closes"),
    "no entity": (text("(-x-1-)", ""), 3, "without an entity"),
    "no header": (text("(a-x-1-)", "", header="x").single(), 1, "names no field eid"),
}


@loop_over("name", REFUSED)
def test_a_file_is_refused_with_the_line_of_what_is_wrong(name: str) -> None:
    system, line, words = REFUSED[name]
    if isinstance(system, bytes):
        system = Source.of_bytes("text.conllu", system)
    with pytest.raises(Refused, match=words) as caught:
        scores(single("a", "a"), system)
    problem = caught.value.problems[0]
    assert (problem.file, problem.line) == ("text.conllu", line)


def test_all_problems_of_a_file_are_told_at_once() -> None:
    with pytest.raises(Refused) as caught:
        scores(single("a", "a", "a"), text("(a-x-1-", "b)", "(c-x-9-)(-x-1-)"))
    found = [(problem.line, problem.message) for problem in caught.value.problems]
    assert [line for line, _ in found] == [4, 5, 3]


def test_mentions_without_a_header_are_refused() -> None:
    data = single("a", "a").single().split(b"\n", 1)[1]
    with pytest.raises(Refused, match=r"no '# global.Entity'") as caught:
        scores(single("a", "a"), Source.of_bytes("s", data))
    assert "eid-etype-head-other" in str(caught.value.problems[0].hint)


def test_other_words_are_refused_with_their_line() -> None:
    other = GOLD.single().replace(b"\tlamp\t", b"\tlampe\t")
    with pytest.raises(Refused, match="word 2 is 'lampe'; expected 'lamp'") as caught:
        scores(GOLD, Source.of_bytes("s", other))
    line = other.split(b"\tlampe")[0].count(b"\n") + 1
    assert caught.value.problems[0].line == line


def test_nodes_left_out_of_the_text_stand_where_their_number_says() -> None:
    data = text(".1:x (a-x-1-)", "").single().replace(b"1.1\t", b"2.1\t")
    with pytest.raises(Refused, match=r"the empty node '2.1' is out of place"):
        scores(single("a", "a"), Source.of_bytes("s", data))


def test_mentions_that_are_too_many_to_compare_are_refused() -> None:
    words = [
        "".join(f"(e{i}-x-1-" for i in range(70)),
        "".join(f"e{i})" for i in range(70)),
    ]
    with pytest.raises(Refused, match="more than 64 mentions hold this word"):
        scores(single("a", "a"), text(*words))


def test_a_gold_without_mentions_is_a_set_up_error() -> None:
    with pytest.raises(SetupError, match="no mention of any entity"):
        scores(single("", ""), single("a", "a"))


def test_organizers_are_told_that_all_entities_of_a_gold_are_left_out() -> None:
    gold = single("a", "b")
    parsed = parse(SCORER.options, {})
    read = SCORER.read_gold(gold, parsed)
    assert "left out: singletons=true" in SCORER.gold_remarks(read, parsed)[0]
    assert scores(gold, gold)["conll_f1"] == 0
    assert scores(gold, gold, singletons="true")["bcub_f1"] == 1


def test_details_give_a_verdict_for_every_mention() -> None:
    parsed = parse(SCORER.options, {})
    pair = read_pair(SCORER, GOLD, SHORTER, parsed)
    rows = details_csv(SCORER.details(*pair, parsed)).splitlines()
    assert rows[1] == "harbour,1,5,missing,e1,The old harbour,,"
    assert "harbour,2,14,match,e1,it,a,it" in rows
    verdicts = [row.split(",")[3] for row in rows[1:]]
    counts = count(SCORER, pair, parsed)
    mentions = counts.total("mentions_gold") + verdicts.count("spurious")
    assert len(verdicts) == mentions


def test_remarks_tell_of_mentions_of_several_entities() -> None:
    parsed = parse(SCORER.options, {})
    several = text("(a-x-1-)(b-x-1-)", "(a-x-1-)", "(b-x-1-)")
    gold, system = read_pair(SCORER, single("a", "a", "b"), several, parsed)
    (remark,) = SCORER.remarks(gold, system, parsed)
    assert remark.startswith("1 stretches of words are mentions of several entities")


def test_remarks_tell_of_mentions_that_are_written_again() -> None:
    parsed = parse(SCORER.options, {})
    gold = single("a", "a", "b")
    for pieces, number in (
        (("(a-x-1-)(a-x-1-)", "(a-x-1-)", "(b-x-1-)"), 1),
        (("(a-x-1-)(a-x-1-)(a-x-1-)", "(a-x-1-)", "(b-x-1-)"), 2),
        (("(a-x-1-)(a-x-1-)", "(a-x-1-)", "(b-x-1-)(b-x-1-)"), 2),
    ):
        pair = read_pair(SCORER, gold, text(*pieces), parsed)
        (remark,) = SCORER.remarks(*pair, parsed)
        assert remark.startswith(f"{number} mentions are written again")
        once = count(SCORER, read_pair(SCORER, gold, gold, parsed), parsed)
        again = count(SCORER, pair, parsed)
        for measure in SCORER.fixed_measures:
            totals = [side.table.sum(axis=0) for side in (once, again)]
            first, second = (measure.of(total, once.columns) for total in totals)
            assert first == second


@pytest.mark.published
def test_the_cases_of_the_corefud_scorer_have_its_values() -> None:
    cases = json.loads(published("coreference", "cases.json").read_text())
    assert len(cases) == 546
    for case in cases:
        gold, system = (
            Source.of_path(published("coreference", case[side]))
            for side in ("gold", "system")
        )
        single_ones = str(case["options"]["singletons"]).lower()
        options = {"match": case["options"]["match"], "singletons": single_ones}
        found = scores(gold, system, **options)
        for name, value in case["expected"].items():
            assert found[name] == pytest.approx(value, abs=1e-9), (case, name)


def test_a_megabyte_that_never_closes_is_read_in_linear_time() -> None:
    long = "9" * 1_000_000
    for own in (long, f"(e1-x-1-){long}", "(" * 500_000, "[" * 1_000_000):
        with pytest.raises(Refused, match="neither opens nor closes"):
            scores(single("a", "a"), text(own, ""))
    title = COLUMNS.replace("(sea/harbour)", "a" + " " * 500_000 + "b")
    system = Source.of_bytes("s", title.encode())
    assert scores(Source.of_bytes("g", COLUMNS.encode()), system)["conll_f1"] == 1
