"""Graphs that are drawn: what is marked in them is what the counts are made of."""

import pytest

from scoring.inspection import Inspection, Net
from scoring.scorers.unl.graphs import KINDS
from scoring.source import Source
from tests.scoring.examples import Example, examples_of
from tests.scoring.test_inspection import column, inspected
from tests.scoring.unls import graphs, source

GOLD = graphs(
    "agt(drift(icl>move).@entry.@past, boat(icl>vessel):01.@pl)\n"
    "mod(boat(icl>vessel):01.@pl, green(icl>colour))\n"
    "plc(drift(icl>move), :01.@with)\n"
    "and:01(quay(icl>place), boat(icl>vessel):02)",
    "[W] calm(icl>still) [/W]",
)
SYSTEM = graphs(
    "agt(drift(icl>move).@entry, boat(icl>vessel):07.@pl)\n"
    "aoj(boat(icl>vessel):07.@pl, green(icl>colour))\n"
    "plc(drift(icl>move), :05.@with)\n"
    "and:05(quay(icl>place), steep(icl>shape))",
    "nothing( of the kind",
)


def drawn(gold: str, system: str) -> Inspection:
    return inspected("unl-graph", source("gold", gold), source("system", system))[1]


def marks(net: Net) -> tuple[int, int, int]:
    """Different marked relations, marked roles of nodes and of their attributes."""
    names = [node.name for node in net.nodes]
    relations = {
        (one.label.partition(":")[0], names[one.source], names[one.target])
        for one in net.links
        if one.wrong
    }
    attributes = [roles for node in net.nodes for _, roles in node.attributes]
    roles = [node.lacking for node in net.nodes]
    return len(relations), sum(map(len, roles)), sum(map(len, attributes))


@pytest.mark.parametrize(
    ("example", "system"),
    [(e, s) for e in examples_of("unl-graph") for s in e.systems]
    + [(Example(source("gold", GOLD), [], {}), source("system", SYSTEM))],
)
def test_the_marks_of_both_graphs_are_the_counts(
    example: Example, system: Source
) -> None:
    counts, found = inspected("unl-graph", example.gold, system, example)
    for unit in range(len(counts.units)):
        gold, ours = map(marks, found.picture(unit).nets)
        for part, side in (("missing", gold), ("exceeding", ours)):
            counted = [column(counts, f"{part}_{kind}")[unit] for kind in KINDS]
            assert list(side) == counted


def test_a_pair_worked_by_hand_is_marked_link_by_link() -> None:
    gold, system = drawn(GOLD, SYSTEM).picture(0).nets
    assert [(link.label, link.wrong) for link in gold.links] == [
        ("agt", ""),
        ("mod", "label"),
        ("plc", ""),
        ("and:01", "missing"),
    ]
    assert [(link.label, link.wrong) for link in system.links] == [
        ("agt", ""),
        ("aoj", "label"),
        ("plc", ""),
        ("and:05", "exceeding"),
    ]


def test_nodes_lack_the_roles_and_attributes_that_the_other_side_has_not() -> None:
    gold, system = drawn(GOLD, SYSTEM).picture(0).nets
    assert {(n.name, n.id): n.lacking for n in gold.nodes if n.lacking} == {
        ("boat(icl>vessel)", "02"): ("target",)
    }
    assert [n.name for n in system.nodes if n.lacking] == ["steep(icl>shape)"]
    assert gold.nodes[0].attributes == (("@entry", ()), ("@past", ("source",)))


def test_scopes_and_what_lies_in_them_are_told_apart() -> None:
    gold = drawn(GOLD, SYSTEM).picture(0).nets[0]
    assert [(n.name, n.id, n.scope) for n in gold.nodes[2:]] == [
        ("green(icl>colour)", "", ""),
        ("", "01", ""),
        ("quay(icl>place)", "", "01"),
        ("boat(icl>vessel)", "02", "01"),
    ]


def test_a_graph_that_cannot_be_read_is_drawn_as_none() -> None:
    gold, system = drawn(GOLD, SYSTEM).picture(1).nets
    assert [node.lacking for node in gold.nodes] == [("single",)]
    assert system == Net((), ())
