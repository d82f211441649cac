"""SARI: as the README of easse has it, and by hand."""

import json
import math
from collections.abc import Sequence

import pytest

from scoring import Refused, SetupError, Source
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.statistics.runs import value_of
from tests.scoring.make_simplification_cases import CASES, STORED, case

SCORER = get("texts")
OPTIONS = parse(SCORER.options, {"sari": ["true"]})


def file(name: str, rows: Sequence[dict[str, object]]) -> Source:
    lines = ({"id": f"{place:04}", **row} for place, row in enumerate(rows))
    return Source.of_bytes(name, "\n".join(map(json.dumps, lines)).encode())


def counted(
    sources: Sequence[str], texts: Sequence[str], references: Sequence[Sequence[str]]
) -> Counts:
    pairs = zip(sources, references, strict=True)
    gold = [{"source": source, "text": list(row)} for source, row in pairs]
    system = file("mine.jsonl", [{"text": text} for text in texts])
    pair = read_pair(SCORER, file("gold.jsonl", gold), system, OPTIONS)
    return count(SCORER, pair, OPTIONS)


def values(counts: Counts) -> dict[str, float]:
    names = ("sari", "sari_add", "sari_keep", "sari_delete")
    return {name: value_of(counts, SCORER.measure(name)) for name in names}


def test_a_corpus_has_the_value_that_easse_prints() -> None:
    # The README of easse 0.2.4: corpus_sari(...) is 33.17472563619544.
    found = counted(
        ["About 95 species are currently accepted.", "The cat perched on the mat."],
        ["About 95 you now get in.", "Cat on mat."],
        [
            [
                "About 95 species are currently known.",
                "About 95 species are now accepted.",
                "95 species are now accepted.",
            ],
            ["The cat sat on the mat.", "The cat is on the mat.", "The cat sat."],
        ],
    )
    assert values(found)["sari"] == pytest.approx(0.3317472563619544, abs=1e-12)


def test_random_texts_have_the_values_of_easse() -> None:
    expected = json.loads(STORED.read_text("utf-8"))
    assert len(expected) == CASES
    for seed, figure in enumerate(expected):
        value = values(counted(*case(seed)))["sari"]
        assert value == pytest.approx(figure, abs=1e-12), seed


def test_a_worked_example() -> None:
    # Of one word d is added, a kept (of a and b), c deleted (of b and c); of two bd is
    # added wrongly, ab kept wrongly and bc deleted; of three abc is.
    found = values(counted(["a b c"], ["a b d"], [["a d"]]))
    assert found["sari_add"] == pytest.approx(1 / 4)
    assert found["sari_keep"] == pytest.approx((2 / 3) / 4)
    assert found["sari_delete"] == pytest.approx((2 / 3 + 2 / 3 + 1) / 4)
    assert found["sari"] == pytest.approx(1 / 3)


def test_each_text_has_the_references_that_there_are() -> None:
    alone = counted(["a b c", "d e"], ["a b d", "d"], [["a d"], ["d"]])
    more = counted(["a b c", "d e"], ["a b d", "d"], [["a d"], ["d", "d"]])
    assert values(more)["sari_add"] == values(alone)["sari_add"]
    assert values(more)["sari_keep"] > values(alone)["sari_keep"]


def test_a_word_that_is_said_again_gains_nothing() -> None:
    once = values(counted(["a b c"], ["a b d"], [["a d"]]))
    again = values(counted(["a b c"], ["a b d d d"], [["a d"]]))
    assert all(again[name] <= once[name] for name in once)


def test_without_the_option_there_is_no_sari() -> None:
    options = parse(SCORER.options, {})
    gold = file("gold.jsonl", [{"source": "a b c", "text": "a d"}])
    pair = read_pair(SCORER, gold, file("mine.jsonl", [{"text": "a"}]), options)
    counts = count(SCORER, pair, options)
    assert not any("simplified" in name for name in counts.columns)
    assert math.isnan(values(counts)["sari"])


def test_a_gold_without_sources_is_refused() -> None:
    gold = file("gold.jsonl", [{"text": "a d"}])
    with pytest.raises(SetupError, match="no input 'source'"):
        SCORER.read_gold(gold, OPTIONS)


def test_the_source_is_published_and_the_references_are_not() -> None:
    gold = file("gold.jsonl", [{"source": "a b c", "text": "a d"}])
    (data,) = SCORER.blind(gold, OPTIONS).files.values()
    assert json.loads(data) == {"id": "0000", "source": "a b c"}


def test_a_missing_simplification_is_refused() -> None:
    with pytest.raises(Refused):
        counted(["a", "b"], ["a"], [["a"], ["b"]])
