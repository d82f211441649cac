"""Taxonomies: paths between classes, and what is no forest."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.errors import SetupError
from scoring.scorers.semarkup import taxonomy
from scoring.scorers.semarkup.taxonomy import NO_CLASS, Taxonomy
from scoring.source import Source
from tests.loops import loop_over
from tests.properties import at_night

HEADER = "ID,ParentID,Depth,Name\n"
FOREST = HEADER + "1,,0,A\n2,1,1,_\n3,2,2,B\n4,2,2,C\n5,,0,D\n6,5,1,_\n7,6,2,E\n"


def read(text: str) -> Taxonomy:
    return taxonomy.read(Source.of_bytes("classes.csv", text.encode()))


def closeness(tree: Taxonomy, first: str, second: str) -> float:
    return float(tree.closeness(tree.nodes([first]), tree.nodes([second]))[0])


def problems(text: str) -> list[tuple[int | None, str]]:
    with pytest.raises(SetupError) as caught:
        read(text)
    return [(problem.line, problem.message) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("first", "second", "length"),
    [("A", "A", 0), ("B", "C", 2), ("A", "B", 2), ("D", "E", 2), ("C", "A", 2)],
)
def test_closeness_falls_with_the_length_of_the_path(
    first: str, second: str, length: int
) -> None:
    tree = read(FOREST)
    assert closeness(tree, first, second) == 1 / (1 + length)
    assert closeness(tree, second, first) == 1 / (1 + length)


def test_classes_of_different_trees_are_not_close_at_all() -> None:
    assert closeness(read(FOREST), "B", "E") == 0


def test_a_name_the_file_does_not_hold_has_no_node() -> None:
    tree = read(FOREST)
    assert tree.nodes(["Z", "_", "B"]).tolist() == [NO_CLASS, NO_CLASS, 2]


def test_parents_may_stand_below_their_children() -> None:
    tree = read(HEADER + "2,1,1,B\n1,,0,A\n")
    assert closeness(tree, "A", "B") == 1 / 2


def test_quoted_names_blank_lines_bom_and_crlf_are_read() -> None:
    tree = read("\ufeff" + (HEADER + '1,,0,"A, or B"\n\n2,1,1,C').replace("\n", "\r\n"))
    assert closeness(tree, "A, or B", "C") == 1 / 2


@loop_over(
    ("rows", "line", "words"),
    [
        ("1,,0,A\n1,,0,B\n", 3, "ID '1' again"),
        ("1,,0,A\n2,,0,A\n", 3, "class 'A' again"),
        ("1,,0,A\n2,9,1,B\n", 3, "parent '9'"),
        ("1,,0,A\n2,1,2,B\n", 3, "depth 2; expected 1"),
        ("1,,1,A\n", 2, "depth 1; expected 0"),
        ("1,1,1,A\n", 2, "depth 1; expected 2"),
        ("1,,0\n", 2, "4 columns, found 3"),
        ("1,,0,A,B\n", 2, "4 columns, found 5"),
        ("1,,zero,A\n", 2, "depth 'zero'"),
        ("1,,-1,A\n", 2, "depth '-1'"),
        (",,0,A\n", 2, "an ID and a name"),
        ("1,,0,\n", 2, "an ID and a name"),
        ('1,,0,"A\n', 2, "not CSV"),
        ("1,,0,A\rB\n", 2, "not CSV"),
    ],
)
def test_a_bad_row_is_a_setup_error_with_its_line(
    rows: str, line: int, words: str
) -> None:
    found = problems(HEADER + rows)
    assert found[0][0] == line or words == "not CSV"
    assert words in found[0][1]


def test_anonymous_nodes_may_repeat() -> None:
    assert read(HEADER + "1,,0,_\n2,1,1,_\n3,2,2,A\n").names == {"A": 2}


def test_a_circle_cannot_have_right_depths() -> None:
    assert len(problems(HEADER + "1,2,1,A\n2,1,2,B\n")) == 1


def test_all_problems_are_reported_at_once() -> None:
    rows = "1,,0,A\n1,7,0,A\n"
    assert [line for line, _ in problems(HEADER + rows)] == [3, 3, 3]


@pytest.mark.parametrize("text", ["", "\n", "id,parent,depth,name\n1,,0,A\n", "\xff"])
def test_files_that_are_no_taxonomy_are_refused(text: str) -> None:
    with pytest.raises(SetupError):
        read(text)


@st.composite
def forests(draw: st.DrawFn) -> list[int]:
    """Parents of up to 30 nodes, each standing before its children; -1 is a root."""
    size = draw(st.integers(1, 30))
    return [draw(st.integers(-1, node - 1)) for node in range(size)]


@settings(max_examples=at_night(100))
@given(parents=forests(), data=st.data())
def test_closeness_is_what_walking_the_tree_says(
    parents: list[int], data: st.DataObject
) -> None:
    depths: list[int] = []
    for parent in parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    rows = [
        f"{i},{'' if p < 0 else p},{depths[i]},N{i}\n" for i, p in enumerate(parents)
    ]
    tree = read(HEADER + "".join(rows))
    nodes = st.lists(st.integers(0, len(parents) - 1), min_size=1, max_size=10)
    first = data.draw(nodes)
    second = [data.draw(st.integers(0, len(parents) - 1)) for _ in first]
    found = tree.closeness(np.array(first), np.array(second))
    assert found.tolist() == [
        walked(parents, a, b) for a, b in zip(first, second, strict=True)
    ]


def walked(parents: list[int], first: int, second: int) -> float:
    up = [path(parents, node) for node in (first, second)]
    shared = [node for node in up[0] if node in up[1]]
    if not shared:
        return 0.0
    return 1 / (1 + up[0].index(shared[0]) + up[1].index(shared[0]))


def path(parents: list[int], node: int) -> list[int]:
    return [node] if parents[node] < 0 else [node, *path(parents, parents[node])]


@settings(max_examples=at_night(150))
@given(text=st.text(max_size=40) | st.text(alphabet='1,_A\n"\r', max_size=40))
def test_any_text_is_a_taxonomy_or_a_setup_error(text: str) -> None:
    for whole in (text, HEADER + text):
        try:
            read(whole)
        except SetupError as error:
            assert all(problem.message.isprintable() for problem in error.problems)
