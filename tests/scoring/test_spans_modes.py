"""Pairs of spans (exact, partial, type), characters, and spans in several pieces."""

import json
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import Refused, SetupError, Source
from scoring.engine import Job, check, count, evaluate, read_pair, summarise
from scoring.examples import make_guess, spoil_some
from scoring.options import parse
from scoring.scorers import get
from scoring.scorers.spans import offsets
from scoring.scorers.spans.annotations import Document, ReaderOptions
from scoring.statistics.bootstrap import Plan
from tests.loops import loop_over
from tests.properties import at_night

SPANS = get("spans")
OPTIONS = parse(SPANS.options, {})
KEPT = ("match", "refclash", "hypclash")
TEXT = "ab cd  ef\ngh ij"
Piece = tuple[int, int]
Span = tuple[tuple[Piece, ...], str]


def source(spans_of_texts: list[list[Span]], text: str | None = TEXT) -> Source:
    """JSON Lines with a text each."""
    lines = []
    for number, spans in enumerate(spans_of_texts):
        rows = [{"pieces": pieces, "label": label} for pieces, label in spans]
        own = {} if text is None else {"text": text}
        lines.append(json.dumps({"id": f"t{number}", **own, "spans": rows}))
    return Source.of_bytes("spans.jsonl", "\n".join(lines).encode())


def counted(gold: list[list[Span]], system: list[list[Span]]) -> dict[str, float]:
    pair = read_pair(SPANS, source(gold), source(system), OPTIONS)
    return count(SPANS, pair, OPTIONS).as_numbers()


def values(gold: list[list[Span]], system: list[list[Span]]) -> dict[str, Any]:
    job = Job(SPANS, OPTIONS, plan=Plan(resamples=0))
    result = evaluate(job, source(gold), source(system))
    return {name: one.value for name, one in result.measures.items()}


def span(start: int, end: int, label: str = "X") -> Span:
    return ((start, end),), label


def characters(spans: set[Span]) -> set[tuple[int, str]]:
    return {
        (place, label)
        for pieces, label in spans
        for start, end in pieces
        for place in range(start, end)
    }


def places(one: Span) -> frozenset[int]:
    return frozenset(place for place, _ in characters({one}))


def largest(ref: list[Span], hyp: list[Span], *, same: bool) -> int:
    """How many pairs there can be, by trying all."""
    if not ref:
        return 0
    first, *rest = ref
    found = largest(rest, hyp, same=same)
    for i, other in enumerate(hyp):
        if places(first) & places(other) and (first[1] == other[1] or not same):
            left = hyp[:i] + hyp[i + 1 :]
            found = max(found, 1 + largest(rest, left, same=same))
    return found


def without_equal(
    ref: list[Span], hyp: list[Span], *, same: bool
) -> tuple[int, list[Span], list[Span]]:
    """How many pairs of the same extent there are, and what is left."""
    left, number = list(hyp), 0
    kept = []
    for one in ref:
        for other in left:
            if places(one) == places(other) and (one[1] == other[1] or not same):
                left.remove(other)
                number += 1
                break
        else:
            kept.append(one)
    return number, kept, left


ONE = st.builds(lambda s, n: (s, min(s + n, 15)), st.integers(0, 14), st.integers(1, 6))
PIECES = st.lists(ONE, min_size=1, max_size=2).map(tuple)


