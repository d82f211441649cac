"""Trees drawn as arcs, and spans marked in a text."""

import re

from leaderboard.extras.errors.drawings import MOST_WORDS, cells, tree_drawing
from leaderboard.extras.errors.panels import text_runs
from scoring.inspection import OUTSIDE, ROOT, Piece, TreeWord

TREE = (
    TreeWord("small", 2, "amod"),
    TreeWord("boats", 3, "nsubj", ("label",)),
    TreeWord("drift", ROOT, "root"),
    TreeWord("away", 1, "advmod", ("head",)),
)


def top(line: str) -> int:
    """The highest point of an arc or a stub; small numbers are high."""
    return min(int(y) for _x, y in re.findall(r"(-?\d+) (-?\d+)", line))


def test_every_word_has_an_arc_that_ends_at_it() -> None:
    found = tree_drawing(TREE)
    assert found is not None and len(found.arcs) == len(found.words) == 4
    for arc, word in zip(found.arcs, found.words, strict=True):
        assert f"L{word.x} " in arc.arrow


def test_wrong_heads_and_wrong_labels_look_different() -> None:
    found = tree_drawing(TREE)
    assert found is not None
    assert [arc.wrong for arc in found.arcs] == ["", "", "", "wrong-head"]
    assert [arc.wrong_label for arc in found.arcs] == [False, True, False, False]


def test_arcs_that_meet_lie_at_different_heights_and_roots_on_top() -> None:
    crossing = (
        TreeWord("a", 3, "x"),
        TreeWord("b", 4, "x"),
        TreeWord("c", ROOT, "x"),
        TreeWord("d", 3, "x"),
    )
    found = tree_drawing(crossing)
    assert found is not None
    heights = [top(arc.line) for arc in found.arcs]
    assert heights[0] != heights[1] != heights[3]
    assert heights[2] == min(heights)


def test_a_head_outside_the_picture_is_a_stub_that_says_so() -> None:
    found = tree_drawing((TreeWord("lost", OUTSIDE, "nmod", ("head",)),))
    assert found is not None
    assert found.arcs[0].label == "nmod …"
    assert found.arcs[0].wrong == "wrong-head"


def test_a_word_without_partner_is_crossed_out() -> None:
    found = tree_drawing((TreeWord("extra", ROOT, "root", ("word",)),))
    assert found is not None and found.words[0].kind == "alone"


def test_very_long_sentences_are_left_to_the_table() -> None:
    assert tree_drawing([TreeWord("a", ROOT, "x")] * (MOST_WORDS + 1)) is None
    assert tree_drawing([]) is None


def test_ideographs_take_two_cells_and_accents_none() -> None:
    assert (cells("fog"), cells("霧"), cells("e\u0301")) == (3, 2, 1)


def test_a_text_is_cut_where_spans_begin_and_end() -> None:
    pieces = (
        Piece(0, 3, "PERSON", "match"),
        Piece(4, 9, "PLACE", "tagclash"),
        Piece(6, 9, "PERSON", "missing"),
    )
    found = text_runs("Ada Brook!", pieces)
    assert "".join(text for text, _verdict, _ending in found) == "Ada Brook!"
    assert [(text, verdict) for text, verdict, _ending in found] == [
        ("Ada", "match"),
        (" ", ""),
        ("Br", "tagclash"),
        ("ook", "missing"),
        ("!", ""),
    ]
    assert [len(ending) for _text, _verdict, ending in found] == [1, 0, 0, 2, 0]


def test_a_text_without_spans_is_one_run() -> None:
    assert [text for text, *_rest in text_runs("calm", ())] == ["calm"]
    assert text_runs("", ()) == []
