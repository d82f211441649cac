"""Overlap of texts: cases worked by hand, and what plain Python finds in others."""

from random import Random

import numpy as np
import pytest

from scoring.contamination.overlap import (
    LEAST,
    NEAR,
    Block,
    Overlap,
    UnitOverlap,
    unit_overlaps,
)
from scoring.contamination.texts import UnitTexts, blocks, places_of
from scoring.contamination.tokens import tokens_of
from scoring.errors import Refused
from scoring.source import Source

# Eleven words, and so seven runs of five and four of eight.
FOX = "The quick brown fox jumps over the lazy dog at noon"
HEN = "One grey hen sat on a fence and sang to the moon"


def compared(
    units: dict[str, list[str]], others: dict[str, list[str]], order: int = 8
) -> dict[str, UnitOverlap]:
    own = UnitTexts()
    for name, texts in units.items():
        for text in texts:
            own.add(name, text)
    overlap = Overlap(own.texts, np.array(own.unit), len(own.names), order)
    for name, texts in others.items():
        overlap.look(Block(name, texts, range(1, len(texts) + 1)))
    return {own.names[one.unit]: one for one in unit_overlaps(overlap)}


def test_the_same_text_is_found_whatever_its_case_and_punctuation() -> None:
    found = compared(
        {"u1": [FOX], "u2": [HEN]},
        {"books": ["Something else altogether, and more.", f"«{FOX.upper()}!»"]},
    )
    assert found == {"u1": UnitOverlap(0, "books:2", "books:2", 1.0, 1.0, None, 0.0)}


def test_one_word_that_differs_leaves_the_shares_worked_out_by_hand() -> None:
    """The last word differs: of the runs of five words that end at the words 5 to 11
    six are left, of those of eight that end at 8 to 11 three."""
    (one,) = compared({"u1": [FOX]}, {"a": [FOX.replace("noon", "dusk")]}).values()
    assert (one.found, one.near, one.near_share) == ("", "a:1", pytest.approx(6 / 7))
    assert one.share == pytest.approx(3 / 4)
    # The sixth word is in five runs of five, and in the four of eight.
    assert not compared({"u1": [FOX]}, {"a": [FOX.replace("over", "past")]})


def test_a_text_that_stands_in_a_longer_one_is_nearly_found_and_seen_whole() -> None:
    (one,) = compared({"u1": [FOX]}, {"a": [f"It is said: {FOX}. {HEN}"]}).values()
    assert (one.found, one.near, one.near_share, one.share) == ("", "a:1", 1.0, 1.0)


def test_runs_of_words_in_several_texts_add_up_to_a_share_but_to_no_near_text() -> None:
    words = FOX.split()
    pieces = [" ".join(words[:8]), " ".join(words[3:])]
    (one,) = compared({"u1": [FOX]}, {"a": pieces}).values()
    # Each piece has four of seven runs of five, and one of four of eight.
    assert (one.near, one.near_share) == ("", pytest.approx(4 / 7))
    assert one.share == pytest.approx(2 / 4)


def test_texts_of_fewer_words_than_five_are_passed_over() -> None:
    assert LEAST == 5
    assert not compared({"u1": ["the lazy old dog"]}, {"a": ["the lazy old dog"]})
    (one,) = compared({"u1": ["a b c d e"]}, {"a": ["A b c d e"]}).values()
    # No run of eight, so no share.
    assert (one.found, one.share) == ("a:1", None)


def test_doubles_inside_the_gold_are_told_of_both_units_but_not_of_one_alone() -> None:
    twice = {"u1": [FOX], "u2": [HEN, HEN + "."], "u3": [FOX + "!"], "u4": [FOX[:-4]]}
    found = compared(twice, {})
    assert {name: (one.twin, one.twin_share) for name, one in found.items()} == {
        "u1": (2, 1.0),
        "u3": (0, 1.0),
        # Ten words, all of whose six runs of five others have.
        "u4": (0, 1.0),
    }


def test_the_first_of_several_places_is_named() -> None:
    found = compared({"u1": [FOX]}, {"a": [HEN], "b": [HEN, FOX, FOX]})
    assert found["u1"].found == "b:2"


def test_texts_without_spaces_are_compared_character_by_character() -> None:
    text = "\u732b\u5728\u7a97\u53f0\u4e0a\u7761\u89c9\u5f88\u9999"  # nine characters
    (one,) = compared({"u1": [text]}, {"a": [text[:8]]}, order=8).values()
    # Four of five runs of five, one of two of eight.
    assert one.near_share == pytest.approx(4 / 5) and one.near == "a:1"
    assert one.share == pytest.approx(1 / 2)


