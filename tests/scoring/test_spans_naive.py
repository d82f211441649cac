"""The fast scorer against the definitions written out span by span, token by token."""

import json
from collections import Counter
from itertools import zip_longest
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import Source
from scoring.engine import count, read_pair
from scoring.options import parse
from scoring.scorers import get

SPANS = get("spans")
TEXT = "ab cd  ef\ngh ij"
TOKENS = ((0, 2), (3, 5), (7, 9), (10, 12), (13, 15))
KINDS = ("match", "refclash", "missing", "hypclash", "spurious")

Span = tuple[int, int, str]
EXTENTS = st.sampled_from([(s, e) for s in range(15) for e in range(s + 1, 16)])
SPAN = st.builds(
    lambda extent, label: (*extent, label), EXTENTS, st.sampled_from("XYZ")
)
SIDE = st.lists(st.lists(SPAN, max_size=6), min_size=2, max_size=2)


def overlap(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return bool(one[0] < other[1] and other[0] < one[1])


def naive_tags(ref: list[Span], hyp: list[Span]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    sides = (
        (set(ref), set(hyp), "refclash", "missing"),
        (set(hyp), set(ref), "hypclash", "spurious"),
    )
    for own, others, clash, alone in sides:
        for span in own:
            met = clash if any(overlap(span, o) for o in others) else alone
            if span not in others:
                found[met, span[2]] += 1
            elif alone == "missing":
                found["match", span[2]] += 1
    return found


def naive_tokens(ref: list[Span], hyp: list[Span]) -> Counter[tuple[str, str]]:
    found: Counter[tuple[str, str]] = Counter()
    for token in TOKENS:
        own, other = (
            Counter(span[2] for span in set(side) if overlap(span, token))
            for side in (ref, hyp)
        )
        found.update(("match", label) for label in (own & other).elements())
        left = sorted((own - other).elements()), sorted((other - own).elements())
        for one, two in zip_longest(*left):
            if one:
                found["refclash" if two else "missing", one] += 1
            if two:
                found["hypclash" if one else "spurious", two] += 1
    return found


def source(name: str, documents: list[list[Span]]) -> Source:
    files = {}
    for i, spans in enumerate(documents):
        asets = [{"type": label, "annots": [[s, e]]} for s, e, label in spans]
        value = {"signal": TEXT, "asets": asets, "version": 2}
        files[f"{i}.json"] = json.dumps(value).encode()
    return Source(name, files)


@settings(deadline=None)
@given(SIDE, SIDE)
def test_counts_are_those_of_the_definitions(
    ref: list[list[Span]], hyp: list[list[Span]]
) -> None:
    options = parse(SPANS.options, {"tags": ["X,Y,Z"]})
    pair = read_pair(SPANS, source("gold", ref), source("system", hyp), options)
    tables = SPANS.tables(count(SPANS, pair, options), options)
    for level, naive in (("tag", naive_tags), ("token", naive_tokens)):
        expected: Counter[tuple[str, str]] = Counter()
        for one, other in zip(ref, hyp, strict=True):
            expected += naive(one, other)
        found = {
            (kind, tag): tables[level][tag][kind] for kind in KINDS for tag in "XYZ"
        }
        assert {key: n for key, n in found.items() if n} == expected


@settings(deadline=None)
@given(SIDE, SIDE)
def test_details_hold_every_span_and_agree_with_the_counts(
    ref: list[list[Span]], hyp: list[list[Span]]
) -> None:
    options = parse(SPANS.options, {})
    pair = read_pair(SPANS, source("gold", ref), source("system", hyp), options)
    details = SPANS.details(*pair, options)
    rows = [dict(zip(details.columns, row, strict=True)) for row in details.rows]
    kinds = Counter(row["type"] for row in rows)
    counts = count(SPANS, pair, options).as_numbers()
    for kind in ("match", "missing", "spurious"):
        assert kinds[kind] == counts[kind]
    for side, documents in (("ref", ref), ("hyp", hyp)):
        shown = {
            (row["file"], row[f"{side}start"], row[f"{side}end"], row[f"{side}label"])
            for row in rows
            if row[f"{side}label"]
        }
        spans = {(f"{i}.json", *s) for i, group in enumerate(documents) for s in group}
        assert shown == spans
    clashes = sum(kinds[kind] for kind in ("spanclash", "tagclash", "bothclash"))
    assert clashes >= max(counts["refclash"], counts["hypclash"])
