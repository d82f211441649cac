from dataclasses import replace
from functools import cache

import conllu

from benchmarks.ostrel.arcs import RELATIONS
from benchmarks.ostrel.baseline import NearestWord, attach
from benchmarks.ostrel.cast import BASELINE, SYSTEMS
from benchmarks.ostrel.language import corpus
from benchmarks.ostrel.systems import CHOICES, CONFUSED_WITH, System
from benchmarks.ostrel.variety import HILL, LETTER, RECORD, RIVER, TALE
from tests.demo.naive import blocks, las_counts, ratio
from tests.loops import loop_over

GOLD = corpus("trial", RIVER, (TALE, LETTER, RECORD), 150, 1)
HILL_GOLD = corpus("trial", HILL, (TALE, LETTER, RECORD), 150, 1)
AVERAGE = System("average", "", 7, arc_error=0.2, label_error=0.1)
PARSERS: list[System | NearestWord] = [BASELINE, *SYSTEMS.values()]


def accuracy(system: System, gold: str = GOLD) -> float:
    return ratio(las_counts(gold, system.parse(gold)))


@cache
def sentences(gold: str) -> list[conllu.TokenList]:
    """Parsed once for all parsers."""
    return conllu.parse(gold)


@loop_over("parser", PARSERS, ids=lambda parser: parser.name)
@loop_over("gold", [GOLD, HILL_GOLD], ids=["river", "hill"])
def test_output_is_one_tree_over_the_same_words(
    parser: System | NearestWord, gold: str
) -> None:
    parsed = conllu.parse(parser.parse(gold))
    for ours, theirs in zip(sentences(gold), parsed, strict=True):
        assert [word["form"] for word in ours] == [word["form"] for word in theirs]
        assert ours.metadata == theirs.metadata
        heads = {word["id"]: word["head"] for word in theirs}
        assert sum(head == 0 for head in heads.values()) == 1
        assert all(_climbs_to_root(at, heads) for at in heads)
        for word in theirs:
            assert (word["deprel"] == "root") == (word["head"] == 0)


def _climbs_to_root(at: int, heads: dict[int, int]) -> bool:
    for _ in heads:
        at = heads[at]
        if at == 0:
            return True
    return False


def test_same_system_gives_the_same_bytes_and_another_seed_others() -> None:
    assert AVERAGE.parse(GOLD) == AVERAGE.parse(GOLD)
    assert replace(AVERAGE, seed=8).parse(GOLD) != AVERAGE.parse(GOLD)


def test_output_shows_nothing_of_the_gold_but_heads_and_relations() -> None:
    for sentence in blocks(AVERAGE.parse(GOLD)):
        for row in sentence:
            assert row[2:6] == ["_"] * 4
            assert row[8] == "_"


def test_no_errors_asked_for_none_made() -> None:
    perfect = replace(AVERAGE, arc_error=0.0, label_error=0.0)
    assert accuracy(perfect) == 1.0


def test_more_errors_asked_for_more_made() -> None:
    scores = [accuracy(replace(AVERAGE, arc_error=rate)) for rate in (0.05, 0.15, 0.4)]
    assert scores == sorted(scores, reverse=True)
    labels = [accuracy(replace(AVERAGE, label_error=rate)) for rate in (0.02, 0.1, 0.3)]
    assert labels == sorted(labels, reverse=True)


def test_function_words_are_easier_than_content_words() -> None:
    pairs = _pairs(AVERAGE)
    easy = [a[6:8] == b[6:8] for a, b in pairs if a[7] in ("det", "case", "aux", "cop")]
    hard = [a[6:8] == b[6:8] for a, b in pairs if a[7] in ("nmod", "conj", "advcl")]
    assert sum(easy) / len(easy) > 0.9 > 0.75 > sum(hard) / len(hard)


def _pairs(system: System) -> list[tuple[list[str], list[str]]]:
    return [
        pair
        for ours, theirs in zip(blocks(GOLD), blocks(system.parse(GOLD)), strict=True)
        for pair in zip(ours, theirs, strict=True)
    ]


def test_wrong_heads_are_near_the_right_ones() -> None:
    misses = [
        abs(int(a[6]) - int(b[6]))
        for a, b in _pairs(AVERAGE)
        if a[6] != b[6] and "0" not in (a[6], b[6])
    ]
    assert len(misses) > 200
    assert sum(miss <= 3 for miss in misses) / len(misses) > 0.5


def test_long_sentences_are_harder_for_a_parser_that_says_so() -> None:
    counts = las_counts(GOLD, replace(AVERAGE, length_slope=0.06).parse(GOLD))
    short = [pair for pair in counts if pair[1] < 12]
    long = [pair for pair in counts if pair[1] > 20]
    assert ratio(short) > ratio(long) + 0.05


def test_a_genre_can_be_made_hard() -> None:
    weak = replace(AVERAGE, genres=(("letter", 4.0),))
    assert accuracy(weak) < accuracy(AVERAGE) - 0.02


def test_parsers_stumble_over_the_same_words() -> None:
    first = [a[6] != b[6] for a, b in _pairs(AVERAGE)]
    second = [a[6] != b[6] for a, b in _pairs(replace(AVERAGE, seed=8))]
    both = sum(a and b for a, b in zip(first, second, strict=True))
    expected = sum(first) * sum(second) / len(first)
    assert both > 2 * expected


def test_every_relation_has_labels_it_is_confused_with() -> None:
    assert set(CONFUSED_WITH) == set(RELATIONS)
    for name, others in CONFUSED_WITH.items():
        assert set(others.split()) <= set(RELATIONS)
        assert name not in others.split() or name in ("punct", "root")
        assert CHOICES % len(others.split()) == 0


def test_baseline_hangs_words_from_the_nearest_likely_word() -> None:
    tags = ["DET", "ADJ", "NOUN", "ADV", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert attach(tags) == [3, 3, 5, 5, 0, 8, 8, 5, 5]


def test_baseline_finds_a_root_without_a_verb() -> None:
    assert attach(["PUNCT", "DET", "NOUN", "PUNCT"]) == [2, 0, 2, 2]
