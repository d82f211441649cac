"""Sentences of columns as units of spans: counts, names, documents, intervals."""

import numpy as np
import pytest

from scoring import Counts, Plan, Source, UsageError
from scoring.engine import Job, count, evaluate, read_pair
from scoring.options import parse
from scoring.scorers import get

SPANS = get("spans")
OPTIONS = parse(SPANS.options, {})
GOLD = """\
-DOCSTART- O

Ada\tB-PER
sails\tO

to\tO
Elmhaven\tB-LOC

-DOCSTART- O

Ida\tB-PER
Brook\tI-PER
sleeps\tO

-DOCSTART- O
"""
SYSTEM = GOLD.replace("Ada\tB-PER", "Ada\tO").replace("sleeps\tO", "sleeps\tB-LOC")
NAMES = ["a#000001:000001", "a#000001:000002", "a#000002:000001", "a#000003:000001"]


def source(text: str, name: str = "a") -> Source:
    return Source.of_bytes(name, text.encode())


def counted(gold: str, system: Source, unit: str = "") -> Counts:
    return count(SPANS, read_pair(SPANS, source(gold), system, OPTIONS), OPTIONS, unit)


def test_the_unit_of_columns_is_the_sentence() -> None:
    """A document without a token is a unit that nothing bears on."""
    found = counted(GOLD, source(SYSTEM, "b"))
    assert list(found.units) == NAMES
    names = ("match", "missing", "spurious", "test_docs", "test_toks")
    assert [found.columns.index(name) for name in names]
    table = {n: found.table[:, found.columns.index(n)].tolist() for n in names}
    assert table["match"] == [0, 1, 1, 0]
    assert table["missing"] == [1, 0, 0, 0]
    assert table["spurious"] == [0, 0, 1, 0]
    assert table["test_docs"] == [1, 0, 1, 1]
    assert table["test_toks"] == [2, 2, 3, 0]
    documents = ("a#000001", "a#000001", "a#000002", "a#000003")
    assert found.groups == {"document": documents}


def test_documents_are_sums_of_their_sentences() -> None:
    by_document = counted(GOLD, source(SYSTEM, "b"), "document")
    assert by_document.units == ("a#000001", "a#000002", "a#000003")
    whole = counted(GOLD, source(SYSTEM, "b"))
    assert np.array_equal(by_document.totals, whole.totals)
    job = Job(SPANS, OPTIONS, "document", Plan(20))
    result = evaluate(job, source(GOLD), source(SYSTEM, "b"))
    assert "|unit:document|" in result.signature
    assert (result.unit, result.units) == ("document", 3)


def test_a_file_without_document_lines_is_one_document() -> None:
    plain = GOLD.replace("-DOCSTART- O\n\n", "").replace("-DOCSTART- O\n", "")
    found = counted(plain, source(plain, "b"))
    assert found.groups == {"document": ("a",) * 3}
    alone = counted(plain, source(plain, "b"), "document")
    assert alone.units == ("a",)
    job = Job(SPANS, OPTIONS, "document", Plan(20))
    f1 = evaluate(job, source(plain), source(plain, "b")).measures["f1"]
    assert (f1.value, f1.low, f1.high, f1.informative_units) == (1, None, None, 1)


def test_other_formats_know_documents_alone() -> None:
    text = b'{"signal": "Ada sails", "asets": [], "version": 2}'
    gold = Source("gold", {"d1.json": text, "d2.json": text})
    pair = read_pair(SPANS, gold, gold, OPTIONS)
    assert count(SPANS, pair, OPTIONS).units == ("d1.json", "d2.json")
    assert evaluate(Job(SPANS, OPTIONS), gold, gold).unit == "document"
    with pytest.raises(UsageError, match="names no unit 'sentence'"):
        count(SPANS, pair, OPTIONS, "sentence")


def test_a_span_across_sentences_counts_where_it_begins() -> None:
    """The answers are of a format that knows no sentences."""
    gold = "Ada\tB-PER\nsails\tO\n\nto\tO\nElmhaven\tB-LOC\n"
    system = Source(
        "b.json",
        {
            "b.json": b'{"signal": "Ada sails\\nto Elmhaven\\n", "version": 2, "asets":'
            b' [{"type": "PER", "attrs": [], "annots": [[0, 12]]}]}'
        },
    )
    found = counted(gold, system)
    names = ("refclash", "hypclash", "missing")
    cells = [found.table[:, found.columns.index(name)].tolist() for name in names]
    assert cells == [[1, 0], [1, 0], [0, 1]]


@pytest.mark.parametrize(("empty", "worth"), [("one", 1), ("zero", 0), ("na", None)])
def test_an_empty_ratio_is_worth_the_same_in_every_unit(
    empty: str, worth: float | None
) -> None:
    options = parse(SPANS.options, {"empty": [empty]})
    nothing = source("Ada\tO\n\nsails\tO\n\n.\tO\n")
    found = evaluate(Job(SPANS, options, "", Plan(20)), nothing, nothing)
    assert found.measures["precision"].value == worth
    assert found.measures["precision"].mean == worth
    pair = read_pair(SPANS, nothing, nothing, options)
    counts = count(SPANS, pair, options)
    values = SPANS.measure("recall").of(counts.table, counts.columns).tolist()
    assert values == [worth] * 3 or (worth is None and np.isnan(values).all())


def test_an_error_is_shown_in_its_sentence() -> None:
    gold, system = read_pair(SPANS, source(GOLD), source(SYSTEM, "b"), OPTIONS)
    found = SPANS.inspect(gold, system, OPTIONS)
    assert found.sizes.tolist() == [2, 2, 3, 0]
    assert found.per_unit(found.wrong["missing"]).tolist() == [1, 0, 0, 0]
    picture = found.picture(2)
    assert picture.text.rstrip() == "Ida Brook sleeps"
    (ours,), (_match, spurious) = picture.pieces
    assert (ours.start, ours.end, ours.verdict) == (0, 9, "match")
    assert (spurious.start, spurious.end, spurious.verdict) == (10, 16, "spurious")
    assert found.picture(1).text == "to Elmhaven"
    assert found.picture(3).text == ""


def test_a_document_line_before_each_sentence_changes_no_number() -> None:
    """That is how a file had to be written to get an interval before engine 0.2."""
    words = "".join(f"w{i}\t{'O' if i % 3 else 'B-X'}\n\n" for i in range(60))
    answers = words.replace("w9\tB-X", "w9\tO").replace("w13\tO", "w13\tB-X")
    marked, sent = (
        "".join(f"-DOCSTART- O\n\n{part}\n\n" for part in text.split("\n\n") if part)
        for text in (words, answers)
    )
    plain = evaluate(Job(SPANS, OPTIONS), source(words), source(answers, "b"))
    parted = evaluate(
        Job(SPANS, OPTIONS, "document"), source(marked), source(sent, "b")
    )
    assert plain.units == parted.units == 60
    assert plain.measures == parted.measures
    assert plain.measures["f1"].low < plain.measures["f1"].value < 1
