"""Discrepancies of UNL graphs: what is compared, and how much may be apart."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.scorers.unl.discrepancy import Discrepancy, ItemDifference
from tests.properties import at_night
from tests.scoring.unls import GRAPH, graphs, rows


def row(system: str, gold: str, **given: str) -> dict[str, object]:
    return rows(GRAPH, graphs(gold), graphs(system), **given)[0]


def differences(system: str, gold: str, **given: str) -> list[tuple[object, ...]]:
    """Exceeding, missing and total of relations, UWs and attributes."""
    found = row(system, gold, **given)
    return [
        tuple(found[f"{part}_{kind}"] for part in ("exceeding", "missing", "total"))
        for kind in ("relations", "uw", "attributes")
    ]


def test_ids_and_scopes_do_not_tell_relations_apart() -> None:
    system, gold = "mod:01(1:01, :02.@not) x(1, 2)", "mod(1:07, :05) x(1, 2)"
    assert differences(system, gold)[0] == (0, 0, 4)


def test_labels_and_directions_tell_relations_apart() -> None:
    assert differences("mod(1, 2)", "mod(2, 1)")[0] == (1, 1, 2)
    assert differences("mod(1, 2)", "obj(1, 2)")[0] == (1, 1, 2)


def test_the_same_relation_twice_counts_once() -> None:
    system = "mod(1, 2) mod(1.@pl, 2:01)"
    assert differences(system, "mod(1, 2)")[0] == (0, 0, 2)


def test_a_uw_counts_once_per_node_and_role() -> None:
    system = "mod(1, 2) mod(1, 3) mod(2, 1) mod(1:01, 2)"
    assert differences(system, "mod(1, 2)")[1] == (4, 0, 8)


def test_scopes_are_no_uws_but_have_attributes() -> None:
    system, gold = "mod(1, :01.@not) or:01(2, 3)", "mod(1, :01) or:01(2, 3)"
    assert differences(system, gold)[1:] == [(0, 0, 6), (1, 0, 1)]


def test_attributes_count_once_per_node_and_role() -> None:
    system = "mod(1.@pl, 2) mod(1.@pl.@pl.@not, 3) mod(1:01.@pl, 3) obj(3, 1.@pl)"
    assert differences(system, "mod(1.@pl, 2)")[2] == (3, 0, 5)


def test_definiteness_is_ignored_unless_the_task_says_otherwise() -> None:
    system, gold = "mod(1.@def, 2.@indef.@pl)", "mod(1, 2.@pl)"
    assert differences(system, gold)[2] == (0, 0, 2)
    assert differences(system, gold, ignored_attributes="pl")[2] == (2, 0, 2)
    assert differences(system, gold, ignored_attributes=".@pl,@def")[2] == (1, 0, 1)
    assert differences(system, gold, ignored_attributes="")[2] == (2, 0, 4)


def test_a_single_uw_is_one_item_without_relations() -> None:
    assert differences("12.@pl", "[W]12[/W]") == [(0, 0, 0), (0, 0, 2), (1, 0, 1)]
    assert differences("12", "mod(12, 3)") == [(0, 1, 1), (1, 2, 3), (0, 0, 0)]


def small(relations: int, uws: int, attributes: int, total: int) -> bool:
    """Whether so many items apart of `total` of each kind are few enough."""
    parts = (ItemDifference(apart, 0, total) for apart in (relations, uws, attributes))
    return Discrepancy(*parts).is_small


def test_limits_are_strict_and_exact() -> None:
    assert small(2, 0, 0, 10) and not small(3, 0, 0, 10)
    assert small(0, 2, 0, 10) and not small(0, 3, 0, 10)
    assert small(29, 29, 100, 100)
    assert not small(3, 0, 10, 10) and small(2, 2, 10, 10)


def test_the_overall_limit_is_one_half() -> None:
    nothing, all_of_two = ItemDifference(0, 0, 0), ItemDifference(1, 1, 2)
    two_of_ten = ItemDifference(1, 1, 10)
    found = Discrepancy(nothing, two_of_ten, ItemDifference(16, 0, 20))
    assert found.ratios[2] == (2 * 2 + 16, 2 * 10 + 20)
    assert not found.is_small
    assert Discrepancy(nothing, two_of_ten, ItemDifference(15, 0, 20)).is_small
    assert Discrepancy(nothing, nothing, nothing).is_small
    assert not Discrepancy(nothing, nothing, all_of_two).is_small


NUMBERS = st.sampled_from(["1", "2", "3:01", "3:02", ":01", '"x y"', "a(icl>b)"])
MARKS = st.lists(st.sampled_from([".@pl", ".@not", ".@def"]), max_size=2).map("".join)
NODES = st.tuples(NUMBERS, MARKS).map("".join)
RELATIONS = st.tuples(st.sampled_from(["mod", "obj:01"]), NODES, NODES).map(
    lambda found: f"{found[0]}({found[1]}, {found[2]})"
)
EXPRESSIONS = st.lists(RELATIONS, min_size=1, max_size=4).map("\n".join)


def naive(system: str, gold: str) -> list[tuple[int, int]]:
    """The three ratios, by lists that lose one item for each that is matched."""
    found, wanted = (listed(text) for text in (system, gold))
    ratios = []
    for kind in range(3):
        left, missing = list(found[kind]), 0
        for item in wanted[kind]:
            if item in left:
                left.remove(item)
            else:
                missing += 1
        ratios.append((len(left) + missing, len(found[kind]) + len(wanted[kind])))
    overall = [
        sum(w * r[i] for w, r in zip((3, 2, 1), ratios, strict=True)) for i in (0, 1)
    ]
    return [ratios[0], ratios[1], (overall[0], overall[1])]


def listed(text: str) -> tuple[list[object], list[object], list[object]]:
    relations: list[object] = []
    uws: dict[object, object] = {}
    attributes: dict[object, object] = {}
    for line in text.split("\n"):
        label, _, rest = line.partition("(")
        names = []
        for role, node in enumerate(rest[:-1].split(", ")):
            uw, *marks = node.split(".@")
            name = ":scope" if uw[0] == ":" else uw.partition(":")[0]
            names.append(name)
            if name != ":scope":
                uws[role, uw] = (role, name)
            attributes |= {
                (role, uw, mark): (role, name, mark) for mark in marks if mark != "def"
            }
        relation = (label.partition(":")[0], *names)
        relations += [relation] * (relation not in relations)
    return relations, list(uws.values()), list(attributes.values())


@settings(max_examples=at_night(150))
@given(system=EXPRESSIONS, gold=EXPRESSIONS)
def test_discrepancies_are_what_lists_say(system: str, gold: str) -> None:
    found = row(system, gold)
    for name, (part, whole) in zip(
        ("relation_discrepancy", "uw_discrepancy", "overall_discrepancy"),
        naive(system, gold),
        strict=True,
    ):
        assert found[name] == pytest.approx(part / whole if whole else 0, abs=1e-15)
