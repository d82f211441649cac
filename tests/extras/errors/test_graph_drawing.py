"""Graphs drawn beside each other: where things stand, and how what is wrong is told."""

import random
import re
from itertools import combinations

from leaderboard.extras.errors.drawings import (
    MINUS,
    MOST_NODES,
    OTHER,
    PLUS,
    Drawing,
    graph_drawings,
)
from scoring.inspection import Net, NetLink, NetNode

Rectangle = tuple[int, int, int, int]


def node(
    name: str, *lacking: str, scope: str = "", id: str = "", marks: str = ""
) -> NetNode:
    attributes = tuple((f"@{mark}", ()) for mark in marks.split())
    return NetNode(name, id, scope, ("source", "target"), lacking, attributes)


def drawn(*nets: Net) -> list[Drawing]:
    found = [one for one in graph_drawings(nets) if one is not None]
    assert len(found) == len(nets)
    return found


def heights(drawing: Drawing) -> dict[str, int]:
    return {card.texts[0].text: card.y for card in drawing.cards if card.texts}


def tangled(seed: int, size: int = 40) -> Net:
    """A connected graph with some links across, loops and double links."""
    chance = random.Random(seed)
    links = [NetLink(chance.randrange(i), i, "agt") for i in range(1, size)]
    links += [NetLink(*chance.choices(range(size), k=2), "obj:01") for _ in range(8)]
    links += [NetLink(3, 3, "mod"), NetLink(3, 3, "aoj"), links[0]]
    return Net(
        tuple(node(f"word{i}", marks="pl" * (i % 2)) for i in range(size)), tuple(links)
    )


def boxes(drawing: Drawing) -> list[Rectangle]:
    """Cards and labels: left, top, right, bottom."""
    cards = [(c.x, c.y, c.width, c.height) for c in drawing.cards]
    labels = [(a.left, a.top, a.width, 18) for a in drawing.arcs]
    return [(x, y, x + wide, y + high) for x, y, wide, high in (*cards, *labels)]


def test_nothing_covers_anything_else_and_nothing_is_cut_off() -> None:
    for seed in range(5):
        (drawing,) = drawn(tangled(seed))
        found = boxes(drawing)
        for one, other in combinations(found, 2):
            apart = one[2] <= other[0] or other[2] <= one[0]
            assert apart or one[3] <= other[1] or other[3] <= one[1], (one, other)
        assert min(x for x, *_ in found) >= 0 <= min(y for _, y, *_ in found)
        assert max(x for *_, x, _ in found) <= drawing.width
        assert max(y for *_, y in found) <= drawing.height


def test_every_arrow_has_a_place_of_its_own_at_both_ends() -> None:
    (drawing,) = drawn(tangled(1))
    ends = []
    for arc in drawing.arcs:
        found = re.fullmatch(r"M(\d+) (\d+)H.* (\d+)H(\d+)", arc.line)
        assert found is not None and found[1] == found[4]
        assert f"L{found[1]} {found[3]}L" in arc.arrow
        ends += [found[2], found[3]]
    assert len(set(ends)) == 2 * len(drawing.arcs)


def test_the_same_node_stands_at_the_same_height_on_both_sides() -> None:
    words = tuple(node(name) for name in ("drift", "boat", "green", "slow"))
    gold = Net(words[:3], (NetLink(0, 1, "agt"), NetLink(1, 2, "mod")))
    system = Net(
        words[::-1], (NetLink(3, 0, "mod"), NetLink(3, 2, "agt"), NetLink(3, 1, "obj"))
    )
    first, second = drawn(gold, system)
    assert heights(first).items() <= heights(second).items()
    assert (first.height, len(first.cards)) == (second.height, 4)
    assert [card.kind for card in first.cards].count("ghost") == 1


def test_nodes_of_one_word_meet_those_with_the_same_id_first() -> None:
    gold = Net((node("boat", id="01"), node("boat", id="02")), ())
    system = Net((node("boat", id="02"), node("boat", id="07")), ())
    first, second = map(heights, drawn(gold, system))
    assert first["boat:02"] == second["boat:02"]
    assert first["boat:01"] == second["boat:07"]


def test_what_is_wrong_is_told_by_signs_and_lines() -> None:
    gold = Net(
        (node("drift"), node("boat"), node("old", "source", "target")),
        (NetLink(0, 1, "agt", "label"), NetLink(1, 2, "mod", "missing")),
    )
    system = Net(
        gold.nodes[:2], (NetLink(0, 1, "obj", "label"), NetLink(1, 0, "x", "exceeding"))
    )
    first, second = drawn(gold, system)
    assert [arc.label for arc in first.arcs] == [f"{OTHER} agt", f"{MINUS} mod"]
    assert [arc.label for arc in second.arcs] == [f"{OTHER} obj", f"{PLUS} x"]
    assert [arc.wrong for arc in first.arcs] == ["", "wrong-link"]
    assert all(arc.wrong_label for arc in (*first.arcs, *second.arcs))
    assert [card.kind for card in first.cards] == ["", "", "only"]
    assert first.cards[2].texts[0].text == f"{MINUS} old"
    assert first.cards[2].texts[1].text == f"{MINUS} source, target"


def test_a_node_that_lacks_one_role_only_is_there() -> None:
    (drawing,) = drawn(Net((node("boat", "source", marks="pl"),), ()))
    assert drawing.cards[0].kind == ""
    texts = [(one.text, one.kind) for one in drawing.cards[0].texts]
    assert texts == [
        ("boat", "name"),
        (f"{MINUS} source", "lacking"),
        (".@pl", "mark"),
    ]


def test_a_scope_is_followed_by_what_it_holds_further_in() -> None:
    net = Net(
        (
            node("quay", scope="01"),
            node("drift", marks="entry"),
            node("", id="01"),
            node("stair", scope="01"),
        ),
        (NetLink(1, 2, "plc"), NetLink(0, 3, "and:01")),
    )
    (drawing,) = drawn(net)
    texts = [(card.texts[0].text, card.x) for card in drawing.cards]
    assert [text for text, _ in texts] == ["drift", ":01", "quay", "stair"]
    assert texts[0][1] == texts[1][1] < texts[2][1] == texts[3][1]
    assert len(drawing.scopes) == 2


def test_scopes_that_hold_each_other_are_drawn_all_the_same() -> None:
    net = Net((node("", id="01", scope="02"), node("", id="02", scope="01")), ())
    assert len(drawn(net)[0].cards) == 2


def test_long_names_take_several_lines_of_one_length() -> None:
    name = "barrier(icl>obstacle(icl>thing),equ>hindrance)"
    (drawing,) = drawn(Net((node(name),), ()))
    lines = [one.text for one in drawing.cards[0].texts]
    assert "".join(lines) == name and len(set(map(len, lines))) == 1


def test_very_large_graphs_are_left_to_the_table_and_none_is_no_drawing() -> None:
    large = Net(tuple(node(f"w{i}") for i in range(MOST_NODES + 1)), ())
    assert graph_drawings([Net((node("a"),), ()), large]) == [None, None]
    assert graph_drawings([Net((node("a"),), ()), Net((), ())])[1] is None