def test_tokens_are_composed_folded_and_without_punctuation() -> None:
    ways = ["Cafe\u0301 STRASSE", "caf\u00e9, stra\u00dfe", "\uff23afe\u0301 - strasse"]
    tokens = tokens_of(ways)
    assert tokens.sizes.tolist() == [2, 2, 2]
    assert len(set(tokens.whole().tolist())) == 1
    assert tokens_of(["", "...", "a"]).sizes.tolist() == [0, 0, 1]
    assert len(set(tokens_of(["ab c", "a bc", "abc", "c ab"]).whole().tolist())) == 4


def _runs(text: str, order: int) -> set[tuple[str, ...]]:
    words = text.split()
    return {tuple(words[i : i + order]) for i in range(len(words) - order + 1)}


def test_random_texts_have_what_sets_of_tuples_say() -> None:
    random = Random(5)
    for _round in range(20):
        # Few words, so that runs come again.
        own = [
            " ".join(random.choices("abc", k=random.randint(3, 25))) for _ in range(8)
        ]
        others = [
            " ".join(random.choices("abc", k=random.randint(1, 60))) for _ in range(30)
        ]
        units = {f"u{i}": [text] for i, text in enumerate(own)}
        halves = {"x": others[:11], "y": others[11:]}
        found = compared(units, halves, order=6)
        all_six = set().union(*(_runs(text, 6) for text in others))
        for name, (text,) in units.items():
            six, five = _runs(text, 6), _runs(text, 5)
            if name not in found:
                assert not six & all_six
                continue
            one = found[name]
            share = len(six & all_six) / len(six) if six else None
            assert one.share == (share if share is None else pytest.approx(share))
            near = max(len(five & _runs(o, 5)) for o in others) / max(len(five), 1)
            assert one.near_share == pytest.approx(near)
            assert bool(one.near) == (near >= NEAR - 1e-9)
            assert bool(one.found) == (text in others and len(text.split()) >= 5)
            twin = max(
                len(five & _runs(o, 5)) / max(len(five), 1)
                for n, (o,) in units.items()
                if n != name
            )
            assert one.twin_share == pytest.approx(twin)


def test_how_texts_are_cut_into_blocks_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(6)
    lines = [
        " ".join(random.choices("abcd", k=random.randint(1, 30))) for _ in range(90)
    ]
    source = Source.of_bytes("lines.txt", "\n".join(lines).encode())
    answers = []
    for size in (40, 300, 1 << 19):
        monkeypatch.setattr("scoring.contamination.texts.BLOCK", size)
        monkeypatch.setattr("scoring.contamination.texts._cut", lambda texts: texts)
        overlap = Overlap(lines[:9], np.arange(9), 9, 6)
        for block in blocks([source]):
            overlap.look(block)
        answers.append(list(unit_overlaps(overlap)))
    assert answers[0] == answers[1] == answers[2]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.txt", "one\ntwo", [(1, "one"), (2, "two")]),
        (
            "a.jsonl",
            '{"x": "one", "n": 3}\n{"y": ["two", {"z": "three"}]}',
            [(1, "one"), (2, "two"), (2, "three")],
        ),
        ("a.json", '[{"x": "one"},\n "two"]', [(1, "one"), (1, "two")]),
        ("a.tsv", "1\tone\n2\ttwo", [(1, "1"), (1, "one"), (2, "2"), (2, "two")]),
        ("a.csv", '1,"one, one"\n', [(1, "1"), (1, "one, one")]),
        # What says that it is JSON Lines and is not is read as it stands.
        ("a.txt", "{ one\ntwo", [(1, "{ one"), (2, "two")]),
    ],
)
def test_texts_of_a_file_are_its_lines_cells_or_strings(
    name: str, text: str, expected: list[tuple[int, str]]
) -> None:
    (block,) = blocks([Source.of_bytes(name, text.encode())])
    found = [*zip(block.lines, block.texts, strict=True)]
    assert [one for one in found if one[1]] == expected


def test_what_is_no_text_is_refused_with_its_place() -> None:
    with pytest.raises(Refused) as refusal:
        list(blocks([Source.of_bytes("a.txt", b"one\n\xff\xfe")]))
    assert refusal.value.problems[0].line == 2


def test_a_canary_is_found_with_its_line() -> None:
    sources = [
        Source.of_bytes("a.txt", b"one\ntwo canary-1 three\ncanary-1"),
        Source.of_bytes("b.txt", b"nothing"),
    ]
    assert places_of("canary-1", sources) == ["a.txt:2"]
