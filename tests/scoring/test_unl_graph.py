"""UNL graphs: their expressions and what counts as returned."""

import pytest

from scoring.scorers.unl import reader
from scoring.scorers.unl.reader import UnlNode, Unreadable
from tests.loops import loop_over
from tests.scoring.unls import (
    GRAPH,
    graphs,
    measured,
    options,
    refusal,
    result,
    rows,
    setup_error,
    source,
)

PAIR = "agt(drift(icl>move).@entry, boat(icl>vessel).@pl)"


def node(text: str) -> UnlNode:
    """The node of an expression that is nothing but one."""
    graph = reader.parse(text)
    assert not graph.relations
    return graph.singles[0]


def row(system: str, gold: str, **given: str) -> dict[str, object]:
    return rows(GRAPH, graphs(gold), graphs(system), **given)[0]


def why(system: str, gold: str = PAIR, **given: str) -> object:
    return row(system, gold, **given)["why"]


@loop_over(
    ("text", "uw", "name", "attributes"),
    [
        ("301400500", "301400500", "", ()),
        ("301400500:02.@pl.@def", "301400500", "02", ("@pl", "@def")),
        ('"Merry, Gulls":0A.@pl', '"Merry, Gulls"', "0A", ("@pl",)),
        ('"a.@b (c"', '"a.@b (c"', "", ()),
        ("sea gull", "sea gull", "", ()),
        (
            "boat(icl>vessel(icl>thing)).@pl",
            "boat(icl>vessel(icl>thing))",
            "",
            ("@pl",),
        ),
        ("sea gull(icl>bird, pof>flock):01", "sea gull(icl>bird, pof>flock)", "01", ()),
        ("3.14", "3.14", "", ()),
        ('"12:30"', '"12:30"', "", ()),
    ],
)
def test_a_single_uw_is_read(
    text: str, uw: str, name: str, attributes: tuple[str, ...]
) -> None:
    for written in (text, f" [W]\n{text}\n[/W] "):
        assert node(written) == UnlNode(uw, name, attributes)


def test_relations_are_read_on_one_line_or_many() -> None:
    text = 'or:01(:02.@not,"a, b":01) mod( boat(icl>x(icl>y)) ,\n12 )'
    first, second = reader.parse(text).relations
    assert (first.label, first.scope) == ("or", "01")
    assert (first.source.is_scope, first.source.id) == (True, "02")
    assert first.target.key == ('"a, b"', "01")
    assert (second.source.uw, second.target.uw) == ("boat(icl>x(icl>y))", "12")


@loop_over(
    "text",
    [
        "",
        " \n ",
        "agt(",
        "agt(a",
        "agt(a)",
        "agt(a, b",
        "agt(a, b, c)",
        "agt(a, )",
        "agt(a, b) and",
        "agt(a, b))",
        'agt(a, "b)',
        "(a, b)",
        "agt((a, b)",
        "a, b",
        "[W] 12",
        "[W] [/W]",
        "12 [/W]",
        "a.@",
        "a.@x y",
        "agt(a.@@x, b)",
        "12\n13",
    ],
)
def test_what_is_no_graph_is_not_returned(text: str) -> None:
    with pytest.raises(Unreadable):
        reader.parse(text)
    found = row(text, PAIR)
    assert (found["returned"], found["correct"], bool(found["why"])) == (0, 0, True)
    assert found["overall_discrepancy"] == 1


def test_an_endless_expression_is_not_returned() -> None:
    assert why("mod(1, 2)\n" * 20_000) == "longer than 100,000 characters"
    assert why("mod(1, 2)\n" * 9_000) == ""


def test_a_missing_sentence_is_not_returned() -> None:
    gold = graphs(PAIR, PAIR)
    found = rows(GRAPH, gold, graphs(PAIR))
    assert [r["why"] for r in found] == ["", "missing sentence"]
    assert measured(GRAPH, gold, graphs(PAIR))["recall"] == 1 / 2


@pytest.mark.parametrize(
    "system",
    ["agt(boot, 12)", "agt(boot.@pl, boot:01)", 'agt("x", boot)', "boot"],
)
def test_a_word_without_constraints_is_natural_language(system: str) -> None:
    assert str(why(system)).startswith("natural-language words: boot")


@pytest.mark.parametrize(
    "system",
    [
        'agt("boot", 12)',
        "agt(boot(icl>shoe), -3.5)",
        "agt(1,000, :01)",
        '"some boot"(icl>shoe)',
    ],
)
def test_numbers_quotes_and_constraints_make_a_uw(system: str) -> None:
    assert why(system.replace("1,000", "1000")) == ""


def test_words_of_any_gold_graph_are_uws() -> None:
    gold = graphs(PAIR, "mod(boot, 12)")
    found = rows(GRAPH, gold, graphs("mod(boot, 12)", "mod(boot, 12)"))
    assert [r["why"] for r in found] == ["", ""]


