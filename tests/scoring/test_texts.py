"""ROUGE is rouge-score's, exact match and F1 follow SQuAD's rules."""

# ruff: noqa: RUF001 - Cyrillic words are what some of it is about

import json
import sys
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from scoring import Refused, Source, UsageError
from scoring.counts import Counts
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get
from tests.loops import loop_over

SCORER = get("texts")
SAID = (
    "the The boats sailing sailed sail, quickly harbours. a an 3.5 it's don't "
    "(gulls) running-aground nationalities naïve чайки Ü 5% happily _under_ "
    "flies dying "
)
WORDS = SAID.split()


def source(name: str, text: str) -> Source:
    return Source.of_bytes(name, text.encode())


def options(**raw: str) -> Mapping[str, Any]:
    return parse(SCORER.options, {name: [value] for name, value in raw.items()})


def table(rows: Sequence[Sequence[str]]) -> Source:
    items = ({"id": f"{i:04}", "text": list(row)} for i, row in enumerate(rows))
    return source("gold.jsonl", "\n".join(map(json.dumps, items)))


def counted(rows: Sequence[Sequence[str]], texts: Sequence[str], **raw: str) -> Counts:
    items = ({"id": f"{i:04}", "text": text} for i, text in enumerate(texts))
    system = source("system.jsonl", "\n".join(map(json.dumps, items)))
    asked = options(**raw)
    return count(SCORER, read_pair(SCORER, table(rows), system, asked), asked)


def values(counts: Counts, name: str) -> list[float]:
    """Values of each text alone."""
    measure = SCORER.measure(name)
    found: list[float] = measure.of(counts.table, counts.columns).tolist()
    return found


def texts_and_references() -> tuple[list[str], list[list[str]]]:
    dice = Random(11)

    def text() -> str:
        return " ".join(dice.choices(WORDS, k=dice.randint(0, 14)))

    rows = [
        [text() or "fog", *(text() or "mist" for _ in range(i % 3))] for i in range(70)
    ]
    return [text() for _ in rows], rows


@pytest.mark.parametrize("stems", [False, True])
def test_rouge_is_that_of_rouge_score(stems: bool) -> None:
    # It imports NLTK, for which no other test need wait.
    from rouge_score.rouge_scorer import RougeScorer

    texts, rows = texts_and_references()
    counts = counted(rows, texts, stems=str(stems))
    names = ["rouge1", "rouge2", "rougeL"]
    oracle = RougeScorer(names, use_stemmer=stems)
    expected = [oracle.score_multi(r, t) for r, t in zip(rows, texts, strict=True)]
    for name in names:
        parts = (("", "fmeasure"), ("_precision", "precision"), ("_recall", "recall"))
        for end, part in parts:
            wanted = [getattr(score[name], part) for score in expected]
            found = values(counts, f"{name}{end}")
            assert np.allclose(found, wanted, rtol=0, atol=1e-12), (name, part)
            measure = SCORER.measure(f"{name}{end}")
            mean = float(measure.of(counts.totals, counts.columns))
            assert mean == pytest.approx(np.mean(wanted), abs=1e-12)


def test_rouge_of_other_alphabets_needs_the_unicode_tokenizer() -> None:
    rows, texts = [["Чайки спят на пирсе"]], ["чайки спят"]
    assert values(counted(rows, texts), "rouge1") == [0]
    found = counted(rows, texts, tokenizer="unicode")
    # Two words of two and of four: 2 x 1 x 1/2 / (1 + 1/2).
    assert values(found, "rouge1") == pytest.approx([2 / 3])
    hindi = counted([["समुद्र शांत है"]], ["समुद्र शांत था"], tokenizer="unicode")
    assert values(hindi, "rouge1") == pytest.approx([2 / 3])
    gold = SCORER.read_gold(table(rows), options())
    assert (
        "1 of 1 references have no word of a-z"
        in SCORER.remarks(gold, gold, options())[0]
    )
    assert SCORER.remarks(gold, gold, options(tokenizer="unicode")) == []


# Worked by hand along the rules of SQuAD's evaluation script, version 2.0.
SQUAD = [
    (["The Lighthouse Keeper!"], "lighthouse keeper", 1, 1),
    (["lighthouse keeper"], "the old keeper", 0, 1 / 2),
    (["a red boat", "boat"], "boats", 0, 0),
    (["a red boat", "boat"], "the boat", 1, 1),
    (["at noon", "noon on Friday"], "noon, Friday", 0, 4 / 5),
    (["noon noon fog"], "noon noon noon", 0, 2 / 3),
    ([], "", 1, 1),
    ([], "noon", 0, 0),
    ([""], "the.", 1, 1),
    (["an", "fog"], "", 0, 0),
    (["fog"], "", 0, 0),
    (["it's"], "its", 1, 1),
    (["theatre"], "the atre", 0, 0),
]


