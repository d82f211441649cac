"""Error rates and edits are jiwer's."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import jiwer
import numpy as np
import pytest

from scoring import Source
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.transcripts import OPERATIONS

SCORER = get("transcripts")
SOUNDS = "the The ferry, fairy leaves leave at noon. new-moon чайки it's 渡船 …"
WORDS = SOUNDS.split()


def options(**raw: str) -> Mapping[str, Any]:
    return parse(SCORER.options, {name: [value] for name, value in raw.items()})


def lines(name: str, rows: Sequence[object]) -> Source:
    items = ({"id": f"{i:04}", "text": row} for i, row in enumerate(rows))
    return Source.of_bytes(name, "\n".join(map(json.dumps, items)).encode())


def counted(rows: Sequence[object], texts: Sequence[str], **raw: str) -> Counts:
    asked = options(**raw)
    pair = read_pair(SCORER, lines("gold", rows), lines("system", texts), asked)
    return count(SCORER, pair, asked)


def value(counts: Counts, name: str) -> float:
    return float(SCORER.measure(name).of(counts.totals, counts.columns))


def speech() -> tuple[list[str], list[str]]:
    """Words said and words heard; sometimes none."""
    dice = Random(4)
    said = [" ".join(dice.choices(WORDS, k=dice.randint(0, 15))) for _ in range(80)]
    heard = []
    for text in said:
        words = [w for w in text.split() if dice.random() < 0.9]
        words = [dice.choice(WORDS) if dice.random() < 0.2 else w for w in words]
        heard.append("  ".join(words) + " " * dice.randint(0, 2))
    return said, ["the"] * 5 + heard[5:]


def test_rates_and_edits_are_those_of_jiwer() -> None:
    said, heard = speech()
    counts = counted(said, heard)
    of_words = jiwer.process_words(said, heard)
    of_characters = jiwer.process_characters(said, heard)
    for name in ("wer", "mer", "wil", "wip"):
        assert value(counts, name) == pytest.approx(getattr(of_words, name)), name
    assert value(counts, "cer") == pytest.approx(of_characters.cer)
    for name in OPERATIONS:
        assert counts.total(f"word_{name}") == getattr(of_words, name)
        assert counts.total(f"character_{name}") == getattr(of_characters, name)


def test_segments_are_rated_as_jiwer_rates_them_alone() -> None:
    said, heard = speech()
    counts = counted(said, heard)
    for name in ("wer", "mer", "wil"):
        measure = SCORER.measure(name)
        found = measure.of(counts.table, counts.columns)
        alone = [jiwer.process_words(*pair) for pair in zip(said, heard, strict=True)]
        wanted = [getattr(one, name) for one in alone]
        assert np.allclose(found, wanted, rtol=0, atol=1e-12), name


def test_case_and_punctuation_are_taken_out_as_jiwer_does() -> None:
    said, heard = speech()
    counts = counted(said, heard, lowercase="true", punctuation="drop")
    steps = [
        jiwer.ToLowerCase(),
        jiwer.RemovePunctuation(),
        jiwer.RemoveMultipleSpaces(),
    ]
    words = jiwer.Compose([*steps, jiwer.Strip(), jiwer.ReduceToListOfListOfWords()])
    expected = jiwer.process_words(said, heard, words, words)
    assert value(counts, "wer") == pytest.approx(expected.wer)
    assert value(counts, "wer") < value(counted(said, heard), "wer")


def test_an_alignment_worked_by_hand() -> None:
    """One word is another, one is left out, one is added."""
    said, heard = "the ferry leaves at noon sharp", "a ferry leaves noon sharp today"
    counts = counted([said], [heard])
    edits = {name: counts.total(f"word_{name}") for name in OPERATIONS}
    assert edits == {"hits": 4, "substitutions": 1, "deletions": 1, "insertions": 1}
    assert value(counts, "wer") == pytest.approx(3 / 6)
    assert value(counts, "mer") == pytest.approx(3 / 7)
    assert value(counts, "wip") == pytest.approx(4 / 6 * 4 / 6)
    assert value(counts, "ser") == 1


def test_the_reference_with_the_fewest_edits_counts() -> None:
    rows = [["the ferry leaves", "the ferry departs now"], ["fog"]]
    counts = counted(rows, ["the ferry departs", "fog"])
    # One edit to each: the first counts.
    assert counts.total("word_substitutions") == 1
    assert counts.total("word_deletions") == 0
    assert value(counts, "wer") == pytest.approx(1 / 4)
    assert value(counts, "ser") == pytest.approx(1 / 2)


def test_silence_heard_as_silence_is_no_error() -> None:
    counts = counted(["", "fog"], ["", "fog"])
    assert [value(counts, name) for name in ("wer", "cer", "mer", "wil")] == [0] * 4
    alone = counted([""], ["two words"])
    # As jiwer has it, words heard in silence count one each.
    assert value(alone, "wer") == 2
    assert value(alone, "mer") == 1


def test_normal_forms_are_told_apart_unless_asked() -> None:
    rows, texts = ["cafe\u0301"], ["caf\u00e9"]
    assert value(counted(rows, texts), "wer") == 1
    assert value(counted(rows, texts, unicode_form="NFC"), "cer") == 0


def test_the_error_browser_shows_the_alignment_that_is_counted() -> None:
    said, heard = speech()
    asked = options(lowercase="true")
    pair = read_pair(SCORER, lines("gold", said), lines("system", heard), asked)
    counts = count(SCORER, pair, asked)
    assert SCORER.inspect is not None
    found = SCORER.inspect(*pair, asked)
    for kind in ("substitution", "deletion", "insertion"):
        column = counts.table[:, counts.columns.index(f"word_{kind}s")]
        assert found.per_unit(found.wrong[kind]).tolist() == column.tolist()
    one = SCORER.inspect(
        *read_pair(SCORER, lines("g", [["A b c e"]]), lines("s", ["a c e d"]), asked),
        asked,
    ).picture(0)
    assert one.sheet.rows == (
        ("match", "a", "a"),
        ("deletion", "b", ""),
        ("match", "c e", "c e"),
        ("insertion", "", "d"),
    )
    assert [(p.start, p.end, p.verdict) for p in one.pieces[0]] == [(2, 3, "deletion")]


def test_details_give_edits_and_rates_of_each_segment() -> None:
    asked = options()
    pair = read_pair(SCORER, lines("g", ["a b"]), lines("s", ["a c"]), asked)
    found = SCORER.details(*pair, asked)
    row = dict(zip(found.columns, next(iter(found.rows)), strict=True))
    assert (row["hits"], row["substitutions"], row["wer"]) == (1, 1, 0.5)