def merged(pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
    found: list[list[int]] = []
    for start, end in sorted(pieces):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return tuple((start, end) for start, end in found)


def sides(pieces: st.SearchStrategy[tuple[Piece, ...]]) -> st.SearchStrategy[Any]:
    one = st.tuples(pieces.map(merged), st.sampled_from("XY"))
    return st.lists(st.lists(one, max_size=5, unique=True), min_size=2, max_size=2)


@settings(max_examples=at_night(150))
@given(st.one_of(sides(PIECES), sides(ONE.map(lambda one: (one,)))), sides(PIECES))
def test_pairs_are_as_many_as_trying_all_finds(
    ref: list[list[Span]], hyp: list[list[Span]]
) -> None:
    found = counted(ref, hyp)
    expected = dict.fromkeys(
        ("exact[pairs]", "partial[pairs]", "typed[pairs]", *KEPT), 0
    )
    shared, of_gold, of_system = 0, 0, 0
    for own, other in zip(ref, hyp, strict=True):
        exact, left, right = without_equal(own, other, same=False)
        expected["exact[pairs]"] += exact
        expected["partial[pairs]"] += 2 * exact + largest(left, right, same=False)
        match, left, right = without_equal(own, other, same=True)
        expected["match"] += match
        expected["typed[pairs]"] += match + largest(left, right, same=True)
        one, two = characters(set(own)), characters(set(other))
        shared, of_gold = shared + len(one & two), of_gold + len(one)
        of_system += len(two)
        for name, mine, theirs in (("ref", own, other), ("hyp", other, own)):
            expected[f"{name}clash"] += sum(
                one not in theirs and any(places(one) & places(o) for o in theirs)
                for one in mine
            )
    assert {name: found[name] for name in expected} == expected
    assert found["both[characters]"] == shared
    assert found["gold[characters]"] == of_gold
    assert found["system[characters]"] == of_system


def test_a_case_worked_by_hand() -> None:
    """Text of 15 characters; gold X 0-2, X 3-9, Y 10-15; system X 0-2, Y 3-9, Y 12-15
    and X 4-6: one is the same, one has another label, one overlaps, one is too many."""
    gold = [span(0, 2), span(3, 9), span(10, 15, "Y")]
    system = [span(0, 2), span(3, 9, "Y"), span(12, 15, "Y"), span(4, 6)]
    found = values([gold], [system])
    assert found["precision"] == 1 / 4
    assert found["recall"] == 1 / 3
    assert found["exact_precision"] == 2 / 4
    assert found["exact_recall"] == 2 / 3
    # 2 pairs of the same extent, and 10-15 with 12-15 for half; 4-6 finds 3-9 taken.
    assert found["partial_f1"] == 2 * 2.5 / 7
    # 0-2, 10-15 with 12-15, and 3-9 with 4-6, both X.
    assert found["type_precision"] == 3 / 4
    assert found["type_recall"] == 1
    # X: 0, 1, 4, 5; Y: 12, 13, 14. Gold has 13, the system 2 + 6 + 3 + 2 = 13.
    assert found["character_f1"] == 2 * 7 / 26
    # 5 right / (5 right + lost in gold + 4 lost of the system) and the other way.
    assert found["f05"] == 5 / (5 + 2 + 4 * 3)
    assert found["f2"] == 5 / (5 + 4 * 2 + 3)


def test_the_mean_over_texts_of_shared_characters_is_that_of_sets() -> None:
    """As Mu-SHROOM's scorer (SemEval-2025 task 3) has it: 1 where a text has none."""
    random = Random(5)
    for _ in range(100):
        sides = [[_some(random) for _ in range(3)] for _ in range(2)]
        shares = []
        for gold, system in zip(*sides, strict=True):
            own, other = characters(set(gold)), characters(set(system))
            shares.append(len(own & other) / len(own | other) if own | other else 1.0)
        counts = counted(*sides)
        mean = counts["iou[characters]"] / counts["iou_units[characters]"]
        assert mean == pytest.approx(sum(shares) / 3, abs=1e-12)


def _some(random: Random) -> list[Span]:
    starts = [random.randrange(13) for _ in range(random.randrange(4))]
    spans = (
        span(start, random.randint(start + 1, 15), random.choice("XY"))
        for start in starts
    )
    return list(dict.fromkeys(spans))


def test_a_text_without_spans_on_both_sides_is_all_shared() -> None:
    nothing: list[Span] = []
    assert values([nothing, [span(0, 2)]], [nothing, nothing])["character_iou"] == 0.5
    assert values([nothing], [[span(0, 2)]])["character_iou"] == 0


def test_the_order_of_spans_changes_nothing() -> None:
    gold = [span(0, 4), span(5, 9), span(2, 7, "Y")]
    system = [span(3, 7), span(8, 12), span(0, 4), span(5, 6, "Y")]
    expected = values([gold], [system])
    for one, other in product((gold, gold[::-1]), (system, system[::-1])):
        assert values([one], [other]) == expected


def test_a_span_in_pieces_is_the_same_only_in_all_of_them() -> None:
    parted = (((0, 2), (7, 9)), "X")
    assert values([[parted]], [[parted]])["f1"] == 1
    whole = values([[parted]], [[span(0, 9)]])
    assert (whole["f1"], whole["exact_f1"], whole["type_f1"]) == (0, 0, 1)
    assert whole["character_precision"] == 4 / 9
    between = values([[parted]], [[span(3, 5)]])
    assert (between["type_f1"], between["token_f1"]) == (0, 0)


def test_pieces_that_touch_are_one_piece() -> None:
    assert values([[(((0, 2), (2, 5)), "X")]], [[span(0, 5)]])["f1"] == 1


def test_details_show_the_pieces_of_a_span() -> None:
    pair = read_pair(
        SPANS,
        source([[(((0, 2), (7, 9)), "X")]]),
        source([[span(0, 9)]]),
        OPTIONS,
    )
    (row,) = SPANS.details(*pair, OPTIONS).rows
    assert row[1] == "spanclash"
    assert row[8:] == ("ab … ef", "ab cd  ef")


def test_brat_gives_pieces_as_json_lines_do() -> None:
    ann = b"T1\tX 0 2;7 9\tab ef\nT2\tY 3 5\tcd\n"
    brat = Source("brat", {"t0.ann": ann, "t0.txt": TEXT.encode()})
    pair = read_pair(SPANS, brat, brat, OPTIONS)
    numbers = count(SPANS, pair, OPTIONS).as_numbers()
    here = counted(both := [[(((0, 2), (7, 9)), "X"), span(3, 5, "Y")]], both)
    assert numbers == here
    assert numbers["both[characters]"] == 6


def test_json_lines_may_be_called_json() -> None:
    rows = source([[span(0, 2)], []]).single()
    gold = Source.of_bytes("gold.json", rows)
    assert evaluate(Job(SPANS, OPTIONS), gold, gold).measures["f1"].value == 1
    listed = Source.of_bytes("gold.json", b"[" + rows.splitlines()[0] + b"]")
    first = Source.of_bytes("gold.jsonl", rows.splitlines()[0])
    assert evaluate(Job(SPANS, OPTIONS), first, listed).measures["f1"].value == 1


def test_a_system_may_leave_out_the_texts() -> None:
    gold, system = source([[span(0, 2)], []]), source([[span(0, 2)], []], text=None)
    assert evaluate(Job(SPANS, OPTIONS), gold, system).measures["f1"].value == 1
    with pytest.raises(Refused, match=r"spans\.jsonl:2: X 3-99"):
        evaluate(Job(SPANS, OPTIONS), gold, source([[], [span(3, 99)]], text=None))


def test_the_lists_of_other_programs_are_read() -> None:
    rows = [
        {"id": "t0", "text": TEXT, "label": [[0, 2, "X"]]},
        {"id": "t1", "text": TEXT, "entities": [{"start": 3, "end": 5, "label": "Y"}]},
    ]
    system = Source.of_bytes("a", "\n".join(map(json.dumps, rows)).encode())
    gold = source([[span(0, 2)], [span(3, 5, "Y")]])
    assert evaluate(Job(SPANS, OPTIONS), gold, system).measures["f1"].value == 1


@loop_over(
    ("line", "said"),
    [
        (
            '{"id": "t1", "text": "ab cd  ef\\ngh ij", "spans": [[0, 2]]}',
            "span 1 lacks",
        ),
        ('{"id": "t1", "spans": [[0, "x", "X"]]}', "span 1 lacks"),
        ('{"id": "t1", "spans": [[2, 2, "X"]]}', "X 2-2: expected 0 <= start"),
        ('{"id": "t1", "spans": {"start": 0}}', "'spans' is no list"),
        ('{"id": "t1", "spans": [{"pieces": [[0, 1], [3]], "label": "X"}]}', "span 1"),
        ('{"id": "t1", "spans": [[0, 2, ""]]}', "span 1: expected a label"),
        ('{"id": "t1", "text": 7, "spans": []}', "the text differs"),
        ('{"id": "t1", "text": ["a"], "spans": []}', "'text' is no text"),
        ('{"id": "t1", "text": "ab cx", "spans": []}', "the text differs"),
        ('{"id": "t9", "spans": []}', "there is no such document"),
        ('{"id": "t0", "spans": []}', "a second document for t0"),
        ('{"text": "ab", "spans": []}', "the object has no id"),
        ('{"id": "t1", "spans": [', "not readable as JSON"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(line: str, said: str) -> None:
    first = source([[span(0, 2)]]).single().decode()
    system = Source.of_bytes("a.jsonl", f"{first}\n{line}\n".encode())
    with pytest.raises(Refused) as raised:
        read_pair(SPANS, source([[], []]), system, OPTIONS)
    assert said in raised.value.problems[0].message
    assert raised.value.problems[0].line == 2


def test_all_problems_of_a_file_are_told_together() -> None:
    lines = ['{"id": "t0", "spans": [[0]]}', '{"id": 7}', '{"id": "t1", "spans": 3}']
    system = Source.of_bytes("a.jsonl", "\n".join(lines).encode())
    with pytest.raises(Refused) as raised:
        read_pair(SPANS, source([[], []]), system, OPTIONS)
    assert [problem.line for problem in raised.value.problems] == [1, 3]


def test_a_missing_document_is_named() -> None:
    problems = check(SPANS, source([[], []]), source([[]]), OPTIONS)
    assert [one.message for one in problems] == ["document t1 is missing"]


@pytest.mark.parametrize("text", [None, TEXT])
def test_gold_needs_texts_and_different_ids(text: str | None) -> None:
    rows = [{"id": "t0", "spans": []} | ({} if text is None else {"text": text})] * 2
    gold = Source.of_bytes("gold.jsonl", "\n".join(map(json.dumps, rows)).encode())
    with pytest.raises(SetupError, match=r"gold\.jsonl:\d"):
        SPANS.read_gold(gold, OPTIONS)


def test_the_blind_file_has_texts_groups_and_tokens_and_no_span() -> None:
    row = {"id": "a", "text": TEXT, "genre": "log", "note": "PERSON 0-2"}
    gold = Source.of_bytes(
        "gold.jsonl",
        json.dumps({**row, "tokens": [[0, 5]], "spans": [[0, 2, "X"]]}).encode(),
    )
    (blind,) = SPANS.blind(gold, OPTIONS).files.values()
    assert json.loads(blind) == {
        **{"id": "a", "text": TEXT, "genre": "log"},
        **{"tokens": [[0, 5]], "spans": []},
    }
    pair = read_pair(SPANS, gold, SPANS.blind(gold, OPTIONS), OPTIONS)
    counts = count(SPANS, pair, OPTIONS)
    assert counts.groups == {"genre": ("log",)}
    assert counts.as_numbers()["test_toks"] == 1


def test_examples_are_made_of_json_lines() -> None:
    gold = source([[span(0, 2), span(3, 5)], [span(7, 9), span(10, 12)]])
    nothing = make_guess(SPANS, SPANS.blind(gold, OPTIONS), OPTIONS)
    job = Job(SPANS, OPTIONS, plan=Plan(resamples=0))
    assert evaluate(job, gold, nothing).measures["recall"].value == 0
    worse = spoil_some(SPANS, gold, OPTIONS, 0.5, 1)
    assert 0 < (evaluate(job, gold, worse).measures["recall"].value or 0) < 1


def test_counts_of_an_earlier_version_have_no_pairs_and_keep_other_scores() -> None:
    pair = read_pair(SPANS, source([[span(0, 2)]]), source([[span(0, 2)]]), OPTIONS)
    now = count(SPANS, pair, OPTIONS)
    kept = [i for i, name in enumerate(now.columns) if not name.endswith(FURTHER)]
    names = tuple(now.columns[i] for i in kept)
    before = replace(now, columns=names, table=now.table[:, kept])
    found = summarise(SPANS, before, OPTIONS, "", Plan(resamples=10)).measures
    assert found["f1"].value == 1
    assert {found[f"{name}_f1"].value for name in MODES} == {None}


MODES, FURTHER = ("exact", "partial", "type", "character"), ("[pairs]", "[characters]")


def test_spans_read_by_columns_are_those_read_one_by_one() -> None:
    """One list among objects has the whole file read span by span."""
    dice = Random(3)
    for _turn in range(50):
        lines = []
        for number in range(dice.randrange(1, 6)):
            spans = []
            for _span in range(dice.randrange(5)):
                start = dice.randrange(len(TEXT) - 1)
                end = dice.randrange(start + 1, len(TEXT))
                own = {"start": start, "end": end, "label": dice.choice("XYZ")}
                quote = {"text": TEXT[start:end]} if dice.random() < 0.5 else {}
                spans.append({**own, **quote})
            lines.append({"id": f"t{number}", "text": TEXT, "spans": spans})
        last = {"id": "last", "text": TEXT}
        both = []
        for span in ({"start": 0, "end": 2, "label": "X"}, [0, 2, "X"]):
            rows = [*lines, {**last, "spans": [span]}]
            data = "\n".join(map(json.dumps, rows)).encode()
            documents = offsets.read({"a.jsonl": data}, ReaderOptions())
            both.append([repr(with_labels(document)) for document in documents])
        assert both[0] == both[1]


def with_labels(document: Document) -> Document:
    """The document with the kind of each span in the place of numbers of kinds."""
    kinds = tuple(document.kinds[code] for code in document.codes.tolist())
    return replace(document, kinds=kinds, codes=np.arange(len(kinds)))


@pytest.mark.parametrize(
    "wrong",
    [
        {"start": 0, "end": 2},
        {"start": "x", "end": 2, "label": "X"},
        {"start": 0, "end": 10**9, "label": "X"},
        {"start": -1, "end": 2, "label": "X"},
        {"start": "\u0661", "end": 2, "label": "X"},
        {"start": 0, "end": 2, "label": " "},
        {"start": 0, "end": 99, "label": "X"},
        {"start": 2, "end": 2, "label": "X"},
        None,
    ],
)
def test_a_wrong_span_among_right_ones_is_refused_with_its_line(wrong: Any) -> None:
    right = {"start": 0, "end": 2, "label": "X"}
    rows = [
        {"id": f"t{number}", "text": TEXT, "spans": spans}
        for number, spans in enumerate(([right], [right, wrong], [right]))
    ]
    data = "\n".join(map(json.dumps, rows)).encode()
    with pytest.raises(SetupError) as caught:
        SPANS.read_gold(Source.of_bytes("a.jsonl", data), OPTIONS)
    assert [problem.line for problem in caught.value.problems] == [2]