@loop_over(("row", "text", "exact", "f1"), SQUAD)
def test_exact_match_and_f1_follow_the_rules_of_squad(
    row: list[str], text: str, exact: float, f1: float
) -> None:
    counts = counted([row], [text])
    assert values(counts, "exact_match") == [exact]
    assert values(counts, "f1") == pytest.approx([f1])


@pytest.mark.parametrize(
    ("normalisation", "exact"),
    [("squad", [1, 0, 0]), ("words", [0, 1, 0]), ("none", [0, 0, 1])],
)
def test_answers_are_normalised_as_the_task_says(
    normalisation: str, exact: list[float]
) -> None:
    rows = [["the fog"], ["«Туман», а не мгла"], ["a  b!"]]
    texts = ["Fog.", "туман а не мгла", "a b!"]
    # The article "a" of the last is none in the first and one in the third text.
    rows[2], texts[2] = (["no B"], "no B")
    if normalisation != "none":
        texts[2] = "no c"
    found = counted(rows, texts, normalisation=normalisation)
    assert values(found, "exact_match") == exact


def test_similarity_is_of_characters_and_of_the_closest_reference() -> None:
    counts = counted([["noon", "moon!"], ["", ""]], ["moon", ""])
    # One edit in four characters; one in five with the other.
    assert values(counts, "similarity") == pytest.approx([0.8, 1])


def test_normal_forms_are_told_apart_unless_asked() -> None:
    rows, texts = [["cafe\u0301"]], ["caf\u00e9"]
    assert values(counted(rows, texts), "exact_match") == [0]
    found = counted(rows, texts, unicode_form="NFC")
    assert values(found, "exact_match") == values(found, "similarity") == [1]


def test_every_item_must_be_answered_and_may_be_answered_by_nothing() -> None:
    gold = source("g.csv", "id,text\nq1,fog\nq2,\n")
    full = source("s.csv", "id,text\nq1,\nq2,\n")
    counts = count(SCORER, read_pair(SCORER, gold, full, options()), options())
    assert values(counts, "exact_match") == [0, 1]
    with pytest.raises(Refused, match="1 of 2 items has no answer: 'q2'"):
        read_pair(SCORER, gold, source("s.csv", "id,text\nq1,fog\n"), options())


def test_differences_are_shown_in_the_form_that_was_compared() -> None:
    asked = options(unicode_form="NFC")
    gold = table([["cafe\u0301 noir", "tea"]])
    system = source("s.jsonl", '{"id": "0000", "text": "caf\u00e9 au lait"}')
    assert SCORER.inspect is not None
    picture = SCORER.inspect(*read_pair(SCORER, gold, system, asked), asked).picture(0)
    assert picture.texts[0] == "caf\u00e9 noir"
    assert picture.sheet.rows[0] == ("match", "caf\u00e9", "caf\u00e9")
    assert {row[0] for row in picture.sheet.rows[1:]} <= {"substitution", "insertion"}


def test_details_give_every_text_its_own_values() -> None:
    gold = table([["at noon", "noon"]])
    system = source("s.jsonl", '{"id": "0000", "text": "noon"}')
    found = SCORER.details(*read_pair(SCORER, gold, system, options()), options())
    row = dict(zip(found.columns, next(iter(found.rows)), strict=True))
    assert row["references"] == "at noon\nnoon"
    assert row["exact_match"] == row["rouge1"] == row["similarity"] == 1


def test_a_missing_stemmer_is_named_with_the_way_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nltk.stem.porter", None)
    with pytest.raises(UsageError, match=r"package nltk.*pip install nltk"):
        counted([["fog"]], ["fog"], stems="true")
    assert values(counted([["fog"]], ["fog"]), "rouge1") == [1]


def test_a_text_as_it_stands_keeps_its_white_space() -> None:
    """SIGMORPHON's accuracy: a no-break space is no space."""
    rows = [["a\u00a0b"], ["a b"], ["a b"], ["a b"]]
    texts = ["a b", "a  b", " a b", "a b"]
    counts = counted(rows, texts, normalisation="none")
    assert values(counts, "exact_match") == [0, 0, 0, 1]
    assert values(counts, "f1") == [1, 1, 1, 1]


def test_columns_that_look_like_references_and_are_not_read_are_remarked() -> None:
    gold = SCORER.read_gold(
        source("gold.csv", "id,text,text2,ref3,genre,Reference\na,x,y,z,w,v\n"),
        options(),
    )
    (remark,) = SCORER.gold_remarks(gold, options())
    assert "'ref3', 'Reference'" in remark and "text2" not in remark