def test_words_of_the_tasks_list_are_uws() -> None:
    assert why("agt(boot, sea  gull)", uw_list="boot\r\n\nsea gull") == ""
    assert why("agt(boot, quay)", uw_list="boot\n") == "natural-language words: quay"


def test_a_uw_list_that_is_no_text_is_a_setup_error() -> None:
    assert setup_error(GRAPH, graphs(PAIR), uw_list="") != ()


@loop_over(
    ("system", "connected"),
    [
        ("mod(1, 2) mod(2, 3)", True),
        ("mod(1, 2) mod(3, 4)", False),
        ("mod(1:01, 2) mod(1:02, 3)", False),
        ("mod(1:01, 2) mod(1:01.@pl, 3)", True),
        ("mod(1, :01) and:01(2, 3)", True),
        ("mod(1, :01) and:02(2, 3)", False),
        ("mod(1, :01) and:01(2, :02) or:02(3, 4)", True),
        ("and:01(1, 2) and:01(3, 4)", True),
        ("mod(1, 1)", True),
        ("[W] 1 [/W] [W] 2 [/W]", False),
        ("[W] 1 [/W] mod(1, 2)", True),
    ],
)
def test_a_graph_hangs_together(system: str, connected: bool) -> None:
    assert (why(system) == "") is connected


def test_gold_is_never_asked_whether_it_hangs_together() -> None:
    apart = "mod(1, 2) mod(3, 4)"
    assert setup_error(GRAPH, graphs(apart)) == ()


def test_means_are_over_all_expected_sentences() -> None:
    gold = graphs("mod(1.@pl, 2)", "mod(3, 4)", "12")
    system = graphs("mod(1, 2)", "mod(3, 5)", "mod(")
    found = measured(GRAPH, gold, system)
    assert found["relation_discrepancy"] == pytest.approx((0 + 1 + 0) / 3)
    assert found["uw_discrepancy"] == pytest.approx((0 + 2 / 4 + 1) / 3)
    assert found["overall_discrepancy"] == pytest.approx(
        (1 / (3 * 2 + 2 * 4 + 1) + (3 * 2 + 2 * 2) / (3 * 2 + 2 * 4) + 1) / 3
    )


def test_discrepancies_are_better_when_lower() -> None:
    lower = [m.name for m in GRAPH.measures(()) if not m.higher_is_better]
    assert lower == ["relation_discrepancy", "uw_discrepancy", "overall_discrepancy"]


def test_nothing_returned_is_no_precision_but_zero() -> None:
    found = measured(GRAPH, graphs(PAIR), graphs("("))
    assert (found["precision"], found["recall"], found["f1"]) == (0, 0, 0)


def test_remarks_say_what_was_not_returned() -> None:
    gold = graphs(*[PAIR] * 7)
    system = graphs(*["boot"] * 6)
    found = result(GRAPH, gold, system).remarks
    assert (
        "not returned, natural-language words: 6 of the sentences (1, 2, 3, 4, 5, ...)"
        in (found)
    )
    assert "not returned, missing sentence: 1 of the sentences (7)" in found


def test_documents_are_a_coarser_unit() -> None:
    gold = f"[D:a]{graphs(PAIR, PAIR)}[/D][D:b]{graphs(PAIR).replace('S:1', 'S:9')}[/D]"
    parsed = options(GRAPH)
    read = GRAPH.read_gold(source("gold", gold), parsed)
    counts = GRAPH.count(read, read.sentences, parsed)
    assert counts.by("document").units == ("a", "b")


@pytest.mark.parametrize(
    ("gold", "line"), [("[S:1]\n[/S]", 1), ("[S:1]\n\n{unl}\nagt(\n{/unl}[/S]", 3)]
)
def test_a_gold_graph_that_cannot_be_read_is_a_setup_error(
    gold: str, line: int
) -> None:
    assert [p.line for p in setup_error(GRAPH, gold)] == [line]


def test_unknown_and_repeated_ids_are_refused() -> None:
    assert [p.line for p in refusal(GRAPH, graphs(PAIR), graphs(PAIR, PAIR))] == [6]
    assert [p.line for p in refusal(GRAPH, graphs(PAIR), graphs(PAIR) * 2)] == [6]


def test_the_published_file_has_texts_and_no_graphs() -> None:
    gold = f"[D:a]{graphs(PAIR)}[/D]".replace("{unl}", "{org:en}calm{/org}\n{unl}")
    blind = GRAPH.blind(source("gold", gold), options(GRAPH)).single()
    assert b"calm" in blind and b"drift" not in blind
    read = GRAPH.read_blind(source("blind", blind), options(GRAPH))
    assert GRAPH.read_system(source("system", graphs(PAIR)), options(GRAPH), read)
